"""The real notebooks, through the real runner, on the smallest batch."""

import json
import shutil
from pathlib import Path

import pytest

from kep_workbench.cli import main
from kep_workbench.record import RunStatus, read_record
from kep_workbench.results import ResultSet

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """A copy of the notebooks and the KEP, with the batch `quick` run in it."""
    root = tmp_path_factory.mktemp("quick")
    (root / "notebooks").mkdir()
    for path in [*(ROOT / "notebooks").glob("*.ipynb"), ROOT / "notebooks/batches.yaml"]:
        shutil.copy(path, root / "notebooks")
    shutil.copytree(ROOT / "kep", root / "kep")
    assert main(["run", "quick", "--workspace", str(root)]) == 0
    return root


def record(workspace, run):
    return read_record(workspace / "out" / "quick" / run / "result.json")


def test_the_benchmark_is_measured(workspace):
    made = record(workspace, "edge-10")
    assert made.run_status is RunStatus.OK
    assert made.provenance.environment == "simulated"
    result = made.result
    assert {table.id for table in result.tables} == {"latency", "verdict", "quality", "growth"}
    assert {figure.id for figure in result.figures} == {"latency", "quality", "growth"}
    strategies = result.parameters["strategies"]
    assert len(result.samples) == 2 * result.parameters["repeats"] * len(strategies)
    # A percentile that few samples cannot tell is not told.
    names = [column.name for column in result.tables[0].columns]
    assert all(row[names.index("p99")] is None for row in result.tables[0].rows)
    facts = {fact.id: fact.value for fact in result.facts}
    assert facts["same-choice-upstream"] == 100
    assert all(facts[f"latency-p50-{name}"] > 0 for name in strategies)


def test_the_review_says_what_was_found(workspace):
    made = record(workspace, "kep-review")
    assert made.run_status is RunStatus.OK
    facts = {fact.id: fact.value for fact in made.result.facts}
    assert facts["checked-count"] == 1
    assert facts["internal-error-count"] == 0


def test_without_a_cluster_the_run_says_so(workspace):
    made = record(workspace, "cluster-e2e")
    assert made.run_status is RunStatus.NOT_RUN
    assert "cluster=kind" in made.result.reason


def test_all_outputs_are_valid_and_show_the_same_result(workspace):
    for path in (workspace / "out" / "quick").glob("*/result.json"):
        result = json.loads(path.read_text())["result"]
        assert ResultSet.from_json(result).to_json() == result
        assert (path.parent / "notebook.ipynb").is_file()
