"""Preemption scores: what each node would cost, estimated from cached columns alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kep_preemption.columns import BoolArray, IntArray, NodeColumns
from kep_preemption.fast_path.reprieve_order import ReprieveOrder
from kep_preemption.objects import PODS

_NO_PRIORITY = np.int64(-(2**31) - 1)


@dataclass(frozen=True)
class Scores:
    """The estimated cost of each node, by the first four of upstream's five criteria.

    The estimate reprieves pods in upstream's order up to the first that does not fit and counts
    all others as victims. Resources and PDBs are looked at, no other filter. So, where only they
    decide, `highest_priority` is exact on nodes without violating pods, and `violations`,
    `priority_sum` and `victims` are at least what the search will find: a smaller pod further
    down may still go back. Where nothing lacks and another filter (host ports) is the cause,
    all lower pods count. `fits` is False where the preemptor lacks room even without all lower
    pods, or there is none to evict.
    """

    fits: BoolArray
    violations: IntArray
    highest_priority: IntArray
    priority_sum: IntArray
    victims: IntArray

    def order(self, rows: IntArray) -> IntArray:
        """Return `rows` from the cheapest node on; equal costs keep their order in `rows`."""
        keys = (self.victims, self.priority_sum, self.highest_priority, self.violations, ~self.fits)
        return rows[np.lexsort([key[rows] for key in keys])]


def score_nodes(order: ReprieveOrder, nodes: NodeColumns, requests: Mapping[str, int]) -> Scores:
    """Score all nodes for a preemptor that asks for `requests`.

    Only resources that the preemptor asks for are looked at, and the number of pods.
    """
    first, counts = order.first[:-1], np.diff(order.first)
    spare = _spare(order, nodes, requests)
    fits = counts > 0
    for room in spare.values():
        fits &= room >= 0
    back = _reprieved(order, spare)
    back = np.where(back == counts, 0, back)
    violations = np.maximum(order.violating - back, 0)
    highest = np.maximum(
        _priority_at(order, back, counts),
        np.where(violations > 0, _priority_at(order, order.violating, counts), _NO_PRIORITY),
    )
    return Scores(
        fits=fits,
        violations=violations,
        highest_priority=highest,
        priority_sum=order.weight[first + counts] - order.weight[first + back],
        victims=counts - back,
    )


def _spare(
    order: ReprieveOrder, nodes: NodeColumns, requests: Mapping[str, int]
) -> dict[str, IntArray]:
    """Return what is left beside the pods that stay and the preemptor, by resource."""
    spare = {PODS: nodes.allowed_pods - order.kept_pods - 1}
    nothing = np.zeros_like(order.kept_pods)
    for name, amount in requests.items():
        if amount > 0 and name != PODS:
            spare[name] = nodes.allocatable_of(name) - order.kept.get(name, nothing) - amount
    return spare


def _reprieved(order: ReprieveOrder, spare: Mapping[str, IntArray]) -> IntArray:
    """Return how many pods of each node go back before the first that does not fit."""
    first = order.first[:-1]
    low = np.zeros_like(first)
    high = np.minimum(np.diff(order.first), np.maximum(spare[PODS], 0))
    sums = [
        (order.requested[name], np.maximum(room, 0) + order.requested[name][first])
        for name, room in spare.items()
        if name in order.requested
    ]
    for _ in range(int(high.max(initial=0)).bit_length()):
        middle = (low + high + 1) // 2
        fits = np.ones_like(low, dtype=np.bool_)
        for running, limit in sums:
            fits &= running[first + middle] <= limit
        low = np.where(fits, middle, low)
        high = np.where(fits, high, middle - 1)
    return low


def _priority_at(order: ReprieveOrder, offset: IntArray, counts: IntArray) -> IntArray:
    """Return the priority of each node's pod at `offset`, or less than any if there is none."""
    if not len(order.priority):
        return np.full_like(counts, _NO_PRIORITY)
    index = np.minimum(order.first[:-1] + offset, len(order.priority) - 1)
    return np.where(offset < counts, order.priority[index], _NO_PRIORITY)
