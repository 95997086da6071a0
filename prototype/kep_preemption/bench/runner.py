"""Timing strategies against each other on the same preemptors.

All arms decide about the same preemptor in one round, in an order that is drawn anew for each
round, so that a change of the machine's speed strikes them alike.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kep_preemption.bench.arms import Arm, make_arms, make_reference
from kep_preemption.bench.clusters import build_cluster
from kep_preemption.bench.heap import steady_heap
from kep_preemption.bench.preemptors import make_preemptors
from kep_preemption.bench.quality import quality, regret, same_choice
from kep_preemption.bench.samples import Sample
from kep_preemption.bench.workload import Workload
from kep_preemption.decision import Decision, Strategy
from kep_preemption.errors import UsageError
from kep_preemption.objects import ClusterState, Pod

DEFAULT_WARMUP = 3


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` decisions are measured; `stage` says in words what comes now."""

    done: int
    total: int
    stage: str


def measure(
    strategies: Sequence[str | Arm],
    workloads: Sequence[Workload],
    *,
    iterations: int = 30,
    warmup: int = DEFAULT_WARMUP,
    seed: int = 0,
    progress: Callable[[Progress], None] | None = None,
    clock: Callable[[], int] = time.perf_counter_ns,
    build: Callable[[Workload], ClusterState] = build_cluster,
    draw: Callable[[Workload, int, int], Sequence[Pod]] = make_preemptors,
) -> tuple[Sample, ...]:
    """Time every strategy on every workload; one sample a strategy, workload and preemptor.

    Strategies are prepared (snapshot, cached scores) and warmed up outside the timing, with the
    garbage collector off inside it. Each decision is compared, untimed, with upstream's over all
    candidates.

    Args:
        strategies: names that `make_strategy` knows, or arms of one's own.
        workloads: see `select_workloads`; `Workload(...)` makes one of one's own.
        iterations: preemptors for each workload.
        warmup: further preemptors, decided first and not kept.
        seed: draws preemptors, the order of the arms and upstream's offset.
        progress: called before each step.
        clock: in nanoseconds.
        build: makes the cluster of a workload.
        draw: makes so many preemptors of a workload by a seed.

    Raises:
        UsageError: an unknown strategy, two arms of one name, no arm, fewer than one iteration.
    """
    if iterations < 1 or warmup < 0:
        raise UsageError(
            "iterations, warmup",
            f"{iterations} and {warmup} make no measurement",
            "give at least 1 iteration and no negative warm-up",
        )
    arms = make_arms(strategies)
    total = len(workloads) * iterations * len(arms)
    samples: list[Sample] = []

    def report(stage: str) -> None:
        if progress is not None:
            progress(Progress(len(samples), total, stage))

    for workload in workloads:
        report(f"{workload.name}: building the cluster")
        bench = _Bench(arms, workload, build(workload), seed, clock)
        preemptors = draw(workload, warmup + iterations, seed)
        report(f"{workload.name}: warming up")
        with steady_heap():
            bench.warm_up(preemptors[:warmup])
            for iteration, preemptor in enumerate(preemptors[warmup:]):
                report(f"{workload.name}: {iteration + 1} of {iterations}")
                samples += bench.round(iteration, preemptor)
    report("done")
    return tuple(samples)


class _Bench:
    """The arms on one cluster."""

    def __init__(
        self,
        arms: Sequence[Arm],
        workload: Workload,
        cluster: ClusterState,
        seed: int,
        clock: Callable[[], int],
    ) -> None:
        self._workload = workload
        self._strategies: dict[str, Strategy] = {arm.name: arm.make(cluster, seed) for arm in arms}
        self._reference = make_reference(cluster)
        self._rng = random.Random(f"order/{workload.name}/{seed}")  # noqa: S311 # no secret
        self._clock = clock

    def warm_up(self, preemptors: Sequence[Pod]) -> None:
        for preemptor in preemptors:
            for strategy in self._strategies.values():
                strategy.preempt(preemptor)

    def round(self, iteration: int, preemptor: Pod) -> list[Sample]:
        """Let every arm decide about `preemptor`, in random order."""
        reference = self._reference.preempt(preemptor)
        order = list(self._strategies.items())
        self._rng.shuffle(order)
        gc.collect()
        return [self._sample(name, arm, iteration, preemptor, reference) for name, arm in order]

    def _sample(
        self, name: str, strategy: Strategy, iteration: int, preemptor: Pod, reference: Decision
    ) -> Sample:
        start = self._clock()
        decision = strategy.preempt(preemptor)
        nanoseconds = self._clock() - start
        victims = quality(decision)
        return Sample(
            strategy=name,
            workload=self._workload.name,
            nodes=self._workload.nodes,
            pods_per_node=self._workload.pods_per_node,
            pdbs=self._workload.pdbs,
            iteration=iteration,
            nanoseconds=nanoseconds,
            outcome=str(decision.outcome),
            node=decision.node,
            victims=victims.victims,
            violations=victims.violations,
            highest_victim_priority=victims.highest_victim_priority,
            priority_sum=victims.priority_sum,
            same_choice_as_upstream=same_choice(decision, reference),
            regret=regret(decision, reference),
            tried=decision.tried,
            potential=decision.potential,
        )
