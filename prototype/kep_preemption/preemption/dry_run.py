"""What the search for victims found, node by node, as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kep_preemption.columns import BoolArray, IntArray
from kep_preemption.decision import Candidate
from kep_preemption.framework.static_filter import StaticFilter
from kep_preemption.framework.status import Verdicts
from kep_preemption.snapshot import Snapshot


class NoVictims(StaticFilter):
    """The refusals that the search for victims gives itself; upstream names no plugin for them."""

    name = ""
    NONE_LOWER = 1
    NONE_NEEDED = 2

    def reasons(self, refusal: int, node: int) -> tuple[str, ...]:
        """Return upstream's words."""
        if refusal == self.NONE_LOWER:
            return ("No preemption victims found for incoming pod",)
        return ("expected at least one victim pod",)


@dataclass(frozen=True, slots=True)
class DryRun:
    """The nodes tried, in the order they were tried.

    `verdicts` is each node's verdict with all its potential victims removed; a node that passes
    is a candidate. The victims of the i-th node, in upstream's order, are the pods (indexes in
    the snapshot) `victims[offsets[i]:offsets[i + 1]]`; `violations` counts those that violate a
    PodDisruptionBudget.
    """

    verdicts: Verdicts
    violations: IntArray
    victims: IntArray
    offsets: IntArray

    def __len__(self) -> int:
        return len(self.verdicts.nodes)

    @property
    def nodes(self) -> IntArray:
        """The indexes of the nodes in the snapshot."""
        return self.verdicts.nodes

    @property
    def is_candidate(self) -> BoolArray:
        """The nodes that would fit the preemptor without their victims."""
        return self.verdicts.feasible

    def victims_of(self, position: int) -> IntArray:
        """Return the victims of the node at `position`."""
        return self.victims[self.offsets[position] : self.offsets[position + 1]]

    def first(self, count: int) -> DryRun:
        """Return what had been found after `count` nodes."""
        return DryRun(
            self.verdicts.select(np.arange(count)),
            self.violations[:count],
            self.victims[: self.offsets[count]],
            self.offsets[: count + 1],
        )

    def then(self, later: DryRun) -> DryRun:
        """Return both runs as one."""
        mine, others = self.verdicts, later.verdicts
        return DryRun(
            Verdicts(
                mine.filters,
                np.concatenate([mine.nodes, others.nodes]),
                np.concatenate([mine.refused_by, others.refused_by]),
                np.concatenate([mine.refusal, others.refusal]),
                np.concatenate([mine.unresolvable, others.unresolvable]),
            ),
            np.concatenate([self.violations, later.violations]),
            np.concatenate([self.victims, later.victims]),
            np.concatenate([self.offsets, later.offsets[1:] + self.offsets[-1]]),
        )


class Candidates(Sequence[Candidate]):
    """The candidates of a dry run, each made when it is asked for."""

    def __init__(self, snapshot: Snapshot, run: DryRun) -> None:
        self._snapshot = snapshot
        self._run = run
        self._positions = np.flatnonzero(run.is_candidate)

    def __len__(self) -> int:
        return len(self._positions)

    def __getitem__(self, index: int | slice) -> Candidate | tuple[Candidate, ...]:  # type: ignore[override]
        if isinstance(index, slice):
            return tuple(self._candidate(int(i)) for i in self._positions[index])
        return self._candidate(int(self._positions[index]))

    def __iter__(self) -> Iterator[Candidate]:
        return (self._candidate(position) for position in self._positions.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(tuple(self))

    def _candidate(self, position: int) -> Candidate:
        return candidate(self._snapshot, self._run, position)


def candidate(snapshot: Snapshot, run: DryRun, position: int) -> Candidate:
    """Return the candidate at `position` of a dry run."""
    return Candidate(
        snapshot.nodes.names[run.nodes[position]],
        tuple(snapshot.pods.pods[i] for i in run.victims_of(position).tolist()),
        int(run.violations[position]),
    )
