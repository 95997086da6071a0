"""The importance order of long lists of pods that importance cannot tell apart."""

from __future__ import annotations

import numpy as np

from kep_preemption.columns import BoolArray, IntArray
from kep_preemption.importance import SHORT_LIST, sort_indexes
from kep_preemption.snapshot import Snapshot


class LongLists:
    """Mends the snapshot's importance order where upstream's sort is not stable.

    Such a list is sorted once for each number of potential victims, and kept.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._pods = snapshot.pods
        kind = snapshot.pods.importance_class[: snapshot.pods.bound]
        same = np.zeros(len(kind) + 1, dtype=np.int64)
        # One entry per pod that cannot be told from the pod before it.
        np.cumsum(kind[1:] == kind[:-1], out=same[2:])
        self._ties_before = same
        self._sorted: dict[tuple[int, int], IntArray] = {}

    def unstable(self, first: IntArray, end: IntArray) -> BoolArray:
        """Tell which of the lists `first[i]:end[i]` of pods upstream's sort may shuffle."""
        after_first = np.minimum(first + 1, end)
        ties = self._ties_before[end] - self._ties_before[after_first]
        return (end - first > SHORT_LIST) & (ties > 0)

    def mend(self, pods: IntArray, first: IntArray, end: IntArray) -> bool:
        """Put the lists, which lie in `pods` one after the other, in upstream's order.

        The answer is whether any list was put in another order.
        """
        lists = np.flatnonzero(self.unstable(first, end)).tolist()
        begin = np.cumsum(end - first) - (end - first)
        for i in lists:
            place = int(begin[i])
            ordered = self._sort(int(first[i]), int(end[i]))
            pods[place : place + len(ordered)] = ordered
        return bool(lists)

    def _sort(self, first: int, end: int) -> IntArray:
        if (first, end) not in self._sorted:
            as_listed = sorted(range(first, end), key=self._pods.listed.__getitem__)
            ordered = sort_indexes(self._pods, as_listed)
            self._sorted[first, end] = np.array(ordered, dtype=np.int64)
        return self._sorted[first, end]
