"""The benchmark's tables and facts, from its samples."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from kep_preemption.bench.samples import Sample
from kep_preemption.bench.statistics import Comparison, compare, percentile
from kep_workbench.results import Column, Fact, Table

BASELINE = "upstream"
MARGIN = 0.05


def to_frame(samples: Sequence[Sample]) -> pd.DataFrame:
    """The samples as rows, with the latency in milliseconds as `latency_ms`."""
    frame = pd.DataFrame([sample.to_row() for sample in samples])
    frame["latency_ms"] = frame["nanoseconds"] / 1e6
    return frame


def latencies(frame: pd.DataFrame, strategy: str) -> list[float]:
    """One strategy's latencies in milliseconds, in the order they were measured."""
    values = frame.loc[frame["strategy"] == strategy, "latency_ms"]
    return [float(value) for value in values]


def latency_table(frame: pd.DataFrame, strategies: Sequence[str], where: str) -> Table:
    """How long one decision takes, by strategy."""
    rows = []
    for strategy in strategies:
        values = latencies(frame, strategy)
        points = [percentile(values, percent) for percent in (0, 50, 95, 99, 100)]
        rows.append((strategy, len(values), *(_rounded(point) for point in points)))
    columns = [Column(name, "ms") for name in ("min", "p50", "p95", "p99", "max")]
    return Table(
        "latency",
        f"Time of one preemption decision, {where}. A dash stands where the samples are too few "
        "for the percentile (100 for p99, 20 for p95).",
        (Column("strategy"), Column("decisions"), *columns),
        tuple(rows),
    )


def comparisons(frame: pd.DataFrame, strategies: Sequence[str]) -> dict[str, Comparison]:
    """Each strategy against upstream's; {} when upstream's was not measured."""
    if BASELINE not in strategies:
        return {}
    baseline = latencies(frame, BASELINE)
    return {
        strategy: compare(latencies(frame, strategy), baseline, margin=MARGIN)
        for strategy in strategies
        if strategy != BASELINE
    }


def verdict_table(found: dict[str, Comparison], where: str) -> Table:
    """Which strategy is faster than upstream's, as far as the samples tell."""
    rows = tuple(
        (
            strategy,
            _rounded(item.ratio),
            _rounded(item.low),
            _rounded(item.high),
            item.verdict.value,
        )
        for strategy, item in found.items()
    )
    return Table(
        "verdict",
        f"Median decision time relative to {BASELINE}, {where}; below 1 is faster. Bootstrap "
        f"95 % interval; 'inconclusive' when it reaches into 1 ± {MARGIN:g}.",
        (
            Column("strategy"),
            Column("ratio"),
            Column("low"),
            Column("high"),
            Column("verdict"),
        ),
        rows,
    )


def quality_table(frame: pd.DataFrame, strategies: Sequence[str], where: str) -> Table:
    """Whom each strategy preempts, beside upstream's choice over all candidates."""
    rows = []
    for strategy in strategies:
        part = frame[frame["strategy"] == strategy]
        placed = part[part["victims"] > 0]
        rows.append(
            (
                strategy,
                _percent((part["outcome"] == "nominated").mean()),
                _percent(part["same_choice_as_upstream"].mean()),
                _mean(part["violations"]),
                _mean(placed["victims"]),
                _mean(placed["highest_victim_priority"]),
                _mean(placed["priority_sum"]),
                _mean(part["tried"]),
                _regrets(part["regret"]),
            )
        )
    return Table(
        "quality",
        f"Victims by strategy, {where}; means per decision. 'Same as upstream': the node is one "
        "that upstream, trying all candidates, might have chosen, with the same victims. 'Worse "
        "by': decisions that lose against it, and by which of its criteria first.",
        (
            Column("strategy"),
            Column("nominated", "%"),
            Column("same as upstream", "%"),
            Column("PDB violations"),
            Column("victims"),
            Column("highest victim priority"),
            Column("victims' priority sum"),
            Column("nodes tried"),
            Column("worse by"),
        ),
        tuple(rows),
    )


def growth_table(frame: pd.DataFrame, strategies: Sequence[str], where: str) -> Table:
    """How the decision time grows with the number of nodes."""
    rows = []
    for nodes in sorted({int(count) for count in frame["nodes"]}):
        part = frame[frame["nodes"] == nodes]
        found = comparisons(part, strategies)
        for strategy in strategies:
            values = latencies(part, strategy)
            item = found.get(strategy)
            rows.append(
                (
                    nodes,
                    strategy,
                    _rounded(percentile(values, 50)),
                    _rounded(percentile(values, 95)),
                    _rounded(item.ratio) if item else None,
                    item.verdict.value if item else None,
                )
            )
    return Table(
        "growth",
        f"Time of one preemption decision by number of nodes, {where}.",
        (
            Column("nodes"),
            Column("strategy"),
            Column("p50", "ms"),
            Column("p95", "ms"),
            Column(f"relative to {BASELINE}"),
            Column("verdict"),
        ),
        tuple(rows),
    )


def facts(frame: pd.DataFrame, strategies: Sequence[str]) -> tuple[Fact, ...]:
    """Single numbers on the main workload that prose may cite."""
    found = comparisons(frame, strategies)
    made: list[Fact] = []
    for strategy in strategies:
        values = latencies(frame, strategy)
        for percent in (50, 95, 99):
            value = _rounded(percentile(values, percent))
            if value is not None:
                words = f"p{percent} of the decision time, {strategy}"
                made.append(Fact(f"latency-p{percent}-{strategy}", words, value, "ms"))
        part = frame[frame["strategy"] == strategy]
        same = _percent(part["same_choice_as_upstream"].mean())
        made += [
            Fact(
                f"same-choice-{strategy}", f"decisions equal to upstream's, {strategy}", same, "%"
            ),
            Fact(
                f"violations-{strategy}",
                f"PDB violations in all decisions, {strategy}",
                int(part["violations"].sum()),
            ),
        ]
        if strategy in found:
            item = found[strategy]
            words = f"median decision time relative to {BASELINE}, {strategy}"
            made += [
                Fact(f"ratio-{strategy}", words, _rounded(item.ratio)),
                Fact(f"verdict-{strategy}", f"verdict on {strategy}", item.verdict.value),
            ]
    return tuple(made)


def _regrets(values: pd.Series[str]) -> str:
    counts = values[values != ""].value_counts()
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "never"


def _mean(values: pd.Series[float]) -> float | None:
    return _rounded(float(values.mean())) if len(values) else None


def _percent(share: float) -> float:
    return round(float(share) * 100, 1)


def _rounded(value: float | None) -> float | None:
    """Six significant digits: enough that rounding for display a second time changes nothing."""
    return None if value is None else float(f"{value:.6g}")
