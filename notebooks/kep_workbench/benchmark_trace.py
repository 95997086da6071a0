"""The benchmark on a published trace in place of a synthetic cluster."""

from __future__ import annotations

import random
from collections.abc import Sequence

from kep_preemption.bench.workload import Workload
from kep_preemption.objects import ClusterState, Pod
from kep_preemption.trace import NODE_FILE, POD_FILE, load_openb
from kep_workbench.benchmark_plan import BenchmarkPlan
from kep_workbench.workspace import locate

_NOTE = (
    "The nodes and pods are those of a recorded trace, all placed at once, in memory, with "
    "priorities from their QoS classes; the preemptors are drawn from its pods that found no place "
    "and outrank others. The rules of Kubernetes 1.34 are re-implemented in Python: there is no "
    "API server, no kubelet, and no pod is deleted."
)


def plan_trace(trace: str) -> BenchmarkPlan:
    """Plan a benchmark on the Alibaba OpenB trace in the folder `trace`.

    A folder without the trace's files gives a plan that says so and cannot be measured.

    Raises:
        kep_preemption.errors.InputError: a file is not what was published.
    """
    folder = locate(trace)
    missing = [name for name in (NODE_FILE, POD_FILE) if not (folder / name).is_file()]
    if missing:
        words = (
            f"{trace} holds no {' and no '.join(missing)}. Fetch the two CSV files of the OpenB "
            "trace (published with Alibaba's cluster data, 2023 GPU edition) and name their "
            "folder: kepler run openb --only openb -p trace=FOLDER"
        )
        return BenchmarkPlan(Workload("openb", 0, 0), environment="trace", missing=words)
    return plan_cluster("openb", load_openb(folder))


def plan_cluster(name: str, cluster: ClusterState) -> BenchmarkPlan:
    """Plan a benchmark on a cluster as it is, with its own waiting pods as preemptors.

    A cluster in which no waiting pod outranks a bound one gives a plan that says so.
    """
    bound = [pod for pod in cluster.pods if pod.node_name]
    lowest = min((pod.priority for pod in bound), default=0)
    waiting = [pod for pod in cluster.pods if not pod.node_name and pod.priority > lowest]
    workload = Workload(
        name,
        nodes=len(cluster.nodes),
        pods_per_node=round(len(bound) / max(1, len(cluster.nodes))),
        pdbs=len(cluster.pdbs),
        priorities=tuple(sorted({pod.priority for pod in bound})),
        preemptor_priorities=tuple(sorted({pod.priority for pod in waiting})),
    )
    # What is decided about is no longer part of the state it is decided in.
    state = ClusterState(cluster.nodes, tuple(bound), cluster.pdbs, cluster.priority_classes)

    def draw(_: Workload, count: int, seed: int) -> Sequence[Pod]:
        rng = random.Random(f"{name}/{seed}")  # noqa: S311 - a workload, no secret
        return [rng.choice(waiting) for _ in range(count)]

    none = "No waiting pod outranks a bound one: there is nothing to preempt. Take another input."
    return BenchmarkPlan(
        workload,
        environment="trace",
        note=_NOTE,
        build=lambda _: state,
        draw=draw,
        missing="" if waiting else none,
    )
