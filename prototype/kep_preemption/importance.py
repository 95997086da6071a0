"""Which pod is more important (kubernetes `pkg/scheduler/util.MoreImportantPod`).

A pod without a start time counts as started now, at each comparison anew. Among such pods of one
priority the comparison therefore always says 'more important', and upstream's sort of up to 12
pods turns their order round. Longer lists are sorted unstably by upstream; here the rule of the
short list holds for every length.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kep_preemption.columns import NEVER_STARTED, IntArray
from kep_preemption.objects import Pod


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


def sort_by_importance(pods: Sequence[Pod]) -> list[Pod]:
    """Return `pods` as upstream's `sort.Slice` by `MoreImportantPod` leaves up to 12 of them."""
    result: list[Pod] = []
    for pod in pods:
        place = len(result)
        while place and more_important_pod(pod, result[place - 1]):
            place -= 1
        result.insert(place, pod)
    return result


def importance_order(node: IntArray, priority: IntArray, start: IntArray) -> IntArray:
    """Return the order that sorts pods by node, and on each node as `sort_by_importance` does."""
    tie = tie_break(np.arange(len(node), dtype=np.int64), start)
    return np.lexsort((tie, start, -priority, node))


def tie_break(position: IntArray, start: IntArray) -> IntArray:
    """Return what orders pods of one priority and start: their position, or it turned round."""
    return np.where(start == NEVER_STARTED, -position, position)
