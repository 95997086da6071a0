"""Result sets of the review and of the end-to-end run; and how values are shown."""

from pathlib import Path

import pytest

from kep_preemption.errors import InputError
from kep_preemption.live.e2e import LiveResult, LiveSample
from kep_validator.diagnostics import Diagnostic, Report, Severity, Skipped
from kep_validator.source import Span
from kep_workbench.display import ShownTable, format_value
from kep_workbench.e2e_report import run_on_cluster
from kep_workbench.results import Column, ResultSet, Table
from kep_workbench.review_report import review_result

PARAMETERS = {"cluster": "", "nodes": 3, "pods_per_node": 3, "samples": 4, "grace_seconds": 0}


def diagnostic(code, severity, line):
    span = Span("/somewhere/kep/README.md", line, 2)
    return Diagnostic(code, "a-name", severity, f"message {line}", span, "mend it")


def test_a_review_lists_findings_by_weight_and_what_was_not_checked():
    report = Report(
        "1.34",
        ("/somewhere/kep",),
        (
            diagnostic("KEP201", Severity.WARNING, 9),
            diagnostic("KEP101", Severity.ERROR, 5),
            diagnostic("KEP101", Severity.ERROR, 3),
        ),
        (Skipped("KEP301", "/somewhere/kep/kep.yaml", "no prod-readiness file"),),
    )
    result = review_result(report, Path("/somewhere/kep"), {"kep": "kep"})
    assert ResultSet.from_json(result.to_json()) == result
    tables = {table.id: table for table in result.tables}
    assert [row[:3] for row in tables["findings"].rows] == [
        ("error", "KEP101", "README.md:3:2"),
        ("error", "KEP101", "README.md:5:2"),
        ("warning", "KEP201", "README.md:9:2"),
    ]
    assert tables["summary"].rows[0] == ("metadata", 2, 0, 0)
    assert tables["summary"].rows[-1] == ("all", 2, 1, 0)
    assert tables["skipped"].rows == (("KEP301", "kep.yaml", "no prod-readiness file"),)
    facts = {fact.id: fact.value for fact in result.facts}
    assert facts["error-count"] == 2
    assert facts["skipped-count"] == 1


def test_without_a_cluster_nothing_is_invented():
    result = run_on_cluster("", PARAMETERS)
    value = result.to_json()
    assert value["status"] == "not-run"
    assert "cluster=kind" in value["reason"]
    assert not value["facts"]
    assert not value["tables"]


def test_a_run_on_a_cluster_is_summed_up(monkeypatch, tmp_path):
    asked = {}

    def run_e2e(cluster, *, progress, **arguments):
        asked.update(arguments, cluster=cluster)
        samples = [LiveSample(n, 10.0 * n, 20.0 * n, "node-1", ("a",)) for n in (1, 2, 3)]
        samples.append(LiveSample(4, 40.0, None, "", ()))
        return LiveResult("kubeconfig", "v1.34.1", None, tuple(samples), ("a note",))

    monkeypatch.setattr("kep_preemption.live.e2e.run_e2e", run_e2e)
    config = str(tmp_path / "config")
    result = run_on_cluster(config, {**PARAMETERS, "cluster": config})
    assert ResultSet.from_json(result.to_json()) == result
    assert asked == {
        "cluster": config,
        "nodes": 3,
        "pods_per_node": 3,
        "samples": 4,
        "grace_seconds": 0,
    }
    assert result.kubernetes_version == "v1.34.1"
    assert result.environment == "kubeconfig"
    nominated, bound = result.tables[0].rows
    assert nominated == ("nominated", 4, 0, 25.0, None, None, 40.0)
    assert bound == ("bound", 3, 1, 40.0, None, None, 60.0)
    assert "a note" in result.environment_note


@pytest.mark.parametrize(
    ("count", "end"),
    [(0, "no container starts or stops."), (5, "n3; n4."), (7, "n3; n4; and 2 more.")],
)
def test_of_many_notes_the_first_are_shown(monkeypatch, tmp_path, count, end):
    live = LiveResult("kubeconfig", "v1", None, (), tuple(f"n{i}" for i in range(count)))
    monkeypatch.setattr("kep_preemption.live.e2e.run_e2e", lambda *_, **__: live)
    result = run_on_cluster(str(tmp_path / "kubeconfig"), PARAMETERS)
    assert result.environment_note.endswith(end)


def test_a_wrong_kubeconfig_is_an_error_of_the_run(tmp_path):
    with pytest.raises(InputError, match="no such kubeconfig"):
        run_on_cluster(str(tmp_path / "missing"), PARAMETERS)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (0.0, "0"), (1.23456, "1.23"), (12345.6, "12,346"), (3, "3"), (True, "True")],
)
def test_values_are_shown_with_three_digits(value, shown):
    assert format_value(value) == shown


def test_a_table_is_shown_escaped_with_units():
    table = Table("t", "a < b", (Column("name"), Column("p50", "ms")), (("<x>", 1.5),))
    html = ShownTable(table)._repr_html_()
    assert "a &lt; b" in html
    assert "p50 (ms)" in html
    assert "&lt;x&gt;" in html
    assert "<x>" not in html
    assert repr(ShownTable(table)).splitlines()[1] == "name  p50 (ms)"
