"""`kepler evidence check`: on any machine, from the KEP alone, it says what does not hold."""

import json
import shutil

import pytest

from builders.evidence_case import EvidenceCase, make_result
from kep_workbench.provenance import input_digest
from kep_workbench.record import RunStatus


@pytest.fixture
def case(tmp_path):
    case = EvidenceCase(tmp_path / "w")
    assert case.kepler("evidence", "update") == 0
    shutil.rmtree(case.root / "out")
    return case


def check(case, capsys, *options):
    capsys.readouterr()
    code = case.kepler("evidence", "check", "--output", "json", *options)
    value = json.loads(capsys.readouterr().out)
    assert value["schema_version"] == "1"
    assert value["fresh"] == (code == 0)
    return code, value


def kinds(value):
    return [finding["kind"] for finding in value["findings"]]


def test_fresh_evidence_holds_without_outputs(case, capsys):
    code, value = check(case, capsys)
    assert (code, value["findings"], value["not_checked"]) == (0, [], [])
    assert value["marks"] == 3
    assert value["runs"] == ["default/e2e", "default/edge-10"]


def test_another_place_and_other_line_ends_change_nothing(case, capsys, tmp_path):
    shutil.move(case.root, tmp_path / "elsewhere")
    case.__dict__.update(root=tmp_path / "elsewhere", kep=tmp_path / "elsewhere" / "kep")
    for path in case.kep.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert check(case, capsys)[0] == 0


def _edit_figure(case):
    (case.kep / "evidence" / "figures" / "default-edge-10-latency.svg").write_text("<svg/>")


def _edit_record(case):
    path = case.kep / "evidence" / "default-edge-10.json"
    path.write_text(path.read_text().replace("1.2345", "0.2345"))


def _change_parameters(case):
    text = case.workspace.batches.read_text()
    line = "notebook: bench.ipynb\n"
    case.workspace.batches.write_text(
        text.replace(line, f"{line}        parameters: {{nodes: 20}}\n")
    )


def _remove_run(case):
    runs = {"edge-10": {"notebook": "bench.ipynb", "publishes": "preemption-benchmark"}}
    case.batches({"default": {"description": "all", "runs": runs}})


