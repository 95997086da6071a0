"""Time one decision, all candidates tried: all nodes at once and node by node.

Run it as `python tests/prototype/measure_search.py [nodes] [pods per node] [repeats]`.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from builders.scheduling import GI, cluster, node, pdb, pod, preemptor
from kep_preemption.objects import ClusterState
from kep_preemption.preemption.evaluator import Evaluator
from kep_preemption.preemption.selection import best_candidates
from kep_preemption.preemption.victims import select_victims_on_node
from kep_preemption.snapshot import Snapshot
from kep_preemption.strategies import make_strategy

PREEMPTOR = preemptor(4000, requests={"memory": 8 * GI})
SAMPLED_NODES = 200


def big_cluster(nodes: int, pods: int, pdbs: int) -> ClusterState:
    """Full nodes of low-priority pods, as the recorded benchmark clusters have them."""
    draw = random.Random(1)
    names = [f"node-{i:05d}" for i in range(nodes)]
    running = [
        pod(
            f"low-{i}",
            names[i % nodes],
            draw.choice((0, 50, 100)),
            256,
            requests={"memory": GI // 2},
            labels={"app": f"app-{i % 20}"},
            start_time=draw.randrange(10**6) * 10**9,
        )
        for i in range(nodes * pods)
    ]
    budgets = [pdb(f"pdb-{i}", draw.randrange(4), {"app": f"app-{i}"}) for i in range(pdbs)]
    return cluster([node(n, 256 * pods, pods * GI // 2) for n in names], running, budgets)


def milliseconds(work: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Median and maximum of `repeats` runs after one to warm up."""
    work()
    taken = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        taken.append((time.perf_counter() - begin) * 1000)
    return statistics.median(taken), max(taken)


def measure(nodes: int, pods: int, pdbs: int, repeats: int) -> None:
    """Print the figures of one cluster."""
    state = big_cluster(nodes, pods, pdbs)
    evaluator = Evaluator(Snapshot.of(state))
    everything = np.arange(nodes)
    filtering = evaluator.filter(PREEMPTOR)
    sample = everything[:: max(nodes // SAMPLED_NODES, 1)]

    def node_by_node() -> None:
        for i in sample.tolist():
            select_victims_on_node(filtering.filters, evaluator.snapshot, i, PREEMPTOR)

    run = evaluator.dry_run(filtering, everything)
    strategies = {
        "upstream, all candidates": make_strategy("upstream", state, all_candidates=True),
        "upstream, default": make_strategy("upstream", state),
        "upstream-one-candidate": make_strategy("upstream-one-candidate", state),
    }
    rows: dict[str, Callable[[], object]] = {
        "filter all nodes": lambda: evaluator.filter(PREEMPTOR),
        "search victims on all nodes": lambda: evaluator.dry_run(filtering, everything),
        "choose among candidates": lambda: best_candidates(evaluator.snapshot, run),
        **{name: lambda s=s: s.preempt(PREEMPTOR) for name, s in strategies.items()},
    }
    print(f"{nodes} nodes, {pods} pods each, {pdbs} PDBs (median / maximum of {repeats}, ms)")
    medians = {}
    for name, work in rows.items():
        medians[name], worst = milliseconds(work, repeats)
        print(f"  {name:30} {medians[name]:9.2f} / {worst:9.2f}")
    alone, _ = milliseconds(node_by_node, 1)
    alone *= nodes / len(sample)
    print(f"  node by node                   {alone:9.0f} (from {len(sample)} nodes)")
    print(f"  ratio                          {alone / medians['search victims on all nodes']:9.0f}")


if __name__ == "__main__":
    size = [int(text) for text in sys.argv[1:]] + [5000, 30, 20][len(sys.argv) - 1 :]
    for budgets in (0, 20):
        measure(size[0], size[1], budgets, size[2])
