"""Which pod is more important (kubernetes `pkg/scheduler/util.MoreImportantPod`).

A pod without a start time counts as started now, at each comparison anew. Among such pods of one
priority the comparison therefore always says 'more important', and upstream's sort of up to 12
pods turns their order round. In longer lists upstream leaves pods that it cannot tell apart in
an order of its own (`slice_sort`).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kep_preemption.columns import NEVER_STARTED, IntArray, PodColumns
from kep_preemption.objects import Pod
from kep_preemption.slice_sort import slice_sort

# Up to so many pods, `importance_order` is exact; beyond, only if no two pods are of one class.
SHORT_LIST = 12


def start_of(pod: Pod) -> int:
    """Return the pod's start in nanoseconds, `NEVER_STARTED` if it has none."""
    return int(NEVER_STARTED) if pod.start_time is None else pod.start_time


def more_important_pod(left: Pod, right: Pod) -> bool:
    """Tell whether `left` is more important than `right`."""
    if left.priority != right.priority:
        return left.priority > right.priority
    if left.start_time is None and right.start_time is None:
        return True
    return start_of(left) < start_of(right)


def sort_by_importance(pods: Iterable[Pod]) -> list[Pod]:
    """Return `pods` in the order in which upstream's sort by `MoreImportantPod` leaves them."""
    result = list(pods)
    slice_sort(result, more_important_pod)
    return result


def sort_indexes(pods: PodColumns, indexes: Iterable[int]) -> list[int]:
    """Return the indexes of pods of one node as `sort_by_importance` sorts the pods."""
    indexes = list(indexes)
    # Classes of one node are numbered in importance order, so they stand in for the comparison.
    kinds = pods.importance_class[indexes].tolist()
    never_started = (pods.start[indexes] == NEVER_STARTED).tolist()
    entries = list(zip(kinds, never_started, indexes, strict=True))
    slice_sort(entries, lambda left, right: left[0] < right[0] or (left[0] == right[0] and left[1]))
    return [index for _, _, index in entries]


def importance_order(node: IntArray, priority: IntArray, start: IntArray) -> IntArray:
    """Return the order that sorts pods by node and importance, as in lists of up to 12 pods."""
    tie = tie_break(np.arange(len(node), dtype=np.int64), start)
    return np.lexsort((tie, start, -priority, node))


def tie_break(position: IntArray, start: IntArray) -> IntArray:
    """Return what orders pods of one priority and start: their position, or it turned round."""
    return np.where(start == NEVER_STARTED, -position, position)
