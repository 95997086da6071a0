from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.preemption_oracle import decide, read_cases
from kep_preemption.decision import Candidate, Code, Decision, NodeStatus, Outcome
from kep_preemption.explain import (
    PRIORITY_OFFSET,
    Criteria,
    Verdict,
    compare,
    explain_nodes,
    explain_victims,
)
from kep_preemption.loading.builder import LoadedCluster
from kep_preemption.objects import ClusterState, Node, Pod, PodDisruptionBudget
from kep_preemption.report.amounts import amount, requests_text, time_text
from kep_preemption.report.answer import Answer
from kep_preemption.report.groups import group_nodes
from kep_preemption.report.text import to_text
from kep_preemption.scenarios import make_scenario
from kep_preemption.selectors import LabelSelector, Requirement
from kep_preemption.strategies import STRATEGY_NAMES, make_strategy

TIGHT = NodeStatus(Code.UNSCHEDULABLE, "NodeResourcesFit", ("Insufficient cpu",))
TAINTED = NodeStatus(Code.UNRESOLVABLE, "TaintToleration", ("node(s) had untolerated taint",))
FREE = NodeStatus(Code.SUCCESS)


def victim(name: str = "v", priority: int = 100, start: int | None = 5) -> Pod:
    return Pod("ns", name, priority=priority, start_time=start)


def candidate(node: str, *victims: Pod, violations: int = 0) -> Candidate:
    return Candidate(node, victims or (victim(),), violations)


def cluster(*names: str) -> ClusterState:
    return ClusterState(tuple(Node(name, {}) for name in names))


# The five criteria, each deciding where those before are equal

BEST = candidate("best", victim("a", 100, 5), victim("b", 50, 1))


@pytest.mark.parametrize(
    ("other", "criterion", "better"),
    [
        (candidate("n", victim(priority=0), violations=1), "pdb_violations", False),
        (candidate("n", victim("a", 200, 9)), "highest_priority", False),
        (candidate("n", victim("a", 99), *[victim("x", 99)] * 4), "highest_priority", True),
        (candidate("n", victim("a", 100), victim("b", 60)), "priority_sum", False),
        (candidate("n", victim("a", 100)), "priority_sum", True),
        (candidate("n", victim("a", 100), *[victim("b", -9)] * 2), "priority_sum", False),
        (candidate("n", victim("a", 100, 4), victim("b", 50, 9)), "earliest_start", False),
        (candidate("n", victim("a", 100, 6), victim("b", 50, 0)), "earliest_start", True),
        (candidate("n", victim("a", 100, None), victim("b", 50, 1)), "earliest_start", True),
        (candidate("n", victim("a", 100, 5), victim("b", 50, 7)), None, None),
    ],
)
def test_the_first_criterion_that_differs(
    other: Candidate, criterion: str | None, better: bool | None
) -> None:
    found = compare(Criteria.of(other), Criteria.of(BEST))
    assert (found.criterion if found else None) == criterion
    assert (found.better if found else None) == better


def test_criteria_of_a_candidate() -> None:
    made = Criteria.of(candidate("n", victim("a", 7, 9), victim("b", 7, 3), victim("c", -2, 1)))
    assert made == Criteria(0, 7, 3 * PRIORITY_OFFSET + 12, 3, 3)


PODS = st.builds(lambda p, s: victim("v", p, s), st.integers(-3, 3), st.none() | st.integers(0, 3))
VICTIMS = st.lists(PODS, min_size=1, max_size=3).map(
    lambda pods: tuple(sorted(pods, key=lambda p: -p.priority))
)
CANDIDATES = st.builds(Candidate, st.just("n"), VICTIMS, st.integers(0, 2))


@given(CANDIDATES, CANDIDATES)
def test_comparing_is_the_same_both_ways(one: Candidate, other: Candidate) -> None:
    there, back = (
        compare(Criteria.of(one), Criteria.of(other)),
        compare(Criteria.of(other), Criteria.of(one)),
    )
    if there is None or back is None:
        assert there is back
    else:
        assert there.criterion == back.criterion
        assert there.better is not back.better


# A verdict for every node


