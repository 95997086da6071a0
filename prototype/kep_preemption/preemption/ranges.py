"""Many ranges of indexes as one array."""

from __future__ import annotations

import numpy as np

from kep_preemption.columns import IntArray


def ranges(first: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
    """Return the indexes of all ranges `first[i]:end[i]` in a row, and for each its `i`.

    The answer is the pair (`i` of each index, indexes).
    """
    counts = end - first
    owner = np.repeat(np.arange(len(first), dtype=np.int64), counts)
    before = np.cumsum(counts) - counts
    return owner, np.arange(len(owner), dtype=np.int64) + (first - before)[owner]
