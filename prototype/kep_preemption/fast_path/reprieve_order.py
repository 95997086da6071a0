"""Cached columns: the pods below one priority, as their nodes would reprieve them.

Upstream removes all pods of lower priority from a node and puts them back one by one, first those
whose eviction would violate a PodDisruptionBudget, then the others, each group from the most to
the least important. Laid out in that order with running sums, 'how many go back before the first
one that does not fit' is a binary search, made for all nodes at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kep_preemption.columns import IntArray
from kep_preemption.preemption.pdb import BudgetColumns
from kep_preemption.preemption.selection import PRIORITY_OFFSET
from kep_preemption.snapshot import Snapshot


@dataclass(frozen=True)
class ReprieveOrder:
    """The pods below one priority in reprieve order, node after node.

    A node's pods are `first[n]` up to, not including, `first[n + 1]`; the first `violating[n]`
    of them violate a PDB when evicted. `priority` and `start` are each pod's. Each running sum
    has a leading 0: `requested[r][j]` is what the pods before j ask for, `weight[j]` the sum of
    their priorities with upstream's offset. `kept[r][n]` is what the node's pods of higher or
    equal priority ask for, `kept_pods[n]` how many they are.
    """

    first: IntArray
    violating: IntArray
    priority: IntArray
    start: IntArray
    requested: Mapping[str, IntArray]
    weight: IntArray
    kept: Mapping[str, IntArray]
    kept_pods: IntArray


def reprieve_order(snapshot: Snapshot, budgets: BudgetColumns, priority: int) -> ReprieveOrder:
    """Lay out the bound pods of lower priority than `priority`."""
    pods, count = snapshot.pods, len(snapshot.nodes)
    node, priorities = pods.node[: pods.bound], pods.priority[: pods.bound]
    kept_pods = np.bincount(node[priorities >= priority], minlength=count)
    violates = budgets.violating(snapshot, np.arange(count), pods.offsets[:-1] + kept_pods)
    lower = np.flatnonzero(priorities < priority)
    # Pods lie in importance order; a stable sort keeps it inside both groups of a node.
    order = lower[np.argsort(2 * node[lower] + ~violates[lower], kind="stable")]
    first = _running(np.diff(pods.offsets) - kept_pods)
    requested = {name: _running(column[order]) for name, column in pods.requests.items()}
    return ReprieveOrder(
        first=first,
        violating=np.bincount(node[lower[violates[lower]]], minlength=count),
        priority=priorities[order],
        start=pods.start[order],
        requested=requested,
        weight=_running(priorities[order] + PRIORITY_OFFSET),
        kept={
            name: snapshot.used_of(name) - (running[first[1:]] - running[first[:-1]])
            for name, running in requested.items()
        },
        kept_pods=kept_pods,
    )


def _running(values: IntArray) -> IntArray:
    total = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=total[1:])
    return total
