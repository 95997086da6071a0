"""What holds for every cluster and every preemptor."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.random_clusters import (
    clusters,
    constrained_clusters,
    constrained_preemptors,
    preemptors,
)
from kep_preemption.decision import Code, Decision, Outcome
from kep_preemption.framework.runtime import Filters
from kep_preemption.objects import ClusterState, Pod
from kep_preemption.plugins import DEFAULT_PLUGINS
from kep_preemption.preemption.evaluator import Evaluator
from kep_preemption.preemption.victims import select_victims_on_node
from kep_preemption.snapshot import Snapshot
from kep_preemption.strategies import make_strategy

MANY = settings(max_examples=150, deadline=None)


def decide(state: ClusterState, waiting: Pod, **options: object) -> Decision:
    return make_strategy("upstream", state, all_candidates=True, **options).preempt(waiting)


@MANY
@given(clusters(most_pods=60), preemptors())
def test_lockstep_is_node_by_node(state: ClusterState, waiting: Pod) -> None:
    evaluator = Evaluator(Snapshot.of(state))
    filtering = evaluator.filter(waiting)
    run = evaluator.dry_run(filtering, np.arange(len(state.nodes)))
    for node in range(len(state.nodes)):
        if filtering.verdicts.unresolvable[node]:
            continue
        alone = select_victims_on_node(filtering.filters, evaluator.snapshot, node, waiting)
        victims = tuple(evaluator.snapshot.pods.pods[i] for i in run.victims_of(node))
        assert (victims, run.violations[node]) == (alone.pods, alone.num_pdb_violations)
        assert run.verdicts.status(node) == alone.status


@MANY
@given(constrained_clusters(), constrained_preemptors())
def test_lockstep_is_node_by_node_with_ties_to_other_pods(
    state: ClusterState, waiting: Pod
) -> None:
    test_lockstep_is_node_by_node.hypothesis.inner_test(state, waiting)


@MANY
@given(constrained_clusters(), constrained_preemptors(), st.data())
def test_ties_to_other_pods_are_as_if_built_so(
    state: ClusterState, waiting: Pod, data: st.DataObject
) -> None:
    """Each node is a hypothesis of its own, so pods go from one node at a time."""
    snapshot = Snapshot.of(state)
    bound = snapshot.pods.pods[: snapshot.pods.bound]
    for node in range(len(state.nodes)):
        if _shares_a_port(state, state.nodes[node].name):
            continue
        gone = [i for i in snapshot.pods.on_node(node) if data.draw(st.booleans())]
        filters = Filters.pre_filter(waiting, snapshot, DEFAULT_PLUGINS)
        filters.remove_pods(*_at(snapshot, gone))
        missing = {id(bound[i]) for i in gone}
        rebuilt = replace(state, pods=tuple(pod for pod in state.pods if id(pod) not in missing))
        expected = Filters.pre_filter(waiting, Snapshot.of(rebuilt), DEFAULT_PLUGINS).filter()
        assert filters.filter().status(node) == expected.status(node)


@MANY
@given(clusters(), preemptors())
def test_victims_are_of_lower_priority_and_enough(state: ClusterState, waiting: Pod) -> None:
    """A cluster without the victims takes the pod on that node."""
    decision = decide(state, waiting)
    for candidate in decision.candidates:
        assert candidate.victims
        assert all(victim.priority < waiting.priority for victim in candidate.victims)
        assert all(victim.node_name == candidate.node for victim in candidate.victims)
        left = tuple(pod for pod in state.pods if pod not in candidate.victims)
        after = decide(replace(state, pods=left), waiting)
        if not _shares_a_port(state, candidate.node):
            assert after.statuses[candidate.node].code is Code.SUCCESS


@MANY
@given(clusters(), preemptors())
def test_no_single_victim_can_come_back(state: ClusterState, waiting: Pod) -> None:
    """Resources and ports only grow, so each victim alone breaks the fit.

    The set may still not be the smallest: another choice of victims can be smaller.
    """
    for candidate in decide(state, waiting).candidates:
        if _shares_a_port(state, candidate.node):
            continue
        for victim in candidate.victims:
            others = [other for other in candidate.victims if other is not victim]
            left = tuple(pod for pod in state.pods if pod not in others)
            after = decide(replace(state, pods=left), waiting)
            assert after.statuses[candidate.node].code is not Code.SUCCESS


def _shares_a_port(state: ClusterState, node: str) -> bool:
    """Tell whether two pods of the node hold one port: upstream frees it with either of them."""
    ports = [port for pod in state.pods if pod.node_name == node for port in pod.host_ports]
    return len(ports) > len(set(ports))


@MANY
@given(clusters(), preemptors(), st.randoms(use_true_random=False))
def test_the_order_of_nodes_changes_nothing(
    state: ClusterState, waiting: Pod, draw: random.Random
) -> None:
    nodes = list(state.nodes)
    draw.shuffle(nodes)
    first, second = decide(state, waiting), decide(replace(state, nodes=tuple(nodes)), waiting)
    assert dict(first.statuses) == dict(second.statuses)
    assert set(first.tie_set) == set(second.tie_set)
    assert {c.node: c for c in first.candidates} == {c.node: c for c in second.candidates}


@MANY
@given(clusters(), preemptors(), st.randoms(use_true_random=False))
def test_the_order_of_pods_changes_nothing_but_ties(
    state: ClusterState, waiting: Pod, draw: random.Random
) -> None:
    pods = [replace(pod, start_time=i) for i, pod in enumerate(state.pods)]
    first = decide(replace(state, pods=tuple(pods)), waiting)
    draw.shuffle(pods)
    second = decide(replace(state, pods=tuple(pods)), waiting)
    assert dict(first.statuses) == dict(second.statuses)
    assert first.tie_set == second.tie_set
    assert first.candidates == second.candidates


@MANY
@given(clusters(), preemptors(), st.data())
def test_removing_and_adding_is_as_if_built_so(
    state: ClusterState, waiting: Pod, data: st.DataObject
) -> None:
    """Filters after removing pods, and adding some again, are those of a cluster without them."""
    snapshot = Snapshot.of(state)
    bound = snapshot.pods.pods[: snapshot.pods.bound]
    gone = [i for i, pod in enumerate(bound) if data.draw(st.booleans())]
    back = [i for i in gone if data.draw(st.booleans())]
    if any(_shares_a_port(state, node.name) for node in state.nodes):
        return
    filters = Filters.pre_filter(waiting, snapshot, DEFAULT_PLUGINS)
    filters.remove_pods(*_at(snapshot, gone))
    filters.add_pods(*_at(snapshot, back))
    missing = {id(bound[i]) for i in set(gone) - set(back)}
    rebuilt = replace(state, pods=tuple(pod for pod in state.pods if id(pod) not in missing))
    expected = Filters.pre_filter(waiting, Snapshot.of(rebuilt), DEFAULT_PLUGINS).filter()
    found = filters.filter()
    for node in range(len(state.nodes)):
        assert found.status(node) == expected.status(node)


def _at(snapshot: Snapshot, pods: list[int]) -> tuple[np.ndarray, np.ndarray]:
    indexes = np.array(pods, dtype=np.int64)
    return snapshot.pods.node[indexes], indexes


@MANY
@given(constrained_clusters(), constrained_preemptors(), st.booleans())
def test_a_range_of_nodes_is_as_good_as_their_positions(
    state: ClusterState, waiting: Pod, removed: bool
) -> None:
    snapshot = Snapshot.of(state)
    first = [i for i in range(len(state.nodes)) if len(snapshot.pods.on_node(i))]
    if first != list(range(len(first))):
        return
    pods = snapshot.pods.offsets[: len(first)]
    by_range, by_position = (Filters.pre_filter(waiting, snapshot, DEFAULT_PLUGINS) for _ in "ab")
    for filters, at in ((by_range, slice(0, len(first))), (by_position, snapshot.pods.node[pods])):
        (filters.remove_pods if removed else filters.add_pods)(at, pods)
    found, expected = by_range.filter(), by_position.filter()
    assert [found.status(i) for i in range(3)] == [expected.status(i) for i in range(3)]


@MANY
@given(clusters(), preemptors(), st.integers(0, 100), st.integers(1, 3))
def test_a_capped_search_finds_a_part(
    state: ClusterState, waiting: Pod, seed: int, number: int
) -> None:
    """Fewer candidates, but the same ones; more than asked for only in want of one unviolated."""
    everything = {candidate.node: candidate for candidate in decide(state, waiting).candidates}
    strategy = make_strategy(
        "upstream",
        state,
        rng=random.Random(seed),
        min_candidate_nodes_percentage=0,
        min_candidate_nodes_absolute=number,
    )
    capped = strategy.preempt(waiting)
    found = list(capped.candidates)
    assert all(everything[candidate.node] == candidate for candidate in found)
    assert bool(found) == bool(everything)
    if len(found) < len(everything):
        assert len(found) >= number
        assert any(candidate.num_pdb_violations == 0 for candidate in found)
    if len(found) > number:
        assert all(candidate.num_pdb_violations for candidate in found[:-1])
    assert capped.tried == len(found) + len(capped.dry_run_failures)


@MANY
@given(clusters(), preemptors(), st.integers(0, 5))
def test_one_seed_one_decision(state: ClusterState, waiting: Pod, seed: int) -> None:
    first, second = (
        make_strategy("upstream-one-candidate", state, rng=random.Random(seed)).preempt(waiting)
        for _ in range(2)
    )
    assert (first.node, first.victims, first.tried) == (second.node, second.victims, second.tried)
    if first.outcome is Outcome.NOMINATED:
        assert first.node in first.tie_set
