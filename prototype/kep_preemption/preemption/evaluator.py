"""Upstream's preemption steps (kubernetes `pkg/scheduler/framework/preemption.Evaluator`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kep_preemption.columns import IntArray
from kep_preemption.framework.interface import FilterPlugin
from kep_preemption.framework.runtime import Filters
from kep_preemption.framework.status import NodeStatuses, Verdicts
from kep_preemption.objects import Pod
from kep_preemption.plugins import DEFAULT_PLUGINS
from kep_preemption.preemption.default_preemption import pod_eligible_to_preempt_others
from kep_preemption.preemption.dry_run import DryRun
from kep_preemption.preemption.lockstep import select_victims
from kep_preemption.preemption.long_lists import LongLists
from kep_preemption.preemption.pdb import BudgetColumns
from kep_preemption.snapshot import Snapshot

# Fewer nodes at once cost nearly as much; those tried for nothing are not reported.
_FEWEST_AT_ONCE = 64

# Chooses one of the nodes (names) that the criteria cannot tell apart.
TieBreak = Callable[[Sequence[str]], str]


@dataclass(frozen=True, slots=True)
class Filtering:
    """The filters' state for one preemptor over all nodes, and their verdicts."""

    preemptor: Pod
    filters: Filters
    verdicts: Verdicts

    @property
    def potential_nodes(self) -> IntArray:
        """The nodes on which preemption might help, in the snapshot's order."""
        return np.flatnonzero(self.verdicts.helpful)


class Evaluator:
    """Filters nodes and searches victims on one snapshot."""

    def __init__(
        self, snapshot: Snapshot, plugins: Sequence[FilterPlugin] = DEFAULT_PLUGINS
    ) -> None:
        self.snapshot = snapshot
        self.plugins = tuple(plugins)

    @cached_property
    def budgets(self) -> BudgetColumns:
        """The cluster's PodDisruptionBudgets matched with its pods."""
        return BudgetColumns.of(self.snapshot)

    @cached_property
    def long_lists(self) -> LongLists:
        """The importance order where it is not the snapshot's."""
        return LongLists(self.snapshot)

    def filter(self, preemptor: Pod) -> Filtering:
        """Run the filters over all nodes, as the scheduling cycle does before preemption."""
        filters = Filters.pre_filter(preemptor, self.snapshot, self.plugins)
        return Filtering(preemptor, filters, filters.filter())

    def eligible(self, filtering: Filtering) -> tuple[bool, str]:
        """Tell whether the preemptor may preempt, and if not, why."""
        nominated = filtering.preemptor.nominated_node_name
        node = self.snapshot.nodes.index.get(nominated)
        status = None if node is None else filtering.verdicts.status(node)
        return pod_eligible_to_preempt_others(filtering.preemptor, self.snapshot, status)

    def dry_run(self, filtering: Filtering, nodes: IntArray) -> DryRun:
        """Search victims on exactly these nodes, given as indexes in the snapshot."""
        filters = filtering.filters.select(nodes)
        return select_victims(
            filters, self.snapshot, filtering.preemptor, self.budgets, self.long_lists
        )

    def find_candidates(self, filtering: Filtering, offset: int, number: int) -> DryRun:
        """Try potential nodes from `offset` on, until enough candidates are found.

        Upstream tries up to 16 nodes at a time and may find a few more than `number`; here the
        search ends exactly at the node that makes it `number`, or at the first later one without
        PDB violation if none of the candidates was free of them (`DryRunPreemption`).
        """
        nodes = np.roll(filtering.potential_nodes, -offset)
        run = self.dry_run(filtering, nodes[:number])
        tried = min(number, len(nodes))
        while (enough := _enough(run, number)) is None and tried < len(nodes):
            more = nodes[tried : tried + max(tried, _FEWEST_AT_ONCE)]
            run = run.then(self.dry_run(filtering, more))
            tried += len(more)
        return run if enough is None else run.first(enough)

    def statuses(self, verdicts: Verdicts) -> NodeStatuses:
        """Return verdicts by node name, in upstream's words."""
        return NodeStatuses(self.snapshot.nodes.names, verdicts)


def _enough(run: DryRun, number: int) -> int | None:
    """Return after how many nodes the search may end, None if not yet."""
    found = np.cumsum(run.is_candidate)
    non_violating = np.cumsum(run.is_candidate & (run.violations == 0))
    done = (found >= number) & (non_violating > 0)
    return int(np.argmax(done)) + 1 if done.any() else None