def test_verdicts_of_a_nomination() -> None:
    names = ["chosen", "worse", "equal", "better", "tainted", "in-vain", "not-tried"]
    decision = Decision(
        "fast-path",
        Outcome.NOMINATED,
        Pod("ns", "p", priority=1000),
        node="chosen",
        victims=(victim(),),
        candidates=(
            candidate("chosen"),
            candidate("worse", violations=1),
            candidate("equal"),
            candidate("better", victim(priority=1)),
        ),
        statuses=dict.fromkeys(names, TIGHT) | {"tainted": TAINTED},
        dry_run_failures={"in-vain": NodeStatus(Code.UNSCHEDULABLE, "X", ("still too little",))},
    )
    verdicts = {node.node: node for node in explain_nodes(decision, cluster(*names))}
    assert {name: node.verdict for name, node in verdicts.items()} == {
        "chosen": Verdict.CHOSEN,
        "worse": Verdict.LOST,
        "equal": Verdict.TIED,
        "better": Verdict.PASSED_OVER,
        "tainted": Verdict.CANNOT_HELP,
        "in-vain": Verdict.NO_CANDIDATE,
        "not-tried": Verdict.NOT_TRIED,
    }
    assert verdicts["in-vain"].reasons == ("still too little",)
    assert verdicts["tainted"].reasons == TAINTED.reasons
    assert verdicts["not-tried"].filter == TIGHT


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome.FEASIBLE, "without preemption"),
        (Outcome.NOT_ELIGIBLE, "may not preempt"),
        (Outcome.TIMED_OUT, "time was over"),
        (Outcome.NOMINATED, "search was over"),
    ],
)
def test_why_a_node_was_not_tried(outcome: Outcome, words: str) -> None:
    statuses = {"a": FREE, "b": TIGHT}
    decision = Decision("upstream", outcome, Pod("ns", "p"), node="a", statuses=statuses)
    nodes = list(explain_nodes(decision, cluster("a", "b")))
    assert nodes[0].verdict == Verdict.CHOSEN
    assert words in nodes[1].reasons[0]


def test_other_feasible_nodes_fit_too() -> None:
    decision = Decision(
        "upstream", Outcome.FEASIBLE, Pod("ns", "p"), node="a", statuses={"a": FREE, "b": FREE}
    )
    assert [n.verdict for n in explain_nodes(decision, cluster("a", "b"))] == [
        Verdict.CHOSEN,
        Verdict.FITS_TOO,
    ]


@pytest.mark.parametrize(
    ("pdb", "labels", "covered"),
    [
        (PodDisruptionBudget("ns", "b", LabelSelector({"a": "b"}), 1), {"a": "b"}, True),
        (PodDisruptionBudget("other", "b", LabelSelector({"a": "b"}), 1), {"a": "b"}, False),
        (PodDisruptionBudget("ns", "b", LabelSelector(), 1), {"a": "b"}, False),
        (PodDisruptionBudget("ns", "b", None, 1), {"a": "b"}, False),
        (
            PodDisruptionBudget(
                "ns", "b", LabelSelector({}, (Requirement("z", "DoesNotExist"),)), 1
            ),
            {},
            False,
        ),
    ],
)
def test_budgets_of_a_victim(
    pdb: PodDisruptionBudget, labels: dict[str, str], covered: bool
) -> None:
    pod = Pod("ns", "v", labels=labels)
    decision = Decision("upstream", Outcome.NOMINATED, Pod("ns", "p"), victims=(pod,))
    [explained] = explain_victims(decision, ClusterState(pdbs=(pdb,)))
    assert bool(explained.budgets) is covered


# Reports


def answer(name: str, strategy: str = "upstream", **options: object) -> Answer:
    scenario = make_scenario(name)
    decision = make_strategy(strategy, scenario.cluster, **options).preempt(scenario.preemptors[0])
    return Answer(decision, LoadedCluster(scenario.cluster), f"scenario {name}", 0, options)


@pytest.mark.parametrize("strategy", STRATEGY_NAMES)
@pytest.mark.parametrize("name", ["edge-10", "edge-10-as-published", "mixed-100"])
def test_every_node_is_told_of_once(name: str, strategy: str) -> None:
    made = answer(name, strategy)
    chosen = [n.node for n in made.nodes if n.verdict == Verdict.CHOSEN]
    told = [n.node for group in group_nodes(made) for n in group.nodes]
    assert chosen == [made.decision.node]
    assert sorted(told + chosen) == sorted(n.name for n in made.loaded.cluster.nodes)


@pytest.mark.parametrize("strategy", ["upstream", "upstream-one-candidate"])
def test_upstream_passes_no_better_candidate_over(strategy: str) -> None:
    verdicts = {node.verdict for node in answer("mixed-100", strategy).nodes}
    assert Verdict.PASSED_OVER not in verdicts


