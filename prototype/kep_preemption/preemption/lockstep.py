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
from kep_preemption.importance import tie_break
from kep_preemption.objects import Pod
from kep_preemption.preemption.dry_run import DryRun, NoVictims
from kep_preemption.preemption.pdb import BudgetColumns
from kep_preemption.preemption.ranges import ranges
from kep_preemption.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class _Potential:
    """Potential victims: of the i-th node the pods `first[i]:end[i]`, those `violating` marked."""

    first: IntArray
    end: IntArray
    violating: BoolArray

    @property
    def counts(self) -> IntArray:
        return self.end - self.first


def select_victims(
    filters: Filters, snapshot: Snapshot, preemptor: Pod, budgets: BudgetColumns
) -> DryRun:
    """Search victims on every node of `filters`, which is changed by it.

    The answer is that of `victims.select_victims_on_node` for each node.
    """
    pods = snapshot.pods
    first = first_below(snapshot, filters.nodes, preemptor.priority)
    end = pods.offsets[filters.nodes + 1]
    violating = budgets.violating(snapshot, filters.nodes, first)
    potential = _Potential(first, end, violating)
    filters.remove_pods(*ranges(first, end))
    verdicts = _with_refusals(filters.filter(), potential.counts == 0, NoVictims.NONE_LOWER)
    fitting = np.flatnonzero(verdicts.feasible)
    fitting = fitting[np.argsort(-potential.counts[fitting], kind="stable")]
    is_victim = np.zeros(pods.bound, dtype=np.bool_)
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
    turns = _turns(potential, nodes)
    counts = potential.counts[nodes]
    before = np.cumsum(counts) - counts
    # How many nodes have a pod for the n-th turn: counts fall, so it is a look-up.
    at_work = np.searchsorted(-counts, -np.arange(1, counts[:1].sum() + 1), side="right")
    for turn, working in enumerate(at_work.tolist()):
        pods = turns[before[:working] + turn]
        filters.add_pods(slice(0, working), pods)
        refused = np.flatnonzero(~filters.fits(working))
        filters.remove_pods(refused, pods[refused])
        is_victim[pods[refused]] = True


def _turns(potential: _Potential, nodes: IntArray) -> IntArray:
    """Return the pods node by node in the order of reprieve: those violating a PDB first."""
    owner, pods = ranges(potential.first[nodes], potential.end[nodes])
    violating = potential.violating[pods]
    if not violating.any():
        return pods
    return pods[np.argsort(2 * owner + ~violating, kind="stable")]


def _collect(
    snapshot: Snapshot, verdicts: Verdicts, potential: _Potential, is_victim: BoolArray
) -> DryRun:
    owner, pods = ranges(potential.first, potential.end)
    chosen = is_victim[pods]
    victims_at, victims = owner[chosen], pods[chosen]
    count = len(verdicts.nodes)
    violations = np.bincount(victims_at[potential.violating[victims]], minlength=count)
    offsets = np.searchsorted(victims_at, np.arange(count + 1)).astype(np.int64)
    spared_all = verdicts.feasible & (np.diff(offsets) == 0)
    return DryRun(
        _with_refusals(verdicts, spared_all, NoVictims.NONE_NEEDED),
        violations,
        _in_final_order(snapshot, potential, victims_at, victims),
        offsets,
    )


def _in_final_order(
    snapshot: Snapshot, potential: _Potential, victims_at: IntArray, victims: IntArray
) -> IntArray:
    """Order victims as upstream's last sort does, which only nodes with both groups get.

    The sort is by importance, which leaves open how pods of one class lie: as they were turned
    to, so those violating a PDB first, or (without a start time) the other way round.
    """
    _, pods = ranges(potential.first, potential.end)
    owner = np.repeat(np.arange(len(potential.first)), potential.counts)
    violating = np.bincount(owner[potential.violating[pods]], minlength=len(potential.first))
    sorted_again = (violating > 0) & (violating < potential.counts)
    kind = snapshot.pods.importance_class[victims]
    tied = np.zeros(len(victims), dtype=np.bool_)
    tied[1:] = kind[1:] == kind[:-1]
    tied[:-1] |= tied[1:]
    again = np.flatnonzero(tied & sorted_again[victims_at])
    if not again.size:
        return victims
    pods = victims[again]
    # Within a class a pod's place in the order of reprieve: violating first, then by index.
    place = pods + np.where(potential.violating[pods], 0, len(snapshot.pods))
    order = np.lexsort((tie_break(place, snapshot.pods.start[pods]), kind[again]))
    result = victims.copy()
    result[again] = pods[order]
    return result


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
