"""The synthetic cluster of a workload."""

from __future__ import annotations

from kep_preemption.bench.workload import Workload
from kep_preemption.objects import ClusterState
from kep_preemption.synthetic import Shape, synthesize


def build_cluster(workload: Workload) -> ClusterState:
    """Return the cluster of `workload`: the same one for the same workload, on every machine.

    Nodes are the source scenario's (2 CPU, 4 GiB, tainted `edge`) and full. Each pod belongs to
    one of twice as many applications as there are PDBs; those with a PDB allow 0 to 3
    disruptions by turns.

    Raises:
        UsageError: the workload's numbers make no cluster.
    """
    shape = Shape(
        nodes=workload.nodes,
        pods_per_node=workload.pods_per_node,
        priorities=dict.fromkeys(workload.priorities, 1),
        pdbs=workload.pdbs,
        pdb_allowed=(0, 1, 2, 3),
        seed=workload.seed,
        variation=workload.variation,
        taint="edge=true",
        node_prefix="edge-node",
        preemptors=0,
    )
    return synthesize(shape, workload.name, workload.description).cluster
