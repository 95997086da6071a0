"""The benchmark's result set, from a plan and its samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kep_preemption.bench.samples import Sample
from kep_workbench.benchmark_figures import growth_figure, latency_figure, quality_figure
from kep_workbench.benchmark_plan import BenchmarkPlan
from kep_workbench.benchmark_tables import (
    comparisons,
    facts,
    growth_table,
    latency_table,
    quality_table,
    to_frame,
    verdict_table,
)
from kep_workbench.results import ResultSet

KIND = "preemption-benchmark"
RULES = "1.34 (rules re-implemented in Python)"


def benchmark_result(
    plan: BenchmarkPlan,
    samples: Sequence[Sample],
    parameters: Mapping[str, Any],
    remark: str = "",
) -> ResultSet:
    """Make the tables, figures and facts of a measured plan; without its input it is not run.

    `remark` is added to the note beside every table.
    """
    if plan.missing:
        return _not_run(plan, parameters)
    frame = to_frame(samples)
    strategies = list(dict.fromkeys(parameters["strategies"]))
    main = frame[frame["nodes"] == plan.main.nodes]
    where = _where(plan)
    tables = [latency_table(main, strategies, where)]
    found = comparisons(main, strategies)
    if found:
        tables.append(verdict_table(found, where))
    tables.append(quality_table(main, strategies, where))
    figures = [
        latency_figure(main, strategies, where),
        quality_figure(main, strategies, where),
    ]
    if plan.growth:
        each = f"simulated clusters with {_pods_and_pdbs(plan)}"
        tables.append(growth_table(frame, strategies, each))
        figures.append(growth_figure(frame, strategies, each))
    return ResultSet(
        kind=KIND,
        title=f"Preemption decisions, {plan.main.name}",
        environment=plan.environment,
        environment_note=f"{plan.note} {remark}".strip(),
        kubernetes_version=RULES,
        parameters=parameters,
        sample_counts={
            "decisions": len(samples),
            "decisions-per-strategy": len(main) // len(strategies),
        },
        facts=facts(main, strategies),
        tables=tuple(tables),
        figures=tuple(figures),
        samples=tuple(_row(sample) for sample in samples),
    )


# The same in every sample of a result; they stand in its tables' captions.
_CONSTANT = ("pods_per_node", "pdbs", "simulated")


def _row(sample: Sample) -> dict[str, Any]:
    return {name: value for name, value in sample.to_row().items() if name not in _CONSTANT}


def _not_run(plan: BenchmarkPlan, parameters: Mapping[str, Any]) -> ResultSet:
    return ResultSet(
        kind=KIND,
        title=f"Preemption decisions, {plan.main.name}",
        status="not-run",
        reason=plan.missing,
        environment="none",
        environment_note="Not run: the input is missing.",
        kubernetes_version=RULES,
        parameters=parameters,
    )


def _where(plan: BenchmarkPlan) -> str:
    kind = "simulated cluster" if plan.environment == "simulated" else "cluster from a trace"
    return f"{kind} of {plan.main.nodes:,} nodes with {_pods_and_pdbs(plan)}"


def _pods_and_pdbs(plan: BenchmarkPlan) -> str:
    return f"{plan.main.pods_per_node} pods on each, {plan.main.pdbs or 'no'} PDBs"