CASES = {
    "block edited": (
        lambda case: case.edit("| upstream | 1.23 |", "| upstream | 1.03 |"),
        ["edited"],
        "edited by hand",
    ),
    "fact edited": (
        lambda case: case.edit("1.23 ms<!-- /fact", "1 ms<!-- /fact"), ["edited"], "by hand",
    ),
    "new block": (
        lambda case: case.edit(
            "The end.", '<!-- evidence:begin id="n" run="default/e2e" -->\n<!-- evidence:end -->'
        ),
        ["not-filled"],
        "still empty",
    ),
    "block of no run": (
        lambda case: case.edit(
            "The end.", '<!-- evidence:begin id="n" run="default/x" -->\n<!-- evidence:end -->'
        ),
        ["no-evidence"],
        "no evidence of the run 'default/x'",
    ),
    "broken marker": (
        lambda case: case.edit("The end.", "<!-- evidence:end -->"), ["marker"], "did not begin",
    ),
    "show changed": (
        lambda case: case.edit('show="table:latency figure:latency"', 'show="table:latency"'),
        ["out-of-date"],
        "does not show the evidence",
    ),
    "notebook": (
        lambda case: case.notebook("bench.ipynb", "nodes: int = 10", "print(2)"),
        ["stale-notebook"],
        "the notebook notebooks/bench.ipynb has changed",
    ),
    "parameters": (_change_parameters, ["stale-parameters"], "nodes was 10, is 20"),
    "run gone": (_remove_run, ["stale-run"], "not planned any more"),
    "notebook gone": (
        lambda case: (case.root / "notebooks" / "bench.ipynb").unlink(),
        ["stale-run"],
        "is missing",
    ),
    "figure edited": (_edit_figure, ["evidence-edited"], "not as the tool wrote it"),
    "figure gone": (
        lambda case: (case.kep / "evidence/figures/default-edge-10-latency.svg").unlink(),
        ["evidence-edited", "no-evidence", "no-evidence"],
        "cannot be read",
    ),
    "record edited": (
        _edit_record, ["evidence-edited", "out-of-date"], "not as the tool wrote it",
    ),
    "record gone": (
        lambda case: (case.kep / "evidence" / "default-e2e.json").unlink(),
        ["evidence-edited", "no-evidence"],
        "cannot be read",
    ),
    "manifest broken": (
        lambda case: (case.kep / "evidence" / "manifest.json").write_text("[]"),
        ["evidence-edited", "no-evidence", "no-evidence", "no-evidence"],
        "is not a JSON object",
    ),
    "evidence gone": (
        lambda case: shutil.rmtree(case.kep / "evidence"),
        ["no-evidence", "no-evidence", "no-evidence"],
        "kepler evidence update",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("spoil", "wanted", "words"), CASES.values(), ids=CASES)
def test_what_does_not_hold_is_named(case, capsys, spoil, wanted, words):
    spoil(case)
    code, value = check(case, capsys)
    assert code == 1
    found = value["findings"]
    assert set(kinds(value)) == set(wanted)
    assert any(words in finding["message"] + finding["help"] for finding in found)
    assert all(finding["place"] and finding["help"] for finding in found)
    # The same as text, with the place first and one help line each.
    assert case.kepler("evidence", "check") == 1
    out = capsys.readouterr().out
    assert all(f"{f['place']}: {f['message']} [{f['kind']}]" in out for f in found)


def test_changed_code_is_stale(case, capsys, monkeypatch):
    from kep_workbench import staleness

    monkeypatch.setattr(staleness, "code_digest", lambda kind: f"sha256:{kind}")
    code, value = check(case, capsys)
    assert code == 1
    assert kinds(value) == ["stale-code", "stale-code"]


def test_an_interrupted_update_is_named_as_such(case, capsys):
    path = case.kep / "evidence" / "manifest.json"
    path.write_text(path.read_text().replace('"complete": true', '"complete": false'))
    _, value = check(case, capsys)
    assert kinds(value) == ["interrupted"]
    assert "kepler evidence update" in value["findings"][0]["help"]


def test_without_a_workspace_it_says_what_it_did_not_check(case, capsys, tmp_path):
    shutil.copytree(case.kep, tmp_path / "alone" / "kep")
    case.root = tmp_path / "alone"
    code, value = check(case, capsys)
    assert code == 0
    assert "notebooks, code and parameters" in value["not_checked"][0]
    (case.root / "kep" / "evidence" / "default-e2e.json").unlink()
    assert check(case, capsys)[0] == 1


@pytest.fixture
def traced(tmp_path):
    """A run with an input file, given by another path than batches.yaml has."""
    case = EvidenceCase(tmp_path / "t")
    (case.root / "trace.csv").write_text("a,b\n")
    case.notebook("bench.ipynb", 'trace: str = ""', "print(trace)")
    runs = {
        "edge-10": {
            "notebook": "bench.ipynb",
            "publishes": "preemption-benchmark",
            "parameters": {"trace": "trace.csv"},
            "inputs": ["trace"],
        },
        "e2e": {"notebook": "e2e.ipynb", "publishes": "cluster-e2e"},
    }
    case.batches({"default": {"description": "all", "runs": runs}})
    case.record("edge-10", make_result())
    case.record("edge-10", make_result(), parameters={"trace": "/elsewhere/trace.csv"})
    assert case.kepler("evidence", "update") == 0
    return case


def test_inputs_count_by_content_not_by_path(traced, capsys):
    assert check(traced, capsys)[0] == 0
    (traced.root / "trace.csv").write_text("a,b,c\n")
    _, value = check(traced, capsys)
    assert kinds(value) == ["stale-inputs"]


def test_an_input_given_for_one_run_stands_in_for_a_planned_one_that_is_not_here(traced, capsys):
    elsewhere = traced.root / "elsewhere.csv"
    (traced.root / "trace.csv").rename(elsewhere)
    traced.record("edge-10", make_result(), input_digest=input_digest([elsewhere]),
                  parameters={"trace": str(elsewhere)})  # fmt: skip
    assert traced.kepler("evidence", "update") == 0
    assert str(traced.root) not in traced.readme.read_text()
    assert check(traced, capsys)[:1] == (0,)
    elsewhere.write_text("changed")
    assert kinds(check(traced, capsys)[1]) == ["stale-inputs"]


def test_a_planned_input_that_is_here_is_the_one_that_counts(traced, capsys):
    other = traced.root / "other.csv"
    other.write_text("other")
    traced.record("edge-10", make_result(), input_digest=input_digest([other]),
                  parameters={"trace": str(other)})  # fmt: skip
    assert traced.kepler("evidence", "update") == 1
    assert "the inputs have changed: trace" in capsys.readouterr().err


def test_an_input_that_is_not_here_is_said_to_be_unchecked(traced, capsys):
    (traced.root / "trace.csv").unlink()
    code, value = check(traced, capsys)
    assert code == 0
    assert "the input trace (trace.csv) is not here" in value["not_checked"][0]


@pytest.fixture
def reviewed(tmp_path):
    """A run whose input is the KEP itself."""
    case = EvidenceCase(tmp_path / "k")
    case.notebook("bench.ipynb", 'kep: str = "kep"', "print(kep)")
    review = {"notebook": "bench.ipynb", "publishes": "kep-review", "inputs": ["kep"]}
    runs = {"edge-10": review, "e2e": {"notebook": "e2e.ipynb", "publishes": "cluster-e2e"}}
    case.batches({"default": {"description": "all", "runs": runs}})
    case.record("edge-10", make_result(), RunStatus.OK)
    assert case.kepler("evidence", "update") == 0
    return case


def test_a_review_of_the_kep_does_not_go_stale_by_its_own_evidence(reviewed, capsys):
    assert check(reviewed, capsys)[0] == 0
    for path in (reviewed.readme, reviewed.kep / "kep.yaml"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert check(reviewed, capsys)[0] == 0


@pytest.mark.parametrize("name", ["README.md", "kep.yaml"])
def test_a_review_of_the_kep_goes_stale_with_the_kep(reviewed, capsys, name):
    path = reviewed.kep / name
    path.write_text(path.read_text().replace("Fast Path", "Slow Path"))
    assert kinds(check(reviewed, capsys)[1]) == ["stale-inputs"]


def test_what_no_mark_shows_is_only_noted_when_stale(case, capsys):
    case.edit('run="default/edge-10"', 'run="default/e2e"')
    case.edit('id="edge-10" run="default/edge-10"', 'id="edge-10" run="default/e2e"')
    case.notebook("bench.ipynb", "nodes: int = 10", "print(3)")
    _, value = check(case, capsys)
    assert "stale-notebook" not in kinds(value)
    assert "default/edge-10, which no mark shows, is stale" in value["notes"][0]


def test_a_kep_without_marks_is_no_failure_and_says_so(tmp_path, capsys):
    case = EvidenceCase(tmp_path / "n")
    case.readme.write_text("# T\n\nNo evidence.\n")
    assert case.kepler("evidence", "check") == 0
    assert "no evidence and no marks" in capsys.readouterr().out


def test_usage_errors(case, capsys):
    assert case.kepler("evidence", "check", "--kep", "nowhere") == 2
    assert "--kep FOLDER" in capsys.readouterr().err
    assert case.kepler("evidence", "check", "--workspace", "nowhere") == 2
    assert case.kepler("evidence") == 2
