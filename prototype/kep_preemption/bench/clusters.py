"""The synthetic cluster of a workload."""

from __future__ import annotations

import random
from collections.abc import Iterator

from kep_preemption.bench.workload import Workload
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

NODE_CPU, NODE_MEMORY, NODE_PODS = 2000, 4 * 1024**3, 110
_NAMESPACE = "default"
_SECOND = 10**9
_DAY = 24 * 3600
_EDGE = Taint("edge", "true", "NoSchedule")
_TOLERATION = Toleration(key="edge", operator="Exists")


def build_cluster(workload: Workload) -> ClusterState:
    """Return the cluster of `workload`: the same one for the same workload.

    Nodes are the source scenario's (2 CPU, 4 GiB, tainted `edge`) and full. Pods of one node ask
    for unequal shares of it. Each pod belongs to one of twice as many applications as there are
    PDBs; every second application has a PDB that allows 0 to 3 disruptions.
    """
    rng = random.Random(workload.seed)  # noqa: S311 # a workload, no secret
    nodes = tuple(
        Node(
            name=f"edge-node-{index}",
            allocatable={CPU: NODE_CPU, MEMORY: NODE_MEMORY, PODS: NODE_PODS},
            labels={"node-type": "edge", "kubernetes.io/hostname": f"edge-node-{index}"},
            taints=(_EDGE,),
        )
        for index in range(workload.nodes)
    )
    pods = tuple(pod for node in nodes for pod in _pods(node.name, workload, rng))
    return ClusterState(nodes, pods, _budgets(workload, rng))


def _pods(node: str, workload: Workload, rng: random.Random) -> Iterator[Pod]:
    cpu = _shares(NODE_CPU, workload.pods_per_node, rng)
    memory = _shares(NODE_MEMORY, workload.pods_per_node, rng)
    for index in range(workload.pods_per_node):
        name = f"low-{node}-{index}"
        yield Pod(
            namespace=_NAMESPACE,
            name=name,
            uid=name,
            priority=rng.choice(workload.priorities),
            requests={CPU: cpu[index], MEMORY: memory[index]},
            labels={"app": f"app-{rng.randrange(max(1, 2 * workload.pdbs))}"},
            node_name=node,
            start_time=rng.randrange(_DAY) * _SECOND,
            tolerations=(_TOLERATION,),
            phase="Running",
        )


def _shares(total: int, count: int, rng: random.Random) -> list[int]:
    """Split `total` into `count` parts; the largest is at most about three times the least."""
    weights = [rng.uniform(0.5, 1.5) for _ in range(count)]
    return [int(total * weight / sum(weights)) for weight in weights]


def _budgets(workload: Workload, rng: random.Random) -> tuple[PodDisruptionBudget, ...]:
    return tuple(
        PodDisruptionBudget(
            namespace=_NAMESPACE,
            name=f"app-{2 * index}",
            selector=LabelSelector({"app": f"app-{2 * index}"}),
            disruptions_allowed=rng.randrange(4),
        )
        for index in range(workload.pdbs)
    )
