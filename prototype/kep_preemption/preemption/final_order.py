"""Upstream's last sort of a node's victims (the end of `SelectVictimsOnNode`)."""

from __future__ import annotations

import numpy as np

from kep_preemption.columns import BoolArray, IntArray, PodColumns
from kep_preemption.importance import SHORT_LIST, sort_indexes, tie_break


def sort_again(
    pods: PodColumns,
    victims: IntArray,
    violating: BoolArray,
    offsets: IntArray,
    nodes: BoolArray,
) -> IntArray:
    """Return `victims` with those of the marked `nodes` sorted by importance once more.

    The victims of the i-th node are `victims[offsets[i]:offsets[i + 1]]`, in importance order.
    They come into the sort in the order of reprieve, those violating a PDB first, and it leaves
    them so where importance cannot tell them apart (without a start time: the other way round).
    """
    kind = pods.importance_class[victims]
    tied = np.zeros(len(victims), dtype=np.bool_)
    tied[1:] = kind[1:] == kind[:-1]
    tied[:-1] |= tied[1:]
    count = np.diff(offsets)
    tied &= np.repeat(nodes, count)
    if not tied.any():
        return victims
    result = victims.copy()
    short = np.flatnonzero(tied & np.repeat(count <= SHORT_LIST, count))
    place = short + np.where(violating[short], 0, len(victims))
    order = np.lexsort((tie_break(place, pods.start[victims[short]]), kind[short]))
    result[short] = victims[short[order]]
    for i in np.flatnonzero((count > SHORT_LIST) & _any(tied, offsets)).tolist():
        mine = slice(int(offsets[i]), int(offsets[i + 1]))
        by_turn = np.argsort(~violating[mine], kind="stable")
        result[mine] = sort_indexes(pods, victims[mine][by_turn].tolist())
    return result


def _any(marked: BoolArray, offsets: IntArray) -> BoolArray:
    """Tell which of the ranges hold a marked entry."""
    before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(marked)])
    result: BoolArray = before[offsets[1:]] > before[offsets[:-1]]
    return result
