"""The search for victims on one node, in the form upstream has (`SelectVictimsOnNode`).

It is here to be read, and to be compared with: `lockstep.py` does the same for all nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kep_preemption.columns import IntArray
from kep_preemption.decision import Code, NodeStatus
from kep_preemption.framework.runtime import Filters
from kep_preemption.importance import sort_by_importance
from kep_preemption.objects import Pod
from kep_preemption.preemption.pdb import filter_pods_with_pdb_violation
from kep_preemption.snapshot import Snapshot

_HERE = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Victims:
    """Who must go on a node; `status` is Success only for a candidate."""

    status: NodeStatus
    pods: tuple[Pod, ...] = ()
    num_pdb_violations: int = 0


def select_victims_on_node(
    filters: Filters, snapshot: Snapshot, node: int, preemptor: Pod
) -> Victims:
    """Return the victims on the node with index `node`; `filters` (over all nodes) stay as is.

    The rule is greedy: remove all pods of lower priority, and if the preemptor fits then, take
    back as many as possible, those that violate a PDB first, each group from the most important
    down. The set is therefore not always minimal.
    """
    here = filters.select(np.array([node], dtype=np.int64))
    pods = snapshot.pods
    as_listed = sorted(pods.on_node(node), key=pods.listed.__getitem__)
    index = {id(pods.pods[i]): i for i in as_listed}
    potential = [pods.pods[i] for i in as_listed if pods.pods[i].priority < preemptor.priority]
    for pod in potential:
        here.remove_pods(_HERE, _one(index[id(pod)]))
    if not potential:
        reason = "No preemption victims found for incoming pod"
        return Victims(NodeStatus(Code.UNRESOLVABLE, "", (reason,)))
    status = here.filter().status(0)
    if status.code is not Code.SUCCESS:
        return Victims(status)
    violating, non_violating = filter_pods_with_pdb_violation(
        sort_by_importance(potential), snapshot.cluster.pdbs
    )
    victims: list[Pod] = []

    def reprieve(pod: Pod) -> bool:
        here.add_pods(_HERE, _one(index[id(pod)]))
        if here.filter().feasible[0]:
            return True
        here.remove_pods(_HERE, _one(index[id(pod)]))
        victims.append(pod)
        return False

    violations = sum(not reprieve(pod) for pod in violating)
    for pod in non_violating:
        reprieve(pod)
    if violating and non_violating:
        victims = sort_by_importance(victims)
    if not victims:
        reason = "expected at least one victim pod"
        return Victims(NodeStatus(Code.UNRESOLVABLE, "", (reason,)))
    return Victims(status, tuple(victims), violations)


def _one(pod: int) -> IntArray:
    return np.array([pod], dtype=np.int64)
