"""Clusters made by parameters: every node alike, filled with pods of chosen priorities.

The n-th node and its pods are the same however many nodes follow, and the same on every machine:
each node draws from a generator of its own, seeded by the cluster's seed and the node's number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kep_preemption.errors import UsageError
from kep_preemption.objects import (
    CPU,
    MEMORY,
    PODS,
    ClusterState,
    Node,
    Pod,
    PodDisruptionBudget,
    Taint,
    Toleration,
)
from kep_preemption.selectors import LabelSelector
from kep_preemption.splitmix import SplitMix64

GIB = 1024**3
NAMESPACE = "default"
# 2026-01-01T00:00:00Z; pods start within the day that follows.
_EPOCH = 1_767_225_600
_DAY = 86_400
_PRIORITIES = (-(2**31), 2**31 - 1)
_MOST_PODS = 5_000_000


@dataclass(frozen=True, slots=True)
class Shape:
    """What decides about a synthetic cluster; CPU in millicores, memory in bytes.

    The pods of a node share `fill` of its CPU and memory (1 is full), unless `pod_cpu` and
    `pod_memory` say what each asks for. `variation` (0 to 1) is how far a share may lie from the
    average. `priorities` maps a priority to its weight. Every pod belongs to one of `apps`
    applications; the first `pdbs` of them have a PodDisruptionBudget, which allow, one after the
    other, what `pdb_allowed` lists. With `apps` 0 there are twice as many as PDBs, so about half
    of the pods are under one. `taint` is a NoSchedule taint `key=value` on every node, which all
    pods tolerate. Nodes lie in `zones` zones by turns.
    """

    nodes: int = 10
    pods_per_node: int = 5
    priorities: dict[int, int] = field(default_factory=lambda: {100: 1})
    pdbs: int = 0
    pdb_allowed: tuple[int, ...] = (0, 1)
    apps: int = 0
    seed: int = 1
    node_cpu: int = 2000
    node_memory: int = 4 * GIB
    node_pods: int = 110
    fill: float = 1.0
    variation: float = 0.0
    pod_cpu: int | None = None
    pod_memory: int | None = None
    zones: int = 3
    taint: str = ""
    node_prefix: str = "node"
    preemptors: int = 1
    preemptor_priority: int = 1000
    preemptor_cpu: int = 1000
    preemptor_memory: int = 2 * GIB

    def __post_init__(self) -> None:
        limits = {
            "nodes": (1, 100_000),
            "pods_per_node": (0, 10_000),
            "pdbs": (0, 100_000),
            "apps": (0, 1_000_000),
            "zones": (1, 10_000),
            "preemptors": (0, 100_000),
            "fill": (0, 1000),
            "variation": (0, 1),
            "node_cpu": (0, 10**9),
            "node_memory": (0, 2**60),
            "node_pods": (0, 10**6),
            "preemptor_priority": _PRIORITIES,
            "preemptor_cpu": (0, 10**9),
            "preemptor_memory": (0, 2**60),
        }
        for name, (least, most) in limits.items():
            value = getattr(self, name)
            if not least <= value <= most:
                _refuse(name, f"is {value}", f"use {least} to {most}")
        if not all(_PRIORITIES[0] <= p <= _PRIORITIES[1] for p in self.priorities):
            _refuse("priorities", "lie beyond 32 bits", "use priorities that fit an int32")
        if self.nodes * self.pods_per_node > _MOST_PODS:
            _refuse("nodes", f"make more than {_MOST_PODS} pods", "use fewer nodes or pods")
        if not self.priorities or any(weight < 1 for weight in self.priorities.values()):
            _refuse("priorities", "have no weight of at least 1", "write 0:3/100:1")
        if self.pdbs and (not self.pdb_allowed or 0 < self.apps < self.pdbs):
            _refuse(
                "pdbs", "need pdb_allowed and an app each", "give at least as many apps as pdbs"
            )


@dataclass(frozen=True)
class Scenario:
    """A cluster with the pods that are to be scheduled on it."""

    name: str
    description: str
    cluster: ClusterState
    preemptors: tuple[Pod, ...]


def synthesize(shape: Shape, name: str = "synthetic", description: str = "") -> Scenario:
    """Return the cluster of `shape` and its preemptors."""
    nodes = tuple(_node(shape, index) for index in range(shape.nodes))
    pods = tuple(pod for index in range(shape.nodes) for pod in _pods(shape, index))
    cluster = ClusterState(nodes, pods, tuple(_pdbs(shape)))
    preemptors = tuple(_preemptor(shape, index) for index in range(shape.preemptors))
    return Scenario(name, description or f"synthetic cluster {shape}", cluster, preemptors)


def _node(shape: Shape, index: int) -> Node:
    name = f"{shape.node_prefix}-{index}"
    return Node(
        name=name,
        allocatable={CPU: shape.node_cpu, MEMORY: shape.node_memory, PODS: shape.node_pods},
        labels={
            "kubernetes.io/hostname": name,
            "topology.kubernetes.io/zone": f"zone-{index % shape.zones}",
        },
        taints=_taints(shape),
    )


def _pods(shape: Shape, node: int) -> Iterator[Pod]:
    rng = SplitMix64((shape.seed << 32) ^ (node + 1))
    priorities, weights = list(shape.priorities), list(shape.priorities.values())
    cpu = _shares(shape, rng, shape.pod_cpu, shape.node_cpu)
    memory = _shares(shape, rng, shape.pod_memory, shape.node_memory)
    for index in range(shape.pods_per_node):
        name = f"pod-{shape.node_prefix}-{node}-{index}"
        yield Pod(
            namespace=NAMESPACE,
            name=name,
            uid=f"uid-{name}",
            priority=priorities[rng.pick(weights)],
            requests=_requests(cpu[index], memory[index]),
            labels={"app": f"app-{rng.below(_apps(shape))}"},
            node_name=f"{shape.node_prefix}-{node}",
            start_time=(_EPOCH + rng.below(_DAY)) * 10**9,
            tolerations=_tolerations(shape),
            phase="Running",
            controller_kind="ReplicaSet",
        )


def _shares(shape: Shape, rng: SplitMix64, each: int | None, whole: int) -> list[int]:
    """Return what each pod of a node asks for; the shares never sum up to more than `fill`."""
    count = shape.pods_per_node
    if each is not None:
        return [each] * count
    scale = 1 << 20
    spread = int(shape.variation * scale)
    parts = [scale - spread + rng.below(2 * spread + 1) for _ in range(count)]
    room, total = int(whole * shape.fill), sum(parts) or 1
    return [room * part // total for part in parts]


def _pdbs(shape: Shape) -> Iterator[PodDisruptionBudget]:
    for index in range(shape.pdbs):
        selector = LabelSelector({"app": f"app-{index}"})
        allowed = shape.pdb_allowed[index % len(shape.pdb_allowed)]
        yield PodDisruptionBudget(NAMESPACE, f"pdb-{index}", selector, allowed)


def _preemptor(shape: Shape, index: int) -> Pod:
    name = f"preemptor-{index}"
    return Pod(
        namespace=NAMESPACE,
        name=name,
        uid=f"uid-{name}",
        priority=shape.preemptor_priority,
        requests=_requests(shape.preemptor_cpu, shape.preemptor_memory),
        labels={"app": "preemptor"},
        tolerations=_tolerations(shape),
    )


def _requests(cpu: int, memory: int) -> dict[str, int]:
    return {name: amount for name, amount in ((CPU, cpu), (MEMORY, memory)) if amount}


def _apps(shape: Shape) -> int:
    return shape.apps or max(1, 2 * shape.pdbs)


def _taints(shape: Shape) -> tuple[Taint, ...]:
    key, _, value = shape.taint.partition("=")
    return (Taint(key, value, "NoSchedule"),) if key else ()


def _tolerations(shape: Shape) -> tuple[Toleration, ...]:
    key = shape.taint.partition("=")[0]
    return (Toleration(key=key, operator="Exists"),) if key else ()


def _refuse(name: str, problem: str, remedy: str) -> None:
    raise UsageError(f"synthetic cluster: {name}", problem, remedy)
