"""Preemption scores: what each node would cost, estimated from cached columns alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kep_preemption.columns import NEVER_STARTED, BoolArray, IntArray, NodeColumns
from kep_preemption.fast_path.reprieve_order import ReprieveOrder
from kep_preemption.objects import PODS

_NO_PRIORITY = np.int64(-(2**31) - 1)


@dataclass(frozen=True)
class Scores:
    """The estimated cost of each node, by upstream's five criteria.

    The estimate reprieves pods in upstream's order up to the first that does not fit and counts
    all others as victims. Resources and PDBs are looked at, no other filter. So, where only they
    decide, `highest_priority` and `earliest_start` are exact on nodes without violating pods,
    and `violations`, `priority_sum` and `victims` are at least what the search will find: a
    smaller pod further down may still go back. Where nothing lacks and another filter (host
    ports) is the cause, all lower pods count. `earliest_start` is that of the victims of the
    highest priority. `fits` is False where the preemptor lacks room even without all lower pods,
    or there is none to evict.
    """

    fits: BoolArray
    violations: IntArray
    highest_priority: IntArray
    priority_sum: IntArray
    victims: IntArray
    earliest_start: IntArray

    def order(self, rows: IntArray) -> IntArray:
        """Return `rows` from the cheapest node on; equal costs keep their order in `rows`."""
        keys = (
            -self.earliest_start,
            self.victims,
            self.priority_sum,
            self.highest_priority,
            self.violations,
            ~self.fits,
        )
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
    highest, start = _first_victim(order, back, counts, violations > 0)
    return Scores(
        fits=fits,
        violations=violations,
        highest_priority=highest,
        priority_sum=order.weight[first + counts] - order.weight[first + back],
        victims=counts - back,
        earliest_start=start,
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


def _first_victim(
    order: ReprieveOrder, back: IntArray, counts: IntArray, violates: BoolArray
) -> tuple[IntArray, IntArray]:
    """Return the highest priority of each node's victims and the earliest start at it.

    Each group lies in order of importance, so the most important victim is the first that does
    not go back, or, if that one violates a PDB, perhaps the first of the other group.
    """
    priority, start = _at(order, back, counts)
    other_priority, other_start = _at(order, order.violating, counts)
    higher = violates & (other_priority > priority)
    equal = violates & (other_priority == priority)
    return (
        np.where(higher, other_priority, priority),
        np.where(higher, other_start, np.where(equal, np.minimum(start, other_start), start)),
    )


def _at(order: ReprieveOrder, offset: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return priority and start of each node's pod at `offset`; lower than any if none is there."""
    if not len(order.priority):
        return np.full_like(counts, _NO_PRIORITY), np.full_like(counts, NEVER_STARTED)
    index = np.minimum(order.first[:-1] + offset, len(order.priority) - 1)
    there = offset < counts
    return (
        np.where(there, order.priority[index], _NO_PRIORITY),
        np.where(there, order.start[index], NEVER_STARTED),
    )
