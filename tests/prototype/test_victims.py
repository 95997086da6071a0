"""Who must go on one node, by both forms of the search: node by node and in lockstep."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from builders.scheduling import cluster, node, pdb, pod, preemptor
from kep_preemption.objects import (
    ClusterState,
    HostPort,
    Pod,
    PodAffinityTerm,
    TopologySpreadConstraint,
)
from kep_preemption.preemption.evaluator import Evaluator
from kep_preemption.preemption.victims import select_victims_on_node
from kep_preemption.selectors import LabelSelector
from kep_preemption.snapshot import Snapshot

GUARDED = {"guarded": "yes"}
WEB = {"app": "web"}
HTTP = HostPort("0.0.0.0", "TCP", 80)


def victims(state: ClusterState, waiting: Pod, on: int = 0) -> tuple[list[str], int]:
    """Names and violations, the same by both forms."""
    evaluator = Evaluator(Snapshot.of(state))
    filtering = evaluator.filter(waiting)
    alone = select_victims_on_node(filtering.filters, evaluator.snapshot, on, waiting)
    run = evaluator.dry_run(filtering, filtering.filters.nodes[on : on + 1])
    together = [evaluator.snapshot.pods.pods[i] for i in run.victims_of(0)]
    assert together == list(alone.pods)
    assert run.violations[0] == alone.num_pdb_violations
    assert run.verdicts.status(0) == alone.status
    return [pod.name for pod in alone.pods], alone.num_pdb_violations


def on_full_node(pods: Sequence[Pod], allowed: int | None = None, cpu: int = 1000) -> ClusterState:
    budgets = [] if allowed is None else [pdb("b", allowed, GUARDED)]
    return cluster([node("n", cpu=cpu)], pods, budgets)


def low(name: str, cpu: int = 250, **other: object) -> Pod:
    return pod(name, "n", 1, cpu, **{"start_time": 1, **other})


def test_the_budget_is_spent_by_those_reprieved_too() -> None:
    """Three match and one may go: the most important takes the budget and is the victim."""
    pods = [low(name, 300, labels=GUARDED, start_time=i) for i, name in enumerate("abc")]
    assert victims(on_full_node(pods, 1, 900), preemptor(300)) == (["a"], 0)


def test_violating_pods_are_reprieved_first_and_counted_when_they_are_not() -> None:
    pods = [low("plain", 500), low("guarded", 500, labels=GUARDED)]
    assert victims(on_full_node(pods, 0), preemptor(500)) == (["plain"], 0)
    assert victims(on_full_node(pods, 0), preemptor(1000)) == (["guarded", "plain"], 1)


@pytest.mark.parametrize(
    ("start", "order"),
    [(1, ["b", "d", "a", "c"]), (None, ["a", "c", "b", "d"])],
)
def test_pods_alike_lie_in_the_order_of_reprieve(start: int | None, order: list[str]) -> None:
    """Started pods as they were turned to, violating first; others the other way round."""
    pods = [low(name, start_time=start, labels=GUARDED if name in "bd" else {}) for name in "abcd"]
    assert victims(on_full_node(pods, 0), preemptor(1000))[0] == order


def test_long_lists_of_pods_alike_follow_upstreams_sort() -> None:
    """Beyond 12 the sort is not stable, and what it does depends on who violates."""
    pods = [low(f"p{i}", 50, labels=GUARDED if i % 3 else {}) for i in range(20)]
    names, violations = victims(on_full_node(pods, 0), preemptor(1000))
    assert sorted(names) == sorted(pod.name for pod in pods)
    assert violations == 13
    assert names != [pod.name for pod in pods]


def test_a_port_is_free_when_its_holder_goes() -> None:
    pods = [low("http", host_ports=(HTTP,)), low("other")]
    assert victims(on_full_node(pods), preemptor(host_ports=(HTTP,))) == (["http"], 0)


def test_no_preemption_by_a_port_held_from_above() -> None:
    holder = pod("http", "n", 10_000, 250, host_ports=(HTTP,))
    assert victims(on_full_node([holder, low("a")]), preemptor(host_ports=(HTTP,))) == ([], 0)


def test_reprieve_leaves_room_for_nominated_pods() -> None:
    nominated = pod("first", priority=10_000, cpu=250, nominated_node_name="n")
    pods = [low(name, start_time=i) for i, name in enumerate("abcd")]
    assert victims(on_full_node([*pods, nominated]), preemptor(250)) == (["c", "d"], 0)


def test_terminating_pods_hold_their_room_and_can_be_victims() -> None:
    pods = [low("leaving", 500, terminating=True), low("a", 500, start_time=0)]
    assert victims(on_full_node(pods), preemptor(500)) == (["leaving"], 0)


ZONES = [node("n", labels={"zone": "a"}), node("m", labels={"zone": "b"})]


def test_spread_counts_what_is_left_in_the_domain() -> None:
    """Two of three must go: the other zone has one, and one more than that is allowed."""
    constraint = TopologySpreadConstraint("zone", 1, LabelSelector(WEB))
    pods = [low(name, 0, labels=WEB, start_time=i) for i, name in enumerate("abc")]
    other = pod("other", "m", 1, labels=WEB)
    state = cluster(ZONES, [*pods, other])
    waiting = preemptor(labels=WEB, spread=(constraint,))
    assert victims(state, waiting) == (["b", "c"], 0)


def test_spread_takes_the_own_domain_for_the_least_when_it_is() -> None:
    """Without its pods the zone is the emptiest; the skew is then that of the pod itself."""
    constraint = TopologySpreadConstraint("zone", 1, LabelSelector(WEB))
    others = [pod(f"o{i}", "m", 1, labels=WEB) for i in range(5)]
    state = cluster(ZONES, [low("a", 1000, labels=WEB), *others])
    waiting = preemptor(1000, labels=WEB, spread=(constraint,))
    assert victims(state, waiting) == (["a"], 0)
    state = cluster(ZONES, [low("a", 1000), *others])
    strict = TopologySpreadConstraint("zone", 1, LabelSelector({}), honor_affinity=False)
    assert victims(state, preemptor(1000, spread=(strict,)))[0] == ["a"]


def test_affinity_to_a_victim_rules_the_node_out() -> None:
    term = PodAffinityTerm(LabelSelector(WEB), "zone")
    state = cluster(ZONES, [low("web", 1000, labels=WEB)])
    assert victims(state, preemptor(1000, affinity=(term,))) == ([], 0)
    assert victims(state, preemptor(1000, affinity=(term,), labels=WEB)) == (["web"], 0)


def test_conflicts_from_another_node_are_never_solved() -> None:
    term = PodAffinityTerm(LabelSelector(WEB), "zone")
    nodes = [node("n", labels={"zone": "a"}), node("m", labels={"zone": "a"})]
    near = low("near", labels=WEB)
    assert victims(cluster(nodes, [near]), preemptor(anti_affinity=(term,))) == (["near"], 0)
    far = pod("far", "m", 1, labels=WEB)
    assert victims(cluster(nodes, [near, far]), preemptor(anti_affinity=(term,))) == ([], 0)
