"""The strategy fast-path: always a valid answer, and upstream's wherever there is no choice."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from builders.crowded import crowded_clusters
from builders.scheduling import cluster, node, pdb, pod, preemptor
from kep_preemption.decision import Code, Decision, Outcome
from kep_preemption.errors import UsageError
from kep_preemption.objects import ClusterState, HostPort, Pod
from kep_preemption.strategies import make_strategy

PORT = (HostPort("0.0.0.0", "TCP", 80),)


def fast_path(state: ClusterState, waiting: Pod, **options: object) -> Decision:
    return make_strategy("fast-path", state, **{"budget_seconds": None, **options}).preempt(waiting)


def upstream(state: ClusterState, waiting: Pod) -> Decision:
    return make_strategy("upstream", state, all_candidates=True).preempt(waiting)


def assert_valid(state: ClusterState, decision: Decision) -> None:
    """Check that the preemptor fits the node once the victims are gone, and not before."""
    assert decision.victims
    assert all(v.node_name == decision.node for v in decision.victims)
    assert all(v.priority < decision.preemptor.priority for v in decision.victims)
    assert decision.statuses[decision.node].code is Code.UNSCHEDULABLE
    gone = {victim.key for victim in decision.victims}
    without = replace(state, pods=tuple(p for p in state.pods if p.key not in gone))
    after = make_strategy("upstream", without).preempt(decision.preemptor)
    assert after.statuses[decision.node].code is Code.SUCCESS


@given(crowded_clusters())
def test_nominates_a_valid_candidate_whenever_upstream_does(case: tuple[ClusterState, Pod]) -> None:
    state, waiting = case
    decision, expected = fast_path(state, waiting), upstream(state, waiting)
    assert decision.outcome is expected.outcome
    if decision.outcome is Outcome.NOMINATED:
        assert_valid(state, decision)
        # Victims are those of upstream's own search on that node.
        same_node = next(c for c in expected.candidates if c.node == decision.node)
        assert decision.victims == same_node.victims
        assert decision.num_pdb_violations == same_node.num_pdb_violations
    if decision.outcome is Outcome.NO_CANDIDATE:
        assert decision.tried == decision.potential == expected.tried


@given(crowded_clusters(max_nodes=1))
def test_agrees_with_upstream_on_one_node(case: tuple[ClusterState, Pod]) -> None:
    state, waiting = case
    decision, expected = fast_path(state, waiting), upstream(state, waiting)
    assert (decision.outcome, decision.node, decision.victims, decision.num_pdb_violations) == (
        expected.outcome,
        expected.node,
        expected.victims,
        expected.num_pdb_violations,
    )
    assert dict(decision.dry_run_failures) == dict(expected.dry_run_failures)


@given(crowded_clusters())
def test_the_answer_is_the_first_that_fits_in_score_order(case: tuple[ClusterState, Pod]) -> None:
    state, waiting = case
    strategy = make_strategy("fast-path", state, budget_seconds=None)
    decision, expected = strategy.preempt(waiting), upstream(state, waiting)
    assert strategy.preempt(waiting) == decision
    if decision.outcome is Outcome.NOMINATED:
        names = [n.name for n in state.nodes]
        potential = [n for n, s in decision.statuses.items() if s.code is Code.UNSCHEDULABLE]
        rows = np.array([names.index(name) for name in potential])
        order = [names[row] for row in strategy.score(waiting).order(rows).tolist()]
        candidates = {c.node for c in expected.candidates}
        assert decision.node == next(name for name in order if name in candidates)


@given(crowded_clusters())
def test_avoiding_violations_never_violates_without_need(case: tuple[ClusterState, Pod]) -> None:
    state, waiting = case
    decision = fast_path(state, waiting, avoid_violations=True)
    expected = upstream(state, waiting)
    assert decision.outcome is expected.outcome
    if decision.outcome is Outcome.NOMINATED:
        assert_valid(state, decision)
        assert decision.num_pdb_violations == expected.num_pdb_violations


def uniform() -> ClusterState:
    """Six nodes with four pods each of two priorities; n4 has the cheapest victims."""
    pods = [
        pod(f"p{n}-{i}", f"n{n}", 0 if n == 4 else 10 * (i % 2), 250, start_time=10 * n + i)
        for n in range(6)
        for i in range(4)
    ]
    return cluster([node(f"n{n}") for n in range(6)], pods)


def test_one_search_is_enough_where_the_score_is_exact() -> None:
    decision = fast_path(uniform(), preemptor(700))
    assert decision.node == "n4"
    assert decision.tried == 1
    assert decision.potential == 6
    assert len(decision.victims) == 3
    assert decision.node in upstream(uniform(), preemptor(700)).tie_set


def test_a_violating_node_comes_after_the_others() -> None:
    state = cluster(
        [node("n0"), node("n1")],
        [
            pod("cheap", "n0", 0, 1000, labels={"app": "a"}),
            pod("dear", "n1", 100, 1000, labels={"app": "b"}),
        ],
        [pdb("a", 0, {"app": "a"})],
    )
    assert fast_path(state, preemptor(500)).node == "n1"


def blocked_nodes(count: int) -> ClusterState:
    """Nodes whose room would do, but a pod that may not be evicted holds the host port."""
    pods = [
        p
        for n in range(count)
        for p in (
            pod(f"holder-{n}", f"n{n}", 10**6, 100, host_ports=PORT),
            pod(f"low-{n}", f"n{n}", 0, 900),
        )
    ]
    return cluster([node(f"n{n}") for n in range(count)], pods)


@pytest.mark.parametrize(
    ("step", "outcome", "tried"),
    [
        (0.0, Outcome.NO_CANDIDATE, 20),
        (0.6, Outcome.TIMED_OUT, 0),
        (0.3, Outcome.TIMED_OUT, 1),
        (0.2, Outcome.TIMED_OUT, 3),
        (0.11, Outcome.TIMED_OUT, 15),
    ],
)
def test_the_budget_ends_the_search(step: float, outcome: Outcome, tried: int) -> None:
    ticks = itertools.count()
    strategy = make_strategy("fast-path", blocked_nodes(20), clock=lambda: step * next(ticks))
    decision = strategy.preempt(preemptor(500, host_ports=PORT))
    assert decision.outcome is outcome
    assert decision.tried == tried
    assert len(decision.dry_run_failures) == tried
    assert decision.node == ""
    if outcome is Outcome.TIMED_OUT:
        assert decision.reason


def test_what_was_found_before_the_time_out_is_used_if_violations_are_avoided() -> None:
    pods = [pod(f"p{n}", f"n{n}", 0, 1000, labels={"app": "a"}) for n in range(4)]
    state = cluster([node(f"n{n}") for n in range(4)], pods, [pdb("a", 0, {"app": "a"})])
    ticks = itertools.count()
    strategy = make_strategy(
        "fast-path", state, clock=lambda: 0.2 * next(ticks), avoid_violations=True
    )
    decision = strategy.preempt(preemptor(500))
    assert decision.outcome is Outcome.TIMED_OUT
    assert decision.node == "n0"
    assert decision.num_pdb_violations == 1
    assert_valid(state, decision)
    assert "3 of 4 nodes tried" in decision.reason


@pytest.mark.parametrize("seconds", [-1, float("nan")])
def test_an_impossible_budget_is_refused(seconds: float) -> None:
    with pytest.raises(UsageError, match=f"budget_seconds: {seconds} is no span of time"):
        fast_path(uniform(), preemptor(500), budget_seconds=seconds)


def test_preemptors_between_the_same_priorities_share_a_layout() -> None:
    strategy = make_strategy("fast-path", uniform())
    layouts = {id(strategy._layout(level)) for level in (0, 1, 2)}
    assert len(layouts) == 3
    for priority, victims in ((11, 3), (10, 2), (5, 2), (1, 2)):
        cpu = 700 if victims == 3 else 500
        assert len(strategy.preempt(preemptor(cpu, priority)).victims) == victims
    assert strategy._layout.cache_info().misses == 3
