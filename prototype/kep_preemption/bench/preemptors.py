"""The pods that a benchmark asks about."""

from __future__ import annotations

import random

from kep_preemption.bench.workload import Workload
from kep_preemption.objects import CPU, MEMORY, Pod, Toleration


def make_preemptors(workload: Workload, count: int, seed: int) -> tuple[Pod, ...]:
    """Return `count` pending pods, drawn from the workload's values by `seed`.

    The n-th pod is the same for every `count`. All tolerate the taint of edge nodes.
    """
    return tuple(_preemptor(workload, index, seed) for index in range(count))


def _preemptor(workload: Workload, index: int, seed: int) -> Pod:
    rng = random.Random(f"{workload.name}/{seed}/{index}")  # noqa: S311 # a workload, no secret
    return Pod(
        namespace="default",
        name=f"preemptor-{index}",
        uid=f"preemptor-{seed}-{index}",
        priority=rng.choice(workload.preemptor_priorities),
        requests={
            CPU: rng.choice(workload.preemptor_cpu),
            MEMORY: rng.choice(workload.preemptor_memory),
        },
        tolerations=(Toleration(key="edge", operator="Exists"),),
        labels={"priority": "high"},
    )
