"""Hypothesis strategies: small clusters that are full, tied and budgeted in every way."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from builders.scheduling import cluster, node, pdb, pod, preemptor
from kep_preemption.objects import (
    ClusterState,
    HostPort,
    Pod,
    PodAffinityTerm,
    TopologySpreadConstraint,
)
from kep_preemption.selectors import LabelSelector

NAMES = ("n0", "n1", "n2")
PORTS = (HostPort("0.0.0.0", "TCP", 80), HostPort("10.0.0.1", "TCP", 80))
LABELS = ({}, {"app": "a"}, {"app": "b"}, {"app": "a", "tier": "x"})


@st.composite
def clusters(draw: st.DrawFn, most_pods: int = 24) -> ClusterState:
    """Three nodes with bound and nominated pods, and budgets over some of them."""
    nodes = [
        node(
            name,
            cpu=draw(st.integers(0, 12)),
            pods=draw(st.sampled_from([3, 110])),
            extended={"a.b/gpu": draw(st.integers(0, 3))},
        )
        for name in NAMES
    ]
    pods = [_pod(draw, i) for i in range(draw(st.integers(0, most_pods)))]
    budgets = [
        pdb(f"b{i}", draw(st.integers(0, 3)), draw(st.sampled_from(LABELS)))
        for i in range(draw(st.integers(0, 2)))
    ]
    return cluster(nodes, pods, budgets)


def _pod(draw: st.DrawFn, number: int) -> Pod:
    name = draw(st.sampled_from(NAMES))
    bound = draw(st.integers(0, 9)) > 0
    return pod(
        f"p{number}",
        name if bound else "",
        priority=draw(st.integers(-1, 3)),
        requests={"cpu": draw(st.integers(0, 5)), "a.b/gpu": draw(st.integers(0, 1))},
        labels=draw(st.sampled_from(LABELS)),
        start_time=draw(st.sampled_from([None, 1, 2, 3])),
        host_ports=draw(st.sampled_from([(), (), PORTS[:1], PORTS[1:]])),
        nominated_node_name="" if bound else name,
    )


CONSTRAINED = (
    {},
    {"anti_affinity": (PodAffinityTerm(LabelSelector({"app": "a"}), "zone"),)},
    {"affinity": (PodAffinityTerm(LabelSelector({"app": "a"}), "host"),)},
    {"affinity": (PodAffinityTerm(LabelSelector({"app": "b"}), "zone"),)},
    {"spread": (TopologySpreadConstraint("zone", 1, LabelSelector({"app": "a"})),)},
    {"spread": (TopologySpreadConstraint("host", 1, LabelSelector({"tier": "x"}), 3),)},
)


@st.composite
def constrained_clusters(draw: st.DrawFn) -> ClusterState:
    """The same with zones and hosts, and bound pods that keep others away."""
    state = draw(clusters())
    zones = ({"zone": "a"}, {"zone": "a"}, {"zone": "b"})
    nodes = tuple(
        replace(node, labels={**zone, "host": node.name} if draw(st.integers(0, 5)) else {})
        for node, zone in zip(state.nodes, zones, strict=True)
    )
    pods = tuple(
        replace(pod, **draw(st.sampled_from(CONSTRAINED[:2]))) if pod.node_name else pod
        for pod in state.pods
    )
    return replace(state, nodes=nodes, pods=pods)


@st.composite
def constrained_preemptors(draw: st.DrawFn) -> Pod:
    """A waiting pod with labels, and tied to other pods in one way."""
    labels = draw(st.sampled_from(LABELS))
    return replace(draw(preemptors()), labels=labels, **draw(st.sampled_from(CONSTRAINED)))


@st.composite
def preemptors(draw: st.DrawFn) -> Pod:
    """A waiting pod that asks for some of what the clusters have."""
    return preemptor(
        priority=draw(st.integers(0, 4)),
        requests={"cpu": draw(st.integers(0, 12)), "a.b/gpu": draw(st.integers(0, 2))},
        host_ports=draw(st.sampled_from([(), PORTS[:1], PORTS[1:]])),
    )
