"""The decisions of the real kube-scheduler 1.34, recorded, beside ours."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from builders.preemption_oracle import OracleCase, decide, differences, read_cases
from kep_preemption.preemption.evaluator import Evaluator
from kep_preemption.preemption.victims import select_victims_on_node
from kep_preemption.snapshot import Snapshot

SELECTION = Path(__file__).parent / "cases" / "selection.jsonl"
FAMILIES = (
    "basic",
    "containers",
    "edge_seed",
    "eligibility",
    "extended",
    "facts",
    "hostports",
    "interpod",
    "large",
    "manypods",
    "maxpods",
    "mixed",
    "negative_priority",
    "node_affinity",
    "nohelp",
    "nominated",
    "nopreempt",
    "overcommit",
    "pdb",
    "pdb_multi",
    "quantities",
    "spread",
    "taints",
    "ties",
)
BENCH_CLUSTERS = ("1000-30-20", "5000-30-0", "5000-30-20")


def test_the_selection_is_there() -> None:
    assert len(list(read_cases(SELECTION))) >= 40


@pytest.mark.parametrize("case", list(read_cases(SELECTION)), ids=lambda case: case.name)
def test_selected_case(case: OracleCase) -> None:
    assert differences(case, decide(case)) == []


@pytest.mark.shared
@pytest.mark.parametrize("family", FAMILIES)
def test_family(family: str, shared_dir: Path) -> None:
    cases = list(read_cases(shared_dir / "oracle" / "preemption" / f"{family}.jsonl.gz"))
    wrong = {case.name: found for case in cases if (found := differences(case, decide(case)))}
    assert wrong == {}
    assert len(cases) >= 40


@pytest.mark.shared
def test_lockstep_is_the_search_node_by_node(shared_dir: Path) -> None:
    """The readable form for one node finds the same victims as the search on all at once."""
    compared = 0
    for family in ("manypods", "pdb_multi", "nominated", "interpod", "spread"):
        for case in read_cases(shared_dir / "oracle" / "preemption" / f"{family}.jsonl.gz"):
            compared += _compare_node_by_node(case)
    assert compared > 1000


def _compare_node_by_node(case: OracleCase) -> int:
    evaluator = Evaluator(Snapshot.of(case.cluster()))
    filtering = evaluator.filter(case.preemptor())
    run = evaluator.dry_run(filtering, filtering.potential_nodes)
    for place, node in enumerate(run.nodes.tolist()):
        alone = select_victims_on_node(
            filtering.filters, evaluator.snapshot, node, filtering.preemptor
        )
        victims = [evaluator.snapshot.pods.pods[i] for i in run.victims_of(place)]
        assert victims == list(alone.pods), (case.name, node)
        assert run.violations[place] == alone.num_pdb_violations
        assert run.verdicts.status(place) == alone.status
    return len(run)


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize("name", BENCH_CLUSTERS)
def test_big_cluster(name: str, shared_dir: Path) -> None:
    folder = shared_dir / "oracle" / "bench-clusters"
    expected = json.loads((folder / "expected.json").read_text())[name]
    with gzip.open(folder / f"{name}.json.gz", "rt") as text:
        loaded = json.load(text)
    case = OracleCase(name, loaded.get("case", loaded), {})
    decision = decide(case)
    assert set(decision.tie_set) == set(expected["acceptableNodes"])
    assert len(decision.candidates) == expected["candidates"]
    best = {candidate["node"]: candidate for candidate in expected["best"]}[decision.node]
    assert [pod.key for pod in decision.victims] == best["victims"]
    assert decision.num_pdb_violations == best["numPDBViolations"]
