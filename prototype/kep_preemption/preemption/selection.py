"""Which candidate is chosen (`pickOneNodeForPreemption`): five criteria, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kep_preemption.columns import IntArray
from kep_preemption.preemption.dry_run import DryRun
from kep_preemption.preemption.ranges import ranges
from kep_preemption.snapshot import Snapshot

# Makes every priority positive, so that more victims never sum up to less.
PRIORITY_OFFSET = 2**31


@dataclass(frozen=True, slots=True)
class VictimColumns:
    """Victims of candidates in a row, with their node's place and the range of each node."""

    violations: IntArray
    priority: IntArray
    start: IntArray
    at: IntArray
    first: IntArray
    count: IntArray

    @classmethod
    def of(cls, snapshot: Snapshot, run: DryRun, positions: IntArray) -> VictimColumns:
        """Lay out the victims of the candidates at `positions`."""
        at, entries = ranges(run.offsets[positions], run.offsets[positions + 1])
        count = run.offsets[positions + 1] - run.offsets[positions]
        pods = run.victims[entries]
        return cls(
            run.violations[positions],
            snapshot.pods.priority[pods],
            snapshot.pods.start[pods],
            at,
            np.cumsum(count) - count,
            count,
        )


def violations(victims: VictimColumns) -> IntArray:
    """The number of victims that violate a PodDisruptionBudget."""
    return victims.violations


def highest_priority(victims: VictimColumns) -> IntArray:
    """The priority of the first victim, which is the most important."""
    return victims.priority[victims.first]


def priority_sum(victims: VictimColumns) -> IntArray:
    """The sum of all priorities, each raised by 2^31."""
    result: IntArray = np.add.reduceat(victims.priority + PRIORITY_OFFSET, victims.first)
    return result


def victim_count(victims: VictimColumns) -> IntArray:
    """The number of victims."""
    return victims.count


def latest_start(victims: VictimColumns) -> IntArray:
    """The earliest start among the victims of the highest priority, the latest being the best.

    A victim that has not started counts as started now, later than all others.
    """
    highest = highest_priority(victims)[victims.at]
    start = np.where(victims.priority == highest, victims.start, np.iinfo(np.int64).max)
    return -np.minimum.reduceat(start, victims.first)


# In upstream's order; the least is the best in each.
CRITERIA: tuple[Callable[[VictimColumns], IntArray], ...] = (
    violations,
    highest_priority,
    priority_sum,
    victim_count,
    latest_start,
)


def best_candidates(snapshot: Snapshot, run: DryRun) -> IntArray:
    """Return the positions of the candidates that no criterion tells apart from the best."""
    positions = np.flatnonzero(run.is_candidate)
    for criterion in CRITERIA:
        if len(positions) < 2:
            break
        scores = criterion(VictimColumns.of(snapshot, run, positions))
        positions = positions[scores == scores.min()]
    return positions
