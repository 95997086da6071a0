"""The search for victims on many nodes at once.

`victims.py` is the same search on one node in upstream's form. Reprieve is sequential on a node
and independent between nodes, so all nodes go through it in step: the n-th pod to be reprieved
on every node, then the next. Nodes stand in order of their number of potential victims, so the
nodes still at work are always the first ones, and a slice instead of a selection.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kep_preemption.columns import BoolArray, IntArray
from kep_preemption.framework.runtime import Filters
from kep_preemption.framework.status import Verdicts
from kep_preemption.objects import Pod
from kep_preemption.preemption.dry_run import DryRun, NoVictims
from kep_preemption.preemption.final_order import sort_again
from kep_preemption.preemption.long_lists import LongLists
from kep_preemption.preemption.pdb import BudgetColumns
from kep_preemption.preemption.ranges import ranges
from kep_preemption.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class _Potential:
    """The potential victims of all nodes in a row, each node's in importance order.

    Those of the i-th node are the places `begin[i]:begin[i] + count[i]`, `owner` tells which node
    a place belongs to.
    """

    pods: IntArray
    owner: IntArray
    begin: IntArray
    count: IntArray
    violating: BoolArray

    @classmethod
    def of(
        cls,
        snapshot: Snapshot,
        nodes: IntArray,
        priority: int,
        budgets: BudgetColumns,
        long_lists: LongLists,
    ) -> _Potential:
        """Find them on `nodes`, for a preemptor of `priority`."""
        first = first_below(snapshot, nodes, priority)
        end = snapshot.pods.offsets[nodes + 1]
        owner, pods = ranges(first, end)
        place = None
        if long_lists.mend(pods, first, end):
            place = np.zeros(snapshot.pods.bound, dtype=np.int64)
            place[pods] = np.arange(len(pods))
        violating = budgets.violating(snapshot, nodes, first, place)[pods]
        count = end - first
        return cls(pods, owner, np.cumsum(count) - count, count, violating)


def select_victims(
    filters: Filters,
    snapshot: Snapshot,
    preemptor: Pod,
    budgets: BudgetColumns,
    long_lists: LongLists,
) -> DryRun:
    """Search victims on every node of `filters`, which is changed by it.

    The answer is that of `victims.select_victims_on_node` for each node.
    """
    potential = _Potential.of(snapshot, filters.nodes, preemptor.priority, budgets, long_lists)
    filters.remove_pods(potential.owner, potential.pods)
    verdicts = _with_refusals(filters.filter(), potential.count == 0, NoVictims.NONE_LOWER)
    fitting = np.flatnonzero(verdicts.feasible)
    fitting = fitting[np.argsort(-potential.count[fitting], kind="stable")]
    is_victim = np.zeros(len(potential.pods), dtype=np.bool_)
    _reprieve(filters.select(fitting), potential, fitting, is_victim)
    return _collect(snapshot, verdicts, potential, is_victim)


def first_below(snapshot: Snapshot, nodes: IntArray, priority: int) -> IntArray:
    """Return for each node the index of its first pod below `priority` (a bisection)."""
    column, low = snapshot.pods.priority, snapshot.pods.offsets[nodes]
    high = snapshot.pods.offsets[nodes + 1]
    while (searching := low < high).any():
        middle = (low + high) // 2
        # `middle` may be one past the last pod where the search is over.
        stays = searching & (column[np.minimum(middle, len(column) - 1)] >= priority)
        low = np.where(stays, middle + 1, low)
        high = np.where(searching & ~stays, middle, high)
    return low


def _reprieve(
    filters: Filters, potential: _Potential, nodes: IntArray, is_victim: BoolArray
) -> None:
    """Reprieve as many pods as possible on `nodes` and mark the others in `is_victim`."""
    counts = potential.count[nodes]
    turns = _turns(potential, nodes)
    before = np.cumsum(counts) - counts
    # How many nodes have a pod for the n-th turn: counts fall, so it is a look-up.
    at_work = np.searchsorted(-counts, -np.arange(1, counts[:1].sum() + 1), side="right")
    for turn, working in enumerate(at_work.tolist()):
        places = turns[before[:working] + turn]
        pods = potential.pods[places]
        filters.add_pods(slice(0, working), pods)
        refused = np.flatnonzero(~filters.fits(working))
        filters.remove_pods(refused, pods[refused])
        is_victim[places[refused]] = True


def _turns(potential: _Potential, nodes: IntArray) -> IntArray:
    """Return the places node by node in the order of reprieve: those violating a PDB first."""
    begin = potential.begin[nodes]
    at, places = ranges(begin, begin + potential.count[nodes])
    violating = potential.violating[places]
    if not violating.any():
        return places
    return places[np.argsort(2 * at + ~violating, kind="stable")]


def _collect(
    snapshot: Snapshot, verdicts: Verdicts, potential: _Potential, is_victim: BoolArray
) -> DryRun:
    places = np.flatnonzero(is_victim)
    count = len(verdicts.nodes)
    owner, violating = potential.owner[places], potential.violating[places]
    offsets = np.searchsorted(owner, np.arange(count + 1)).astype(np.int64)
    spared_all = verdicts.feasible & (np.diff(offsets) == 0)
    # Upstream sorts the victims again if there were potential victims of both kinds.
    violating_count = np.bincount(potential.owner[potential.violating], minlength=count)
    sorted_again = (violating_count > 0) & (violating_count < potential.count)
    return DryRun(
        _with_refusals(verdicts, spared_all, NoVictims.NONE_NEEDED),
        np.bincount(owner[violating], minlength=count),
        sort_again(snapshot.pods, potential.pods[places], violating, offsets, sorted_again),
        offsets,
    )


def _with_refusals(verdicts: Verdicts, where: BoolArray, refusal: int) -> Verdicts:
    """Refuse the nodes `where`, in the name of the search itself."""
    own = next((f for f in verdicts.filters if isinstance(f, NoVictims)), None)
    filters = verdicts.filters
    if own is None:
        filters = (*filters, NoVictims(np.zeros(0, dtype=np.int64)))
    place = next(i for i, f in enumerate(filters) if isinstance(f, NoVictims))
    return Verdicts(
        filters,
        verdicts.nodes,
        np.where(where, place, verdicts.refused_by).astype(np.int8),
        np.where(where, refusal, verdicts.refusal),
        verdicts.unresolvable | where,
    )
