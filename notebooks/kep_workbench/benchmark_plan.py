"""Turn the benchmark notebook's parameters into workloads, and measure them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kep_preemption.bench.clusters import build_cluster
from kep_preemption.bench.preemptors import make_preemptors
from kep_preemption.bench.runner import Progress, measure
from kep_preemption.bench.samples import Sample
from kep_preemption.bench.workload import Workload, select_workloads
from kep_preemption.objects import ClusterState, Pod
from kep_workbench.errors import UsageError

SIMULATED = (
    "The cluster is synthetic and lives in memory, and the rules of Kubernetes 1.34 are "
    "re-implemented in Python: there is no API server, no kubelet, and no pod is deleted."
)


@dataclass(frozen=True)
class BenchmarkPlan:
    """What is measured: the main workload, and the same at other numbers of nodes.

    `environment` is `simulated` or `trace`; `note` says in one sentence what that means.
    `build` makes a workload's cluster, and `draw` so many preemptors by a seed. `missing` says
    what is not there and what to do about it; such a plan cannot be measured.
    """

    main: Workload
    growth: tuple[Workload, ...] = ()
    environment: str = "simulated"
    note: str = SIMULATED
    build: Callable[[Workload], ClusterState] = build_cluster
    draw: Callable[[Workload, int, int], Sequence[Pod]] = make_preemptors
    missing: str = ""

    @property
    def workloads(self) -> tuple[Workload, ...]:
        """All workloads by number of nodes, each once."""
        found = {workload.nodes: workload for workload in (*self.growth, self.main)}
        return tuple(found[nodes] for nodes in sorted(found))

    def describe(self) -> str:
        """The plan in one line for each workload, and the note."""
        if self.missing:
            return self.missing
        lines = [
            f"{workload.name}: {workload.nodes:,} nodes, {workload.pods_per_node} pods on each, "
            f"{workload.pdbs} PodDisruptionBudgets"
            for workload in self.workloads
        ]
        return "\n".join([*lines, self.note])


def plan_benchmark(
    scenario: str,
    nodes: int = 0,
    pods_per_node: int = 0,
    pdbs: int = -1,
    growth: Sequence[int] = (),
    trace: str = "",
) -> BenchmarkPlan:
    """Plan a benchmark on synthetic clusters or on a trace.

    Args:
        scenario: a workload of the prototype's workloads.yaml; it gives priorities and requests.
        nodes: 0 for the scenario's own number.
        pods_per_node: 0 for the scenario's own number.
        pdbs: PodDisruptionBudgets; -1 for the scenario's own number.
        growth: further numbers of nodes, for the plot of growth.
        trace: the OpenB trace's folder, in place of all the above; '' for none.

    Raises:
        UsageError: a number makes no cluster, or does not go with a trace.
        kep_preemption.errors.UsageError: there is no such scenario.
    """
    _check_numbers(nodes, pods_per_node, pdbs, growth)
    if trace:
        if nodes or pods_per_node or pdbs > 0 or growth:
            problem = "nodes, pods_per_node, pdbs and growth do not go with a trace"
            raise UsageError("trace", problem, "leave them at their defaults")
        from kep_workbench.benchmark_trace import plan_trace

        return plan_trace(trace)
    found = select_workloads([scenario])
    if len(found) != 1 or found[0].name != scenario:
        names = ", ".join(workload.name for workload in found)
        raise UsageError(f"scenario {scenario}", "is a group of workloads", f"take one: {names}")
    main = _resized(
        found[0],
        nodes or found[0].nodes,
        pods_per_node or found[0].pods_per_node,
        found[0].pdbs if pdbs < 0 else pdbs,
    )
    others = tuple(_resized(main, count, main.pods_per_node, main.pdbs) for count in growth)
    return BenchmarkPlan(main, others)


def _check_numbers(nodes: int, pods_per_node: int, pdbs: int, growth: Sequence[int]) -> None:
    for name, value, least in (
        ("nodes", nodes, 0),
        ("pods_per_node", pods_per_node, 0),
        ("pdbs", pdbs, -1),
        *(("growth", count, 1) for count in growth),
    ):
        if value < least:
            raise UsageError(name, f"{value} makes no cluster", f"give at least {least}")


def _resized(workload: Workload, nodes: int, pods_per_node: int, pdbs: int) -> Workload:
    """The workload at another size, under a name that tells it."""
    sized = replace(workload, nodes=nodes, pods_per_node=pods_per_node, pdbs=pdbs)
    if sized == workload:
        return workload
    budgets = f"-{pdbs}pdb" if pdbs else ""
    return replace(sized, name=f"{nodes}x{pods_per_node}{budgets}")


def measure_plan(
    plan: BenchmarkPlan,
    strategies: Sequence[str],
    repeats: int,
    seed: int,
    progress: Callable[[Progress], None] | None = None,
) -> tuple[Sample, ...]:
    """Time every strategy on every workload of the plan, `repeats` preemptors each.

    A plan that misses its input gives no samples.

    Raises:
        kep_preemption.errors.UsageError: an unknown strategy, or fewer than one repeat.
    """
    if plan.missing:
        return ()
    return measure(
        list(strategies),
        plan.workloads,
        iterations=repeats,
        seed=seed,
        progress=progress,
        build=plan.build,
        draw=plan.draw,
    )
