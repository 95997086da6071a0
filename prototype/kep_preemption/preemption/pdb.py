"""Which potential victims violate a PodDisruptionBudget (`filterPodsWithPDBViolation`).

The budget of each matching PDB is spent over a node's potential victims in importance order,
whether or not they are reprieved later. A pod without labels matches no PDB, a selector that is
missing or empty matches nothing, and a pod in `disruptedPods` is neither charged nor violating.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kep_preemption.columns import BoolArray, IntArray, PodColumns, int_column
from kep_preemption.objects import Pod, PodDisruptionBudget
from kep_preemption.preemption.ranges import ranges
from kep_preemption.snapshot import Snapshot


def matches(pdb: PodDisruptionBudget, pod: Pod) -> bool:
    """Tell whether preempting `pod` is charged to `pdb`."""
    return pod.name not in pdb.disrupted_pods and _selects(pdb, pod.namespace, pod.labels)


def _selects(pdb: PodDisruptionBudget, namespace: str, labels: Mapping[str, str]) -> bool:
    if not labels or pdb.namespace != namespace:
        return False
    return pdb.selector is not None and not pdb.selector.empty and pdb.selector.matches(labels)


def filter_pods_with_pdb_violation(
    pods: Iterable[Pod], pdbs: Sequence[PodDisruptionBudget]
) -> tuple[list[Pod], list[Pod]]:
    """Split one node's potential victims, given in importance order, into violating and not."""
    allowed = [pdb.disruptions_allowed for pdb in pdbs]
    violating: list[Pod] = []
    non_violating: list[Pod] = []
    for pod in pods:
        violated = False
        for i, pdb in enumerate(pdbs):
            if matches(pdb, pod):
                allowed[i] -= 1
                violated |= allowed[i] < 0
        (violating if violated else non_violating).append(pod)
    return violating, non_violating


@dataclass(frozen=True, slots=True)
class BudgetColumns:
    """Every match of a PDB and a bound pod, node by node, on a node PDB by PDB.

    `group` numbers the pairs of node and PDB, `allowed` is the PDB's budget. The matches on node
    `i` are `offsets[i]:offsets[i+1]`, those of one group in the snapshot's importance order.
    """

    pod: IntArray
    group: IntArray
    allowed: IntArray
    offsets: IntArray

    @classmethod
    def of(cls, snapshot: Snapshot) -> BudgetColumns:
        """Match all PDBs of the cluster with its bound pods."""
        pdbs = snapshot.cluster.pdbs
        pod, pdb = _matches(snapshot.pods, pdbs)
        node = snapshot.pods.node[pod]
        order = np.lexsort((pod, pdb, node))
        pod, pdb, node = pod[order], pdb[order], node[order]
        new_group = np.ones(len(pod), dtype=np.bool_)
        new_group[1:] = (node[1:] != node[:-1]) | (pdb[1:] != pdb[:-1])
        return cls(
            pod=pod,
            group=np.cumsum(new_group) - 1,
            allowed=int_column(p.disruptions_allowed for p in pdbs)[pdb],
            offsets=np.searchsorted(node, np.arange(len(snapshot.nodes) + 1)).astype(np.int64),
        )

    def violating(
        self,
        snapshot: Snapshot,
        nodes: IntArray,
        first_victim: IntArray,
        place: IntArray | None = None,
    ) -> BoolArray:
        """Return which bound pods violate a PDB as potential victims of `nodes`.

        The potential victims of the i-th node are its pods from index `first_victim[i]` on.
        `place` gives each pod's place in importance order where it is not the snapshot's.
        """
        violating = np.zeros(snapshot.pods.bound, dtype=np.bool_)
        at, entries = ranges(self.offsets[nodes], self.offsets[nodes + 1])
        entries = entries[self.pod[entries] >= first_victim[at]]
        if place is not None:
            entries = entries[np.lexsort((place[self.pod[entries]], self.group[entries]))]
        groups = self.group[entries]
        begins = np.ones(len(groups), dtype=np.bool_)
        begins[1:] = groups[1:] != groups[:-1]
        spent = np.arange(1, len(groups) + 1) - np.flatnonzero(begins)[np.cumsum(begins) - 1]
        violating[self.pod[entries[spent > self.allowed[entries]]]] = True
        return violating


def _matches(pods: PodColumns, pdbs: Sequence[PodDisruptionBudget]) -> tuple[IntArray, IntArray]:
    """Return the pairs of bound pod and PDB that match."""
    found = [np.flatnonzero(_charged(pods, pdb)) for pdb in pdbs]
    counts = [len(indexes) for indexes in found]
    nothing = np.zeros(0, dtype=np.int64)
    return np.concatenate([nothing, *found]), np.repeat(np.arange(len(pdbs)), counts)


def _charged(pods: PodColumns, pdb: PodDisruptionBudget) -> BoolArray:
    """Return which bound pods are charged to `pdb`."""
    charged = pods.matching(lambda namespace, labels: _selects(pdb, namespace, labels))
    for index in np.flatnonzero(charged).tolist() if pdb.disrupted_pods else ():
        charged[index] = pods.pods[index].name not in pdb.disrupted_pods
    return charged[: pods.bound]
