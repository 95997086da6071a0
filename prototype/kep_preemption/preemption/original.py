"""The strategy `original`: the 'before' of the fast path's proposal.

It is the starting point that the proposal describes, not what any release of Kubernetes does.
The proposal's code leaves parts out or simplifies them; they are completed as follows.

- The list of all nodes through the API, once for each decision, is simulated by sending the node
  objects through JSON (`node_list.py`). It comes in the order of the names, as an API list does.
- `checkNodeFit` says yes to every node and names no victims: here it is upstream's search on each
  node, with upstream's filters and PodDisruptionBudgets (`SelectVictimsOnNode`).
- One goroutine a node races for the first answer, so any node may win: here the first node in
  the sorted order that fits wins.
- `sort.Slice` leaves nodes of equal allocatable CPU in any order: here they keep the list's.
- 'Available' resources are allocatable ones there, used or not; kept, as that is its behaviour.
- The proposal's function starts where nothing fits: nodes that take the pod as it is, and pods
  that may not preempt, are answered as upstream does.

All nodes are searched in step, as for `upstream`: a node-by-node search in Python would make the
strategy look slower than its rule is.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from kep_preemption.columns import IntArray
from kep_preemption.decision import Decision
from kep_preemption.objects import CPU, ClusterState, Pod
from kep_preemption.preemption.conclusion import Conclusion
from kep_preemption.preemption.evaluator import Evaluator
from kep_preemption.preemption.node_list import SimulatedNodeApi
from kep_preemption.preemption.preliminaries import decide_without_search
from kep_preemption.preemption.unmodelled import check_modelled
from kep_preemption.preemption.upstream import first_in_order
from kep_preemption.snapshot import Snapshot

_SIMULATED = "the list of nodes through the API is simulated"


class Original:
    """List all nodes, sort them by allocatable CPU, search all, take the first that fits.

    Args:
        cluster: the state it decides about.
        rng: not used; nothing is drawn.
        clock: not used; there is no deadline.
        allow_unmodelled: decide although the preemptor uses what is not modelled, and say so in
            the decision's reason.
    """

    name = "original"
    OPTIONS = frozenset({"allow_unmodelled"})

    def __init__(
        self,
        cluster: ClusterState,
        *,
        rng: random.Random,
        clock: Callable[[], float],
        allow_unmodelled: bool = False,
    ) -> None:
        self.cluster = cluster
        self.evaluator = Evaluator(Snapshot.of(cluster))
        self._api = SimulatedNodeApi(cluster.nodes)
        self._allow_unmodelled = allow_unmodelled
        # Matching PDBs with pods is part of the preparation, like the snapshot.
        _ = self.evaluator.budgets

    def preempt(self, preemptor: Pod) -> Decision:
        """Decide; changes nothing.

        Raises:
            UsageError: the preemptor uses what is not modelled and `allow_unmodelled` is off.
        """
        note = check_modelled(preemptor, self._allow_unmodelled)
        note = "; ".join(filter(None, (note, _SIMULATED)))
        filtering = self.evaluator.filter(preemptor)
        conclusion = Conclusion(self.name, self.evaluator, filtering, note)
        decision = decide_without_search(self.evaluator, filtering, conclusion, first_in_order)
        if decision is not None:
            return decision
        run = self.evaluator.dry_run(filtering, self._nodes_by_allocatable_cpu())
        return conclusion.of_run(run, np.flatnonzero(run.is_candidate)[:1], first_in_order)

    def _nodes_by_allocatable_cpu(self) -> IntArray:
        listed = self._api.list_nodes()
        listed = tuple(sorted(listed, key=lambda node: -node.allocatable.get(CPU, 0)))
        index = self.evaluator.snapshot.nodes.index
        return np.array([index[node.name] for node in listed], dtype=np.int64)
