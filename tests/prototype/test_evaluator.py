"""Upstream's steps: who is eligible, how many candidates, who is chosen."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from builders.scheduling import cluster, node, pdb, pod, preemptor
from kep_preemption.decision import Decision, Outcome
from kep_preemption.errors import UsageError
from kep_preemption.objects import ClusterState, Pod
from kep_preemption.preemption.default_preemption import DefaultPreemptionArgs
from kep_preemption.strategies import make_strategy

GUARDED = {"guarded": "yes"}
EXHAUSTED = pdb("exhausted", 0, GUARDED)


def decide(state: ClusterState, waiting: Pod, **options: object) -> Decision:
    return make_strategy("upstream", state, all_candidates=True, **options).preempt(waiting)


def names(decision: Decision) -> list[str]:
    return [victim.name for victim in decision.victims]


def test_a_lower_highest_victim_wins_when_both_violate() -> None:
    pods = [
        pod("high", "n1", 1000, 500),
        pod("low", "n1", 0, 500, labels=GUARDED),
        pod("mid", "n2", 100, 1000, labels=GUARDED),
    ]
    decision = decide(cluster([node("n1"), node("n2")], pods, [EXHAUSTED]), preemptor(1000))
    assert (decision.node, names(decision), decision.num_pdb_violations) == ("n2", ["mid"], 1)


def test_no_violation_beats_a_lower_victim() -> None:
    """Surprising and upstream's: the budget saves `low`, so `high` dies."""
    pods = [
        pod("high", "n1", 1000, 500),
        pod("low", "n1", 0, 500, labels=GUARDED),
        pod("mid", "n2", 100, 1000, labels=GUARDED),
    ]
    decision = decide(cluster([node("n1"), node("n2")], pods, [EXHAUSTED]), preemptor(500))
    assert (decision.node, names(decision), decision.num_pdb_violations) == ("n1", ["high"], 0)


def test_pods_of_equal_priority_are_no_victims() -> None:
    state = cluster([node("n")], [pod("p", "n", 10_000, 1000)])
    decision = decide(state, preemptor(1000))
    assert decision.outcome is Outcome.NO_CANDIDATE
    assert decision.dry_run_failures["n"].reasons == (
        "No preemption victims found for incoming pod",
    )
    assert "none of the 1 nodes tried" in decision.reason


def test_greedy_reprieve_is_not_minimal() -> None:
    """`a` alone would do, but it is the most important and reprieved first."""
    pods = [
        pod("a", "n", 2, 500, start_time=1),
        pod("b", "n", 1, 400, start_time=1),
        pod("c", "n", 0, 100, start_time=1),
    ]
    decision = decide(cluster([node("n")], pods), preemptor(500))
    assert names(decision) == ["b", "c"]


