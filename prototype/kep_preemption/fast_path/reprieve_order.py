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
import numpy.typing as npt

Column = npt.NDArray[np.int64]
PRIORITY_OFFSET = 2**31
"""Upstream adds it to each victim's priority, so that a sum grows with the count."""


@dataclass(frozen=True)
class PodColumns:
    """The bound pods of a cluster, sorted by node and there by importance (most important first).

    `node` is the node's row, `requests` maps a resource to what each pod asks of it. `pair_pod`
    and `pair_pdb` list the pods that a PDB charges (row of the pod, row of the PDB), in the
    pods' order; `allowed` is the disruptions each PDB allows.
    """

    nodes: int
    node: Column
    priority: Column
    requests: Mapping[str, Column]
    pair_pod: Column
    pair_pdb: Column
    allowed: Column


@dataclass(frozen=True)
class ReprieveOrder:
    """The pods below one priority in reprieve order, node after node.

    A node's pods are `first[n]` up to, not including, `first[n + 1]`; the first `violating[n]`
    of them violate a PDB when evicted. `priority` is each pod's. Each running sum has a leading
    0: `requested[r][j]` is what the pods before j ask for, `weight[j]` the sum of their
    priorities with upstream's offset. `kept[r][n]` is what the node's pods of higher or equal
    priority ask for, `kept_pods[n]` how many they are.
    """

    first: Column
    violating: Column
    priority: Column
    requested: Mapping[str, Column]
    weight: Column
    kept: Mapping[str, Column]
    kept_pods: Column


def reprieve_order(pods: PodColumns, priority: int) -> ReprieveOrder:
    """Lay out the pods of lower priority than `priority`."""
    lower = np.flatnonzero(pods.priority < priority)
    violates = _violating(pods, priority)[lower]
    # A stable sort keeps the order of importance inside both groups of a node.
    order = lower[np.argsort(2 * pods.node[lower] + ~violates, kind="stable")]
    counts = np.bincount(pods.node[lower], minlength=pods.nodes)
    stays = pods.priority >= priority
    return ReprieveOrder(
        first=_running(counts),
        violating=np.bincount(pods.node[lower[violates]], minlength=pods.nodes),
        priority=pods.priority[order],
        requested={name: _running(column[order]) for name, column in pods.requests.items()},
        weight=_running(pods.priority[order] + PRIORITY_OFFSET),
        kept={
            name: _sum_by_node(pods, np.where(stays, column, 0))
            for name, column in pods.requests.items()
        },
        kept_pods=np.bincount(pods.node[stays], minlength=pods.nodes),
    )


def _violating(pods: PodColumns, priority: int) -> npt.NDArray[np.bool_]:
    """Tell which pods below `priority` find a budget spent (`filterPodsWithPDBViolation`).

    A node's potential victims draw on each budget in order of importance; every node starts
    with the full budget.
    """
    violates = np.zeros(len(pods.node), dtype=np.bool_)
    lower = pods.priority[pods.pair_pod] < priority
    pod, pdb = pods.pair_pod[lower], pods.pair_pdb[lower]
    if not len(pod):
        return violates
    group = pods.node[pod] * len(pods.allowed) + pdb
    order = np.argsort(group, kind="stable")
    grouped = group[order]
    starts = np.flatnonzero(np.r_[True, grouped[1:] != grouped[:-1]])
    sizes = np.diff(np.r_[starts, len(grouped)])
    rank = np.arange(len(grouped)) - np.repeat(starts, sizes)
    violates[pod[order[rank >= pods.allowed[pdb[order]]]]] = True
    return violates


def _running(values: Column) -> Column:
    total = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=total[1:])
    return total


def _sum_by_node(pods: PodColumns, values: Column) -> Column:
    """Sum by node in integers: bincount's weights are floats and lose bytes above 2^53."""
    totals = np.zeros(pods.nodes, dtype=np.int64)
    np.add.at(totals, pods.node, values)
    return totals
