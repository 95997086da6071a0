"""`kepler evidence update`: what it writes, and what it refuses and leaves alone."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from builders.evidence_case import SVG, EvidenceCase, make_result, not_run_result
from kep_workbench.evidence import Options
from kep_workbench.evidence import update as update_kep
from kep_workbench.evidence_files import evidence_files, read_accepted, read_manifest
from kep_workbench.evidence_records import RefusedError
from kep_workbench.record import RunStatus, read_record


@pytest.fixture
def case(tmp_path):
    return EvidenceCase(tmp_path / "w")


def update(case, *options):
    return case.kepler("evidence", "update", *options)


def test_writes_blocks_facts_records_and_figures(case, capsys):
    assert update(case) == 0
    out = capsys.readouterr().out
    assert "add kep/evidence/default-edge-10.json" in out
    assert "update kep/README.md" in out
    text = case.readme.read_text()
    assert "| upstream | 1.23 | 3 |" in text
    assert "-->1.23 ms<!-- /fact --> on ten nodes." in text
    assert "**Not run: On a cluster.**" in text
    figure = "evidence/figures/default-edge-10-latency.svg"
    assert f"({figure})" in text
    assert (case.kep / figure).read_bytes() == SVG


def test_twice_is_as_once_and_touches_nothing(case, capsys):
    update(case)
    before = {path: path.stat().st_mtime_ns for path in case.kep.rglob("*")}
    capsys.readouterr()
    assert update(case) == 0
    assert "up to date" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in case.kep.rglob("*")} == before


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_rest_of_the_readme_keeps_its_bytes(case, newline):
    data = b"\xef\xbb\xbf" + case.readme.read_bytes().replace(b"\n", newline.encode())
    case.readme.write_bytes(data)
    assert update(case) == 0
    new = case.readme.read_bytes()
    assert new.startswith(data[: data.index(b"<!-- fact")])
    assert new.endswith(data[data.rindex(b"<!-- evidence:end") :])
    assert new.count(b"\n") == new.count(newline.encode())
    assert update(case) == 0
    assert case.readme.read_bytes() == new


def test_the_accepted_record_holds_no_pictures_and_no_samples(case):
    update(case)
    path = case.kep / "evidence" / "default-edge-10.json"
    value = json.loads(path.read_text())
    assert value["result"]["samples"] == []
    assert value["provenance"]["sample_counts"] == {"latency": 600}
    assert "data_base64" not in path.read_text()
    run = read_record(case.root / "out" / "default" / "edge-10" / "result.json")
    accepted = read_accepted(case.kep / "evidence", "default-edge-10.json")
    assert accepted == replace(run, result=replace(run.result, samples=()))
    assert evidence_files(run).keys() == {"default-edge-10.json", *_figures(case)}


def _figures(case):
    return [f"figures/{path.name}" for path in (case.kep / "evidence" / "figures").iterdir()]


@pytest.mark.parametrize(
    ("edit", "place"),
    [
        (("| upstream | 1.23 |", "| upstream | 0.23 |"), "block 'edge-10'"),
        (("1.23 ms<!-- /fact", "1 ms<!-- /fact"), "fact 'latency-p50'"),
        (("no cluster;", "it was fast;"), "block 'e2e'"),
    ],
)
def test_a_hand_edit_is_refused_shown_and_overwritten_on_demand(case, capsys, edit, place):
    update(case)
    written = case.files()
    case.edit(*edit)
    edited = case.files()
    capsys.readouterr()
    assert update(case) == 1
    said = capsys.readouterr()
    assert place in said.err
    assert "kep/README.md:" in said.err
    assert "--overwrite-edited" in said.err
    assert "+++" in said.out
    assert case.files() == edited
    assert update(case, "--overwrite-edited") == 0
    assert "+++" in capsys.readouterr().out
    assert case.files() == written


def test_words_that_were_never_ours_are_not_lost(case):
    case.edit('run="default/e2e" -->\n', 'run="default/e2e" -->\nMy own words.\n')
    assert update(case) == 1
    assert "My own words." in case.readme.read_text()


def _record(case):
    return case.root / "out" / "default" / "edge-10" / "result.json"


def _change_parameters(case):
    text = case.workspace.batches.read_text()
    line = "notebook: bench.ipynb\n"
    assert line in text
    parameters = f"{line}        parameters: {{nodes: 20}}\n"
    case.workspace.batches.write_text(text.replace(line, parameters))


def _fail(case):
    case.record("edge-10", status=RunStatus.FAILED, error="cell 3: ValueError")


REFUSALS = {
    "missing": (lambda case: _record(case).unlink(), "has no result", "kepler run default"),
    "failed": (_fail, "ended as failed: cell 3: ValueError", "kepler run default"),
    "broken": (
        lambda case: _record(case).write_text("{"),
        "is not JSON",
        "kepler run default --force",
    ),
    "stale notebook": (
        lambda case: case.notebook("bench.ipynb", "nodes: int = 10", "print(nodes + 1)"),
        "notebooks/bench.ipynb has changed",
        "kepler run default",
    ),
    "stale parameters": (_change_parameters, "nodes was 10, is 20", "kepler run default"),
    "unknown run": (
        lambda case: case.edit("default/edge-10", "default/egde-10"),
        "no run 'default/egde-10'",
        "did you mean default/edge-10?",
    ),
    "unknown table": (
        lambda case: case.edit("table:latency", "table:latncy"),
        "no table 'latncy'",
        "did you mean latency?",
    ),
    "bad marker": (
        lambda case: case.edit("The end.", "<!-- evidence:end -->"),
        "did not begin",
        "remove it",
    ),
}


@pytest.mark.parametrize(("spoil", "problem", "remedy"), REFUSALS.values(), ids=REFUSALS)
def test_refusals_name_the_remedy_and_write_nothing(case, capsys, spoil, problem, remedy):
    spoil(case)
    before = case.files()
    assert update(case) == 1
    said = capsys.readouterr().err
    assert problem in said
    assert remedy in said
    assert case.files() == before


def test_a_text_with_new_errors_is_refused(case, capsys, monkeypatch):
    from kep_validator.diagnostics import Diagnostic, Severity
    from kep_validator.source import Span
    from kep_workbench import evidence

    def validate(kep, readme=None):
        old = Diagnostic("KEP201", "x", Severity.ERROR, "an old error", Span("README.md", 3))
        new = Diagnostic("KEP202", "y", Severity.ERROR, "a new error", Span("README.md", 9), "do z")
        return [old] if readme is None else [replace(old, span=Span("README.md", 30)), new]

    real = evidence.plan_update
    monkeypatch.setattr(evidence, "plan_update", lambda *a: real(*a[:4], validate))
    before = case.files()
    assert update(case) == 1
    said = capsys.readouterr().err
    assert "README.md:9: KEP202: the new text would bring an error: a new error" in said
    assert "an old error" not in said
    assert case.files() == before


def test_what_is_no_longer_needed_goes_if_it_is_ours(case, capsys):
    update(case)
    (case.kep / "evidence" / "mine.txt").write_text("mine")
    (case.kep / "evidence" / "figures" / "mine.svg").write_text("mine")
    case.edit(" figure:latency", "")
    case.record("edge-10", make_result(figures=()))
    assert update(case) == 0
    assert "remove kep/evidence/figures/default-edge-10-latency.svg" in capsys.readouterr().out
    names = case.files()
    assert "evidence/figures/default-edge-10-latency.svg" not in names
    assert {"evidence/mine.txt", "evidence/figures/mine.svg"} <= names.keys()


def test_a_manifest_cannot_make_it_remove_files_elsewhere(case):
    update(case)
    path = case.kep / "evidence" / "manifest.json"
    value = json.loads(path.read_text())
    entry = {"digest": "sha256:0", "run": "default/edge-10"}
    value["files"] |= {"../kep.yaml": entry, str(case.kep / "kep.yaml"): entry}
    path.write_text(json.dumps(value))
    assert update(case) == 0
    assert (case.kep / "kep.yaml").exists()


def test_a_result_that_still_stands_outweighs_not_run(case, capsys):
    measured = make_result(kind="cluster-e2e", environment="kind", figures=(), tables=())
    case.record("e2e", measured)
    update(case)
    assert "Measured on a kind cluster." in case.readme.read_text()
    case.record("e2e", not_run_result(), RunStatus.NOT_RUN)
    before = case.files()
    capsys.readouterr()
    assert update(case) == 0
    assert "did not run here; the result of 2026-01-02 is kept" in capsys.readouterr().err
    assert case.files() == before
    # Once the notebook changes, the old measurement is no evidence of anything any more.
    case.notebook("e2e.ipynb", 'cluster: str = ""', "print()")
    case.record("e2e", not_run_result(), RunStatus.NOT_RUN)
    assert update(case) == 0
    assert "**Not run: On a cluster.**" in case.readme.read_text()


def test_not_run_once_more_is_no_change_unless_the_reason_is_another(case, capsys):
    update(case)
    before = case.files()
    later = "2026-02-02T00:00:00+00:00"
    case.record("e2e", not_run_result(), RunStatus.NOT_RUN, started=later)
    assert update(case) == 0
    assert case.files() == before
    other = replace(not_run_result(), reason="kind is not installed")
    case.record("e2e", other, RunStatus.NOT_RUN, started=later)
    assert update(case) == 0
    assert "kind is not installed" in case.readme.read_text()


def test_marks_of_other_batches_are_left_alone(case, capsys):
    case.edit('run="default/e2e"', 'run="other/e2e"')
    assert update(case) == 0
    assert 'run="other/e2e" -->\n<!-- evidence:end -->' in case.readme.read_text()
    said = capsys.readouterr().err
    assert "marks of the batch other are left as they are" in said
    assert "no mark in the README shows the run default/e2e" in said


def test_accepted_evidence_fills_a_new_block_without_outputs(case):
    update(case)
    for path in (case.root / "out").rglob("result.json"):
        path.unlink()
    case.edit("The end.", 'It is <!-- fact:latency-p50 run="default/edge-10" --><!-- /fact -->.')
    assert update(case) == 1
    assert update(case, "--accepted") == 0
    assert case.readme.read_text().count("1.23 ms<!-- /fact -->") == 2
    assert case.kepler("evidence", "check") == 0


def test_dry_run_shows_the_change_and_writes_nothing(case, capsys):
    before = case.files()
    assert update(case, "--dry-run") == 0
    out = capsys.readouterr().out
    assert "+| upstream | 1.23 | 3 |" in out
    assert "would update kep/README.md" in out
    assert case.files() == before


def test_usage_errors(case, capsys):
    assert update(case, "--kep", "nowhere") == 2
    assert update(case, "--batch", "defualt") == 2
    assert "did you mean default?" in capsys.readouterr().err
    assert case.kepler("evidence", "renew") == 2
    case.readme.write_bytes(b"# \xff")
    assert update(case) == 2
    assert "is not UTF-8" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="the lock is a POSIX one")
def test_words_saved_during_an_update_are_not_lost(case):
    saved = case.readme.read_text() + "\nSaved by an editor.\n"

    def validate(_kep, _readme):
        case.readme.write_text(saved)
        return []

    with pytest.raises(RefusedError, match="was changed while the update was under way"):
        update_kep(
            case.kep, case.workspace, case.batch, Options(case.workspace.out), validate=validate
        )
    assert case.readme.read_text() == saved
    assert not (case.kep / "evidence").exists()


def test_only_one_update_at_a_time(case, capsys):
    code = (
        "import sys, pathlib\n"
        "from kep_workbench.atomic import locked\n"
        "with locked(pathlib.Path(sys.argv[1]), 'x'):\n"
        "    print('held', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(case.kep)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with holder:
        assert holder.stdout.readline() == "held\n"
        assert update(case) == 2
        assert "another kepler evidence update" in capsys.readouterr().err
        holder.kill()
    # The lock went with its process.
    assert update(case) == 0


def test_the_manifest_lists_all_files_and_is_complete(case):
    update(case)
    manifest = read_manifest(case.kep / "evidence")
    assert manifest.complete
    there = {name.removeprefix("evidence/") for name in case.files() if "evidence/" in name}
    assert set(manifest.files) == there - {"manifest.json"}
