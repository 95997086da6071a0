"""The benchmark of `kepler bench`: timed runs as lines in Go's benchmark format."""

from __future__ import annotations

import gc
import math
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from kep_preemption.bench.allocations import Allocations, count_allocations
from kep_preemption.bench.arms import Arm, make_arms
from kep_preemption.bench.clusters import build_cluster
from kep_preemption.bench.gotext import BenchmarkLine, benchmark_name
from kep_preemption.bench.heap import steady_heap
from kep_preemption.bench.preemptors import make_preemptors
from kep_preemption.bench.workload import Workload
from kep_preemption.decision import Strategy
from kep_preemption.objects import Pod

POOL = 8
"""Preemptors of a workload; a timed run decides about all of them equally often."""

ALLOCATION_SECONDS = 0.02
"""About how long decisions (untracked) are repeated to count their allocations."""


@dataclass(frozen=True, slots=True)
class Benchtime:
    """How long a run lasts: `seconds`, or exactly `iterations` decisions if that is given."""

    seconds: float = 0.05
    iterations: int | None = None

    def count(self, seconds_per_op: float) -> int:
        """Return the number of decisions of a run: whole turns through the pool, if timed."""
        if self.iterations is not None:
            return self.iterations
        turns = math.ceil(self.seconds / max(seconds_per_op, 1e-9) / POOL)
        return POOL * max(1, min(1_000_000, turns))


@dataclass(frozen=True)
class BenchmarkPlan:
    """What to run: each arm on each workload, `count` lines each, in randomised rounds."""

    strategies: Sequence[str | Arm]
    workloads: Sequence[Workload]
    count: int = 10
    benchtime: Benchtime = field(default_factory=Benchtime)
    allocations: bool = False
    metrics: bool = False
    pattern: re.Pattern[str] | None = None
    seed: int = 0

    def cases(self, workload: Workload) -> list[tuple[str, Arm]]:
        """Return the full names and arms of the runs on `workload` that the pattern keeps."""
        named = [(case_name(arm.name, workload), arm) for arm in make_arms(self.strategies)]
        return [(n, arm) for n, arm in named if self.pattern is None or self.pattern.search(n)]

    @property
    def names(self) -> list[str]:
        """The names of all benchmarks, without repeats."""
        return [name for workload in self.workloads for name, _ in self.cases(workload)]


def case_name(strategy: str, workload: Workload) -> str:
    """Return the benchmark's name, with the parameters by which benchstat can split."""
    return benchmark_name(
        strategy=strategy,
        nodes=workload.nodes,
        pods=workload.pods_per_node,
        pdbs=workload.pdbs,
        workload=workload.name,
    )


def run_benchmarks(
    plan: BenchmarkPlan,
    report: Callable[[str], None] = lambda _: None,
    clock: Callable[[], int] = time.perf_counter_ns,
) -> Iterator[BenchmarkLine]:
    """Yield the lines of `plan`; `report` is told what comes next.

    Time covers the decisions alone. Preparation and warm-up lie outside; allocations are counted
    in runs of their own.
    """
    for workload in plan.workloads:
        cases = plan.cases(workload)
        if not cases:
            continue
        report(f"{workload.name}: preparing")
        cluster = build_cluster(workload)
        preemptors = make_preemptors(workload, POOL, plan.seed)
        with steady_heap():
            runs = [
                _Run(name, arm.make(cluster, plan.seed), preemptors, plan, clock)
                for name, arm in cases
            ]
            rng = random.Random(f"{workload.name}/{plan.seed}")  # noqa: S311 # no secret
            for turn in range(plan.count):
                report(f"{workload.name}: round {turn + 1} of {plan.count}")
                rng.shuffle(runs)
                for run in runs:
                    yield run.line(turn)


class _Run:
    """One strategy on one workload."""

    def __init__(
        self,
        name: str,
        strategy: Strategy,
        preemptors: Sequence[Pod],
        plan: BenchmarkPlan,
        clock: Callable[[], int],
    ) -> None:
        self._name, self._strategy, self._preemptors = name, strategy, preemptors
        self._plan, self._clock = plan, clock
        self._warm_up()
        warm = self._time(0, POOL) / POOL / 1e9
        self._iterations = plan.benchtime.count(warm)
        self._counted = max(1, min(POOL, int(ALLOCATION_SECONDS / max(warm, 1e-9))))

    def line(self, turn: int) -> BenchmarkLine:
        """Run once and return the result; `turn` sets the first preemptor."""
        gc.collect()
        nanoseconds = self._time(turn, self._iterations) / self._iterations
        return BenchmarkLine(
            self._name,
            self._iterations,
            nanoseconds,
            self._allocations(turn) if self._plan.allocations else None,
            self._metrics() if self._plan.metrics else None,
        )

    def _warm_up(self) -> None:
        """Meet each priority once, as scores are cached by priority."""
        seen = set()
        for preemptor in self._preemptors:
            if preemptor.priority not in seen:
                seen.add(preemptor.priority)
                self._strategy.preempt(preemptor)

    def _time(self, turn: int, iterations: int) -> int:
        preempt, preemptors = self._strategy.preempt, self._preemptors
        start = self._clock()
        for index in range(turn, turn + iterations):
            preempt(preemptors[index % POOL])
        return self._clock() - start

    def _allocations(self, turn: int) -> Allocations:
        index = turn

        def decide() -> None:
            nonlocal index
            self._strategy.preempt(self._preemptors[index % POOL])
            index += 1

        return count_allocations(decide, self._counted)

    def _metrics(self) -> dict[str, float]:
        decisions = [self._strategy.preempt(preemptor) for preemptor in self._preemptors]
        return {
            "victims/op": sum(len(d.victims) for d in decisions) / POOL,
            "violations/op": sum(d.num_pdb_violations for d in decisions) / POOL,
        }
