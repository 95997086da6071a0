"""Nodes, pods and budgets in upstream's words, with only what a test is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kep_preemption.objects import ClusterState, Node, Pod, PodDisruptionBudget
from kep_preemption.selectors import LabelSelector

GI = 1024**3


def node(name: str, cpu: int = 1000, memory: int = 4 * GI, pods: int = 110, **other: Any) -> Node:
    """A node with `cpu` millicores and `memory` bytes; `extended` adds resources."""
    extended: Mapping[str, int] = other.pop("extended", {})
    return Node(name, {"cpu": cpu, "memory": memory, "pods": pods, **extended}, **other)


def pod(name: str, node_name: str = "", priority: int = 0, cpu: int = 0, **other: Any) -> Pod:
    """A pod in namespace default that requests `cpu` millicores, and `requests` beside."""
    requests = {"cpu": cpu} if cpu else {}
    requests |= other.pop("requests", {})
    namespace = other.pop("namespace", "default")
    uid = other.pop("uid", f"uid-{namespace}-{name}")
    return Pod(
        namespace,
        name,
        uid,
        priority=priority,
        requests=requests,
        node_name=node_name,
        phase="Running" if node_name else "Pending",
        **other,
    )


def preemptor(cpu: int = 0, priority: int = 10_000, **other: Any) -> Pod:
    """A waiting pod of high priority."""
    return pod("preemptor", priority=priority, cpu=cpu, **other)


def pdb(name: str, allowed: int, labels: Mapping[str, str], **other: Any) -> PodDisruptionBudget:
    """A budget over the pods of namespace default that carry `labels`."""
    namespace = other.pop("namespace", "default")
    return PodDisruptionBudget(namespace, name, LabelSelector(labels), allowed, **other)


def cluster(
    nodes: Sequence[Node], pods: Sequence[Pod] = (), pdbs: Sequence[PodDisruptionBudget] = ()
) -> ClusterState:
    """A cluster of these objects."""
    return ClusterState(tuple(nodes), tuple(pods), tuple(pdbs))
