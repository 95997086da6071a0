"""Statuses of many nodes, kept as arrays and put into words on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kep_preemption.columns import BoolArray, IntArray
from kep_preemption.decision import Code, NodeStatus
from kep_preemption.framework.interface import Filter

SUCCESS = NodeStatus(Code.SUCCESS)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the filters say about a set of nodes: the first filter that refuses, and why.

    `refused_by` is the filter's place in `filters`, -1 for a node that fits; `refusal` is that
    filter's own mask of reasons; `unresolvable` tells that preemption cannot help. `nodes` are
    the nodes' indexes in the snapshot.
    """

    filters: Sequence[Filter]
    nodes: IntArray
    refused_by: npt.NDArray[np.int8]
    refusal: IntArray
    unresolvable: BoolArray

    @property
    def feasible(self) -> BoolArray:
        """The nodes that fit."""
        return self.refused_by < 0

    @property
    def helpful(self) -> BoolArray:
        """The nodes whose status is exactly Unschedulable: preemption might help there."""
        return (self.refused_by >= 0) & ~self.unresolvable

    def status(self, position: int) -> NodeStatus:
        """Return the status of the node at `position` in upstream's words."""
        place = int(self.refused_by[position])
        if place < 0:
            return SUCCESS
        refused_by = self.filters[place]
        code = Code.UNRESOLVABLE if self.unresolvable[position] else Code.UNSCHEDULABLE
        refusal, node = int(self.refusal[position]), int(self.nodes[position])
        return NodeStatus(code, refused_by.name, refused_by.reasons(refusal, node))

    def select(self, positions: IntArray | BoolArray) -> Verdicts:
        """Return the verdicts on some of the nodes."""
        return Verdicts(
            self.filters,
            self.nodes[positions],
            self.refused_by[positions],
            self.refusal[positions],
            self.unresolvable[positions],
        )


class NodeStatuses(Mapping[str, NodeStatus]):
    """Statuses by node name, each made when it is asked for."""

    def __init__(self, names: Sequence[str], verdicts: Verdicts) -> None:
        self._names = names
        self._verdicts = verdicts
        self._positions: dict[str, int] = {}

    def __getitem__(self, name: str) -> NodeStatus:
        if not self._positions:
            self._positions = {name: i for i, name in enumerate(self)}
        return self._verdicts.status(self._positions[name])

    def __iter__(self) -> Iterator[str]:
        return (self._names[node] for node in self._verdicts.nodes.tolist())

    def __len__(self) -> int:
        return len(self._verdicts.nodes)

    def __repr__(self) -> str:
        return repr(dict(self))
