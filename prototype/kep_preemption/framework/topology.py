"""Counts of pods by topology domain, as seen from each node of a set.

A domain is a value of a node label. Each node is a hypothesis of its own, in which pods come and
go on that node alone, so all that can change is the count of the node's own domain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kep_preemption.columns import BoolArray, IntArray, Positions
from kep_preemption.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class DomainCount:
    """What `weight` (per pod of the snapshot) sums up to in the domain of each node.

    `counted` are the nodes whose pods count; `total` is the sum over all domains.
    """

    counted: BoolArray
    weight: IntArray
    count: IntArray
    total: IntArray

    @classmethod
    def of(
        cls,
        snapshot: Snapshot,
        key: str,
        weight: IntArray,
        counted: BoolArray | None = None,
        at_first: IntArray | None = None,
    ) -> Self:
        """Count over the domains of the label `key`.

        Nodes without it are not counted, nor are those outside `counted`. `at_first` is the
        weight of the pods that are there already, where it differs.
        """
        domain, values = snapshot.nodes.labels.column(key)
        here = domain >= 0 if counted is None else (domain >= 0) & counted
        sums = np.zeros(len(values) + 1, dtype=np.int64)
        node = snapshot.pods.node[: snapshot.pods.bound]
        first = (weight if at_first is None else at_first)[: snapshot.pods.bound] * here[node]
        np.add.at(sums, domain[node], first)
        total = np.full(len(domain), sums.sum(), dtype=np.int64)
        return cls(here, weight, sums[domain] * (domain >= 0), total)

    def select(self, positions: IntArray) -> Self:
        """Return the counts as seen from these nodes alone."""
        return replace(
            self,
            counted=self.counted[positions],
            count=self.count[positions],
            total=self.total[positions],
        )

    def add_pods(self, at: Positions, pods: IntArray) -> None:
        """Count pods that come to nodes."""
        self._change(at, self.weight[pods] * self.counted[at])

    def remove_pods(self, at: Positions, pods: IntArray) -> None:
        """Count pods that leave nodes no longer."""
        self._change(at, -self.weight[pods] * self.counted[at])

    def _change(self, at: Positions, amount: IntArray) -> None:
        for column in (self.count, self.total):
            if isinstance(at, slice):
                column[at] += amount
            else:
                np.add.at(column, at, amount)
