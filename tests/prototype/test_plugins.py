"""Each filter's verdict and words, by cases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from builders.scheduling import GI, cluster, node, pod, preemptor
from kep_preemption.decision import Code, NodeStatus
from kep_preemption.errors import InputError
from kep_preemption.objects import (
    ClusterState,
    HostPort,
    Pod,
    PodAffinityTerm,
    Taint,
    Toleration,
    TopologySpreadConstraint,
)
from kep_preemption.preemption.evaluator import Evaluator
from kep_preemption.selectors import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement
from kep_preemption.snapshot import Snapshot

FITS = NodeStatus(Code.SUCCESS)
CORDONED = replace(node("n"), unschedulable=True)
TAINTED = node("n", taints=(Taint("a", "b", "PreferNoSchedule"), Taint("k", "v", "NoExecute")))
UNTOLERATED = "node(s) had untolerated taint {k: v}"
AFFINITY = "node(s) didn't match Pod's node affinity/selector"
PORTS = "node(s) didn't have free ports for the requested pod ports"


def status(state: ClusterState, waiting: Pod, name: str = "n") -> NodeStatus:
    evaluator = Evaluator(Snapshot.of(state))
    return evaluator.statuses(evaluator.filter(waiting).verdicts)[name]


def unresolvable(plugin: str, *reasons: str) -> NodeStatus:
    return NodeStatus(Code.UNRESOLVABLE, plugin, reasons)


def unschedulable(plugin: str, *reasons: str) -> NodeStatus:
    return NodeStatus(Code.UNSCHEDULABLE, plugin, reasons)


@pytest.mark.parametrize(
    ("tolerations", "expected"),
    [
        ((), unresolvable("NodeUnschedulable", "node(s) were unschedulable")),
        ((Toleration("node.kubernetes.io/unschedulable", "Exists", "", "NoSchedule"),), FITS),
        ((Toleration("", "Exists"),), FITS),
        (
            (Toleration("node.kubernetes.io/unschedulable", "Exists", "", "NoExecute"),),
            unresolvable("NodeUnschedulable", "node(s) were unschedulable"),
        ),
    ],
)
def test_unschedulable_node(tolerations: tuple[Toleration, ...], expected: NodeStatus) -> None:
    assert status(cluster([CORDONED]), preemptor(tolerations=tolerations)) == expected


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        (Toleration("k", "Equal", "v"), True),
        (Toleration("k", "", "v"), True),
        (Toleration("k", "Equal", "w"), False),
        (Toleration("k", "Exists"), True),
        (Toleration("k", "Exists", "", "NoSchedule"), False),
        (Toleration("l", "Exists"), False),
        (Toleration("", "Exists", "", "NoExecute"), True),
        (Toleration("k", "Bogus", "v"), False),
    ],
)
def test_taint(toleration: Toleration, tolerated: bool) -> None:
    expected = FITS if tolerated else unresolvable("TaintToleration", UNTOLERATED)
    assert status(cluster([TAINTED]), preemptor(tolerations=(toleration,))) == expected


def test_node_name() -> None:
    waiting = replace(preemptor(), node_name="other")
    nodes = cluster([node("n"), node("other")])
    reason = "node(s) didn't match the requested node name"
    assert status(nodes, waiting) == unresolvable("NodeName", reason)
    assert status(nodes, waiting, "other") == FITS
    assert status(nodes, replace(waiting, node_name="gone"), "other").plugin == "NodeName"


@pytest.mark.parametrize(
    ("operator", "values", "matches"),
    [
        ("In", ("a", "b"), True),
        ("In", ("b",), False),
        ("NotIn", ("b",), True),
        ("Exists", (), True),
        ("DoesNotExist", (), False),
    ],
)
def test_node_affinity(operator: str, values: tuple[str, ...], matches: bool) -> None:
    term = NodeSelectorTerm((Requirement("zone", operator, values),))
    waiting = preemptor(required_node_affinity=NodeSelector((term,)))
    expected = FITS if matches else unresolvable("NodeAffinity", AFFINITY)
    assert status(cluster([node("n", labels={"zone": "a"})]), waiting) == expected


@pytest.mark.parametrize(("value", "matches"), [("10", True), ("5", False), ("x", False)])
def test_node_affinity_compares_numbers(value: str, matches: bool) -> None:
    term = NodeSelectorTerm((Requirement("size", "Gt", ("5",)),))
    waiting = preemptor(required_node_affinity=NodeSelector((term,)))
    assert (status(cluster([node("n", labels={"size": value})]), waiting) == FITS) is matches


def test_empty_terms_match_nothing() -> None:
    for selector in (NodeSelector(()), NodeSelector((NodeSelectorTerm(),))):
        waiting = preemptor(required_node_affinity=selector)
        assert status(cluster([node("n")]), waiting) == unresolvable("NodeAffinity", AFFINITY)


def test_names_in_affinity_leave_other_nodes_out() -> None:
    named = NodeSelectorTerm(match_fields=(Requirement("metadata.name", "In", ("m",)),))
    waiting = preemptor(required_node_affinity=NodeSelector((named,)))
    nodes = cluster([node("n"), node("m")])
    reason = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
    assert status(nodes, waiting) == unresolvable("", reason)
    assert status(nodes, waiting, "m") == FITS
    either = NodeSelector((named, NodeSelectorTerm((Requirement("a", "Exists"),))))
    assert status(nodes, preemptor(required_node_affinity=either)).plugin == "NodeAffinity"


def test_contradicting_names_are_a_conflict() -> None:
    fields = tuple(Requirement("metadata.name", "In", (name,)) for name in "nm")
    waiting = preemptor(required_node_affinity=NodeSelector((NodeSelectorTerm((), fields),)))
    expected = unresolvable("NodeAffinity", "pod affinity terms conflict")
    assert status(cluster([node("n")]), waiting) == expected


@pytest.mark.parametrize(
    ("held", "wanted", "conflict"),
    [
        (HostPort("0.0.0.0", "TCP", 80), HostPort("10.0.0.1", "TCP", 80), True),
        (HostPort("10.0.0.2", "TCP", 80), HostPort("10.0.0.1", "TCP", 80), False),
        (HostPort("10.0.0.2", "TCP", 80), HostPort("0.0.0.0", "TCP", 80), True),
        (HostPort("0.0.0.0", "UDP", 80), HostPort("0.0.0.0", "TCP", 80), False),
        (HostPort("0.0.0.0", "TCP", 81), HostPort("0.0.0.0", "TCP", 80), False),
    ],
)
def test_host_ports(held: HostPort, wanted: HostPort, conflict: bool) -> None:
    state = cluster([node("n")], [pod("p", "n", host_ports=(held,))])
    expected = unschedulable("NodePorts", PORTS) if conflict else FITS
    assert status(state, preemptor(host_ports=(wanted,))) == expected


@pytest.mark.parametrize(
    ("requests", "expected"),
    [
        ({"cpu": 500}, FITS),
        ({"cpu": 501}, unschedulable("NodeResourcesFit", "Insufficient cpu")),
        ({"cpu": 1001}, unresolvable("NodeResourcesFit", "Insufficient cpu")),
        ({"a.b/gpu": 1}, unresolvable("NodeResourcesFit", "Insufficient a.b/gpu")),
        ({"a.b/gpu": 0}, FITS),
        (
            {"memory": 5 * GI, "cpu": 501},
            unresolvable("NodeResourcesFit", "Insufficient cpu", "Insufficient memory"),
        ),
        ({}, FITS),
    ],
)
def test_resources(requests: dict[str, int], expected: NodeStatus) -> None:
    state = cluster([node("n")], [pod("p", "n", cpu=500)])
    assert status(state, preemptor(requests=requests)) == expected


def test_too_many_pods_can_be_lifted_by_preemption() -> None:
    state = cluster([node("n", pods=0)])
    assert status(state, preemptor()) == unschedulable("NodeResourcesFit", "Too many pods")


def test_overcommitted_node_takes_a_pod_without_requests() -> None:
    state = cluster([node("n", cpu=100)], [pod("p", "n", cpu=500)])
    assert status(state, preemptor()) == FITS
    assert status(state, preemptor(requests={"memory": GI})) == FITS


def test_too_many_resources_are_refused() -> None:
    waiting = preemptor(requests={f"a.b/r{i}": 1 for i in range(63)})
    with pytest.raises(InputError, match="at most 62"):
        status(cluster([node("n")]), waiting)


@pytest.mark.parametrize(
    ("nominated", "fits"),
    [
        (pod("x", priority=10_000, cpu=600, nominated_node_name="n"), False),
        (pod("x", priority=9_999, cpu=600, nominated_node_name="n"), True),
        (pod("x", priority=10_000, cpu=600, nominated_node_name="gone"), True),
        (
            pod("x", priority=10_000, cpu=600, nominated_node_name="n", scheduler_name="other"),
            True,
        ),
        (replace(preemptor(600), nominated_node_name="n"), True),
    ],
)
def test_nominated_pods_take_room_from_their_priority_on(nominated: Pod, fits: bool) -> None:
    state = cluster([node("n")], [nominated])
    assert (status(state, preemptor(cpu=500)) == FITS) is fits


def test_pods_on_unknown_nodes_do_not_matter() -> None:
    state = cluster([node("n")], [pod("p", "gone", cpu=1000)])
    assert status(state, preemptor(cpu=1000)) == FITS


WEB = {"app": "web"}
ZONES = [node(f"n{i}", labels={"zone": f"z{i // 2}", "host": f"n{i}"}) for i in range(4)]
ANTI = PodAffinityTerm(LabelSelector(WEB), "zone")
NOT_NEAR = "node(s) didn't match pod affinity rules"
TOO_NEAR = "node(s) didn't match pod anti-affinity rules"
KEPT_AWAY = "node(s) didn't satisfy existing pods anti-affinity rules"
SKEWED = "node(s) didn't match pod topology spread constraints"


def refused(state: ClusterState, waiting: Pod) -> list[str]:
    evaluator = Evaluator(Snapshot.of(state))
    statuses = evaluator.statuses(evaluator.filter(waiting).verdicts)
    return [name for name, found in statuses.items() if found.code is not Code.SUCCESS]


def test_anti_affinity_of_a_running_pod_keeps_its_zone_free() -> None:
    state = cluster(ZONES, [pod("p", "n0", anti_affinity=(ANTI,))])
    assert refused(state, preemptor(labels=WEB)) == ["n0", "n1"]
    assert refused(state, preemptor(labels={"app": "db"})) == []
    expected = unschedulable("InterPodAffinity", KEPT_AWAY)
    assert status(state, preemptor(labels=WEB), "n1") == expected


def test_anti_affinity_of_a_nominated_pod_counts_only_when_the_plugin_runs() -> None:
    nominated = pod("p", priority=10_000, nominated_node_name="n0", anti_affinity=(ANTI,))
    assert refused(cluster(ZONES, [nominated]), preemptor(labels=WEB)) == []
    awake = preemptor(labels=WEB, anti_affinity=(PodAffinityTerm(None, "zone"),))
    assert refused(cluster(ZONES, [nominated]), awake) == ["n0"]


def test_own_anti_affinity() -> None:
    state = cluster(ZONES, [pod("p", "n2", labels=WEB)])
    assert refused(state, preemptor(anti_affinity=(ANTI,))) == ["n2", "n3"]
    found = status(state, preemptor(anti_affinity=(ANTI,)), "n2")
    assert found == unschedulable("InterPodAffinity", TOO_NEAR)


def test_affinity_wants_a_pod_in_the_zone_or_to_be_the_first() -> None:
    waiting = preemptor(affinity=(ANTI,))
    near = cluster(ZONES, [pod("p", "n2", labels=WEB)])
    assert refused(near, waiting) == ["n0", "n1"]
    assert status(near, waiting, "n0") == unresolvable("InterPodAffinity", NOT_NEAR)
    assert len(refused(cluster(ZONES), waiting)) == 4
    assert refused(cluster(ZONES), preemptor(affinity=(ANTI,), labels=WEB)) == []
    no_zone = cluster([node("n")])
    assert refused(no_zone, preemptor(affinity=(ANTI,), labels=WEB)) == ["n"]


def spread(**other: object) -> Pod:
    constraint = TopologySpreadConstraint("zone", 1, LabelSelector(WEB))
    return preemptor(labels=WEB, spread=(replace(constraint, **other),))


def test_spread_keeps_the_skew() -> None:
    state = cluster(ZONES, [pod("p", "n0", labels=WEB)])
    assert refused(state, spread()) == ["n0", "n1"]
    assert refused(state, spread(max_skew=2)) == []
    assert refused(state, spread(min_domains=3)) == ["n0", "n1"]
    assert len(refused(state, replace(spread(), labels={}))) == 0
    assert status(state, spread(), "n1") == unschedulable("PodTopologySpread", SKEWED)
    missing = unresolvable("PodTopologySpread", f"{SKEWED} (missing required label)")
    assert status(cluster([node("n")]), spread()) == missing


def test_spread_leaves_out_terminating_pods_and_nodes_of_no_use() -> None:
    leaving = pod("p", "n0", labels=WEB, terminating=True)
    assert refused(cluster(ZONES, [leaving]), spread()) == []
    two = [pod("p", "n0", labels=WEB), pod("q", "n2", labels=WEB)]
    tainted = [replace(n, taints=(Taint("k", "v", "NoSchedule"),)) for n in ZONES[:2]]
    nodes = cluster([*tainted, *ZONES[2:]], two[1:])
    assert refused(nodes, spread()) == ["n0", "n1", "n2", "n3"]
    assert refused(nodes, spread(honor_taints=True)) == ["n0", "n1"]


def test_spread_by_the_pods_own_revision() -> None:
    old = pod("p", "n0", labels={**WEB, "revision": "1"})
    waiting = replace(spread(match_label_keys=("revision",)), labels={**WEB, "revision": "2"})
    assert refused(cluster(ZONES, [old]), spread()) == ["n0", "n1"]
    assert refused(cluster(ZONES, [old]), waiting) == []