def test_ties_are_those_of_the_decision() -> None:
    for name in ("edge-10", "mixed-100", "preemption-basic"):
        made = answer(name, all_candidates=True)
        tied = {n.node for n in made.nodes if n.verdict in (Verdict.TIED, Verdict.CHOSEN)}
        assert tied == set(made.decision.tie_set)


def test_the_text_of_a_scenario() -> None:
    lines = to_text(answer("pdb-violation-beats-priority")).splitlines()
    assert lines[0] == "Pod default/preemptor, priority 10000, asks for cpu 500m."
    assert "Strategy upstream preempts 1 pod on node n1, with 0 PDB violations." in lines
    assert "  default/high  1000      500m  256Mi   2026-01-01T00:00:00Z" in lines
    assert "  1  lost to n1 in PDB violations (chosen: 0)" in lines
    assert "     n2: 1; would preempt default/mid" in lines


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("name", ["edge-10", "mixed-100", "preemption-basic"])
def test_text_keeps_to_the_width(name: str, width: int) -> None:
    longest = max(map(len, to_text(answer(name), 3, width).splitlines()))
    assert longest <= max(width, 76)


def test_examples_are_as_many_as_asked_for() -> None:
    made = answer("edge-10")
    assert "edge-node-1" not in to_text(made, examples=0)
    assert to_text(made, examples=99).count("would preempt") == 9


def test_the_runner_up_comes_first_in_its_group() -> None:
    for group in group_nodes(answer("mixed-100", all_candidates=True)):
        ranks = [node.criteria.rank for node in group.nodes if node.criteria]
        assert ranks == sorted(ranks)


def test_owners_that_bring_their_pods_back_are_noted() -> None:
    pods = (
        Pod("ns", "d", node_name="n", requests={"cpu": 9}, controller_kind="DaemonSet"),
        Pod("ns", "s", node_name="n", requests={"cpu": 1}, controller_kind="Node"),
    )
    state = ClusterState((Node("n", {"cpu": 10, "memory": 1, "pods": 9}),), pods)
    decision = make_strategy("upstream", state).preempt(Pod("ns", "p", "", 9, {"cpu": 10}))
    text = to_text(Answer(decision, LoadedCluster(state), "x", 0))
    assert "ns/d belongs to a DaemonSet" in text
    assert "ns/s is a static pod" in text


@pytest.mark.parametrize(
    ("resource", "value", "text"),
    [
        ("cpu", 1500, "1500m"),
        ("cpu", 2000, "2"),
        ("memory", 2 * 1024**3, "2Gi"),
        ("memory", 0, "0"),
        ("memory", 1000, "1000"),
        ("memory", 4207385846, "~3.9Gi"),
        ("hugepages-2Mi", 2 * 1024**2, "2Mi"),
        ("example.com/gpu", 3, "3"),
    ],
)
def test_amounts(resource: str, value: int, text: str) -> None:
    assert amount(resource, value) == text


def test_requests_and_times() -> None:
    assert requests_text({"example.com/a": 1, "memory": 1024, "cpu": 1}) == (
        "cpu 1m, memory 1Ki, example.com/a 1"
    )
    assert requests_text({}) == "nothing"
    assert time_text(None) == "not started"
    assert time_text(0) == "1970-01-01T00:00:00Z"
    assert time_text(10**30) == f"{10**30} ns"


@pytest.mark.shared
@pytest.mark.parametrize("family", ["facts", "ties", "pdb", "negative_priority", "mixed"])
def test_criteria_are_those_the_scheduler_recorded(shared_dir: Path, family: str) -> None:
    """Criteria and verdicts agree with the keys and acceptable nodes of the real scheduler."""
    path = shared_dir / "oracle" / "preemption" / f"{family}.jsonl.gz"
    checked = 0
    for case in read_cases(path):
        expected = {c["node"]: c for c in case.expected["candidates"]}
        decision = decide(case)
        for node in explain_nodes(decision, case.cluster()):
            recorded = expected.get(node.node)
            if node.criteria is None or recorded is None or recorded.get("orderSensitive"):
                continue
            key, start = recorded["key"], node.criteria.earliest_start
            assert node.criteria.pdb_violations == key["numPDBViolations"]
            assert node.criteria.highest_priority == key["highestPriority"]
            assert node.criteria.priority_sum == key["sumPriorities"]
            assert node.criteria.victims == key["numVictims"]
            if start is not None:
                assert time_text(start) == key["earliestStartOfHighest"]
            acceptable = node.node in case.expected["acceptableNodes"]
            if not case.expected["orderSensitive"]:
                assert acceptable == (node.verdict in (Verdict.CHOSEN, Verdict.TIED)), case.name
            checked += 1
    assert checked > 10