@pytest.mark.parametrize(
    ("left", "right", "winner"),
    [
        # Each pair differs in one criterion; pods are (priority, start) and fill their node.
        ([(5, 1)], [(4, 1)], "right"),
        ([(5, 1), (4, 1)], [(5, 1), (3, 1)], "right"),
        ([(5, 1), (4, 1)], [(5, 1)], "right"),
        ([(5, 1)], [(5, 2)], "right"),
        ([(5, 1), (4, 9)], [(5, 2), (4, 1)], "right"),
        ([(5, 1)], [(5, None)], "right"),
        ([(-5, 1), (-5, 1)], [(-5, 1)], "right"),
    ],
)
def test_criteria_one_after_the_other(left, right, winner: str) -> None:
    pods = [
        pod(f"{name}-{i}", name, priority, 1000 // len(shapes), start_time=start)
        for name, shapes in (("left", left), ("right", right))
        for i, (priority, start) in enumerate(shapes)
    ]
    decision = decide(cluster([node("left"), node("right")], pods), preemptor(1000))
    assert (decision.node, decision.tie_set) == (winner, (winner,))


def test_ties_are_broken_by_the_rule_given() -> None:
    nodes = [node(name) for name in "abc"]
    state = cluster(nodes, [pod(f"p{name}", name, 1, 1000, start_time=1) for name in "abc"])
    assert decide(state, preemptor(1000)).tie_set == ("a", "b", "c")
    assert decide(state, preemptor(1000)).node == "a"
    last = decide(state, preemptor(1000), tie_break=lambda tied: tied[-1])
    assert (last.node, names(last)) == ("c", ["pc"])


def test_preemption_policy_never() -> None:
    state = cluster([node("n")], [pod("p", "n", 0, 1000)])
    decision = decide(state, replace(preemptor(1000), preemption_policy="Never"))
    assert decision.outcome is Outcome.NOT_ELIGIBLE
    assert decision.reason == "not eligible due to preemptionPolicy=Never."
    assert (decision.potential, decision.tried) == (1, 0)


LEAVING = pod("p", "n", 0, 1000, terminating=True, preempted_by_scheduler=True)


@pytest.mark.parametrize(
    ("running", "nominated", "outcome"),
    [
        (LEAVING, "n", Outcome.NOT_ELIGIBLE),
        (LEAVING, "", Outcome.NOMINATED),
        (LEAVING, "gone", Outcome.NOMINATED),
        (replace(LEAVING, preempted_by_scheduler=False), "n", Outcome.NOMINATED),
        (replace(LEAVING, terminating=False), "n", Outcome.NOMINATED),
        (replace(LEAVING, priority=10_000), "n", Outcome.NO_CANDIDATE),
    ],
)
def test_waiting_for_victims_on_the_nominated_node(
    running: Pod, nominated: str, outcome: Outcome
) -> None:
    waiting = replace(preemptor(1000), nominated_node_name=nominated)
    assert decide(cluster([node("n")], [running]), waiting).outcome is outcome


def test_an_unresolvable_nominated_node_makes_eligible_again() -> None:
    state = cluster([replace(node("n"), unschedulable=True)], [LEAVING])
    decision = decide(state, replace(preemptor(1000), nominated_node_name="n"))
    assert decision.outcome is Outcome.NO_CANDIDATE


def test_a_feasible_nominated_node_is_tried_first() -> None:
    state = cluster([node("a"), node("b")])
    decision = decide(state, replace(preemptor(10), nominated_node_name="b"))
    assert (decision.outcome, decision.node) == (Outcome.FEASIBLE, "b")
    assert decide(state, preemptor(10)).tie_set == ("a", "b")


def test_lower_nominations_to_the_node_are_cleared() -> None:
    waiting = pod("other", priority=5, cpu=1000, nominated_node_name="n")
    state = cluster([node("n")], [pod("p", "n", 0, 1000), waiting])
    assert decide(state, preemptor(1000)).clears_nominations == ("default/other",)


def test_no_nodes() -> None:
    decision = decide(cluster([]), preemptor(1))
    assert (decision.outcome, decision.reason) == (Outcome.NO_CANDIDATE, "no nodes available")


@pytest.mark.parametrize(
    ("percentage", "absolute", "potential", "number"),
    [
        (10, 100, 50, 50),
        (10, 100, 500, 100),
        (10, 100, 5000, 500),
        (0, 1, 5000, 1),
        (100, 1, 5000, 5000),
        (33, 0, 10, 3),
    ],
)
def test_number_of_candidates(percentage, absolute, potential, number) -> None:
    args = DefaultPreemptionArgs(percentage, absolute)
    assert args.number_of_candidates(potential) == number


@pytest.mark.parametrize(("percentage", "absolute"), [(-1, 1), (101, 1), (10, -1), (0, 0)])
def test_arguments_that_kube_scheduler_refuses(percentage: int, absolute: int) -> None:
    with pytest.raises(UsageError):
        DefaultPreemptionArgs(percentage, absolute)


def full_nodes(count: int, guarded: frozenset[int] = frozenset()) -> ClusterState:
    return cluster(
        [node(f"n{i}") for i in range(count)],
        [
            pod(f"p{i}", f"n{i}", 1, 1000, start_time=1, labels=GUARDED if i in guarded else {})
            for i in range(count)
        ],
        [EXHAUSTED],
    )


@pytest.mark.parametrize("offset", range(5))
def test_the_search_begins_at_the_offset(offset: int) -> None:
    class Fixed(random.Random):
        def randrange(self, *args: int) -> int:  # type: ignore[override]
            return offset

    made = make_strategy("upstream-one-candidate", full_nodes(5), rng=Fixed())
    decision = made.preempt(preemptor(1000))
    assert (decision.node, decision.tried, decision.potential) == (f"n{offset}", 1, 5)


def test_the_search_goes_on_until_a_candidate_without_violation() -> None:
    state = full_nodes(200, frozenset(range(200)) - {150})
    decision = make_strategy("upstream-one-candidate", state).preempt(preemptor(1000))
    assert decision.node == "n150"
    assert len(decision.candidates) == decision.tried > 1


def test_options_that_do_not_exist() -> None:
    with pytest.raises(UsageError, match="no such strategy"):
        make_strategy("fastest", cluster([]))
    with pytest.raises(UsageError, match="has no option limit"):
        make_strategy("upstream", cluster([]), limit=1)


def test_what_is_not_modelled_is_refused_unless_allowed() -> None:
    waiting = replace(preemptor(1), unmodelled=("resourceClaims",))
    with pytest.raises(UsageError, match="uses resourceClaims, which is not modelled"):
        decide(cluster([node("n")]), waiting)
    decision = decide(cluster([node("n")]), waiting, allow_unmodelled=True)
    assert decision.outcome is Outcome.FEASIBLE
    assert "not modelled: the preemptor's resourceClaims" in decision.reason
