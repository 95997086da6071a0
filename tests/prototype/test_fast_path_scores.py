"""The vectorised scores against a plain loop over one node's pods."""

from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kep_preemption.fast_path.reprieve_order import reprieve_order
from kep_preemption.fast_path.scores import Scores, score_nodes
from kep_preemption.objects import CPU, MEMORY, PODS, ClusterState, Node, Pod, PodDisruptionBudget
from kep_preemption.preemption.pdb import BudgetColumns
from kep_preemption.selectors import LabelSelector
from kep_preemption.snapshot import Snapshot


@dataclass(frozen=True)
class SmallPod:
    node: int
    priority: int
    cpu: int
    memory: int
    pdbs: frozenset[int]
    start: int


@dataclass(frozen=True)
class SmallCluster:
    """Pods sorted by node and importance, the nodes' room and the PDBs' allowed disruptions."""

    cpu: list[int]
    memory: list[int]
    max_pods: list[int]
    allowed: list[int]
    pods: list[SmallPod]


@st.composite
def clusters(draw: st.DrawFn) -> SmallCluster:
    nodes = draw(st.integers(1, 4))
    budgets = draw(st.lists(st.integers(0, 2), max_size=3))
    pods = draw(
        st.lists(
            st.builds(
                SmallPod,
                st.integers(0, nodes - 1),
                st.integers(-2, 3),
                st.integers(0, 5),
                st.integers(0, 3),
                st.frozensets(st.integers(0, len(budgets) - 1))
                if budgets
                else st.just(frozenset()),
                st.integers(0, 4),
            ),
            max_size=20,
        )
    )
    room = st.lists(st.integers(0, 12), min_size=nodes, max_size=nodes)
    pods.sort(key=lambda pod: (pod.node, -pod.priority, pod.start))
    return SmallCluster(draw(room), draw(room), draw(room), budgets, pods)


def scores_of(cluster: SmallCluster, priority: int, requests: dict[str, int]) -> Scores:
    nodes = tuple(
        Node(f"n{i}", {CPU: cpu, MEMORY: memory, PODS: pods})
        for i, (cpu, memory, pods) in enumerate(
            zip(cluster.cpu, cluster.memory, cluster.max_pods, strict=True)
        )
    )
    pods = tuple(
        Pod(
            "default",
            f"p{row}",
            priority=pod.priority,
            requests={CPU: pod.cpu, MEMORY: pod.memory},
            labels={f"pdb-{pdb}": "" for pdb in pod.pdbs},
            node_name=f"n{pod.node}",
            start_time=pod.start,
        )
        for row, pod in enumerate(cluster.pods)
    )
    pdbs = tuple(
        PodDisruptionBudget("default", f"{i}", LabelSelector({f"pdb-{i}": ""}), allowed)
        for i, allowed in enumerate(cluster.allowed)
    )
    snapshot = Snapshot.of(ClusterState(nodes, pods, pdbs))
    order = reprieve_order(snapshot, BudgetColumns.of(snapshot), priority)
    return score_nodes(order, snapshot.nodes, requests)


def by_hand(
    cluster: SmallCluster, node: int, priority: int, cpu: int, memory: int
) -> tuple[bool, int, int, int, int, int]:
    """Score one node with a loop: (fits, violations, highest, sum, victims, start)."""
    pods = [pod for pod in cluster.pods if pod.node == node]
    lower = [pod for pod in pods if pod.priority < priority]
    left = list(cluster.allowed)
    groups: dict[bool, list[SmallPod]] = {True: [], False: []}
    for pod in lower:
        for pdb in pod.pdbs:
            left[pdb] -= 1
        groups[any(left[pdb] < 0 for pdb in pod.pdbs)].append(pod)
    order = groups[True] + groups[False]
    stays = [pod for pod in pods if pod.priority >= priority]
    spare_cpu = cluster.cpu[node] - sum(pod.cpu for pod in stays) - cpu
    spare_memory = cluster.memory[node] - sum(pod.memory for pod in stays) - memory
    spare_pods = cluster.max_pods[node] - len(stays) - 1
    # Resources that the preemptor does not ask for are not looked at.
    fits = (
        spare_pods >= 0 and (spare_cpu >= 0 or not cpu) and (spare_memory >= 0 or not memory)
    ) and bool(lower)
    back = 0
    for pod in order:
        spare_cpu, spare_memory, spare_pods = (
            spare_cpu - pod.cpu,
            spare_memory - pod.memory,
            spare_pods - 1,
        )
        if (cpu and spare_cpu < 0) or (memory and spare_memory < 0) or spare_pods < 0:
            break
        back += 1
    if back == len(order):
        back = 0
    victims = order[back:]
    victims_highest = max((pod.priority for pod in victims), default=0)
    return (
        fits,
        max(0, len(groups[True]) - back),
        victims_highest,
        sum(pod.priority + 2**31 for pod in victims),
        len(victims),
        min((pod.start for pod in victims if pod.priority == victims_highest), default=0),
    )


@given(clusters(), st.integers(-1, 4), st.integers(0, 6), st.integers(0, 6))
def test_scores_are_those_of_the_loop(
    cluster: SmallCluster, priority: int, cpu: int, memory: int
) -> None:
    scores = scores_of(cluster, priority, {CPU: cpu, MEMORY: memory})
    for node in range(len(cluster.cpu)):
        expected = by_hand(cluster, node, priority, cpu, memory)
        assert scores.fits[node] == expected[0]
        if expected[0]:
            assert expected[1:] == (
                scores.violations[node],
                scores.highest_priority[node],
                scores.priority_sum[node],
                scores.victims[node],
                scores.earliest_start[node],
            )


@given(clusters(), st.integers(-1, 4))
def test_the_order_is_total_and_ties_keep_the_rows_order(
    cluster: SmallCluster, priority: int
) -> None:
    scores = scores_of(cluster, priority, {CPU: 2})
    rows = np.arange(len(cluster.cpu))

    def key(row: int) -> tuple[int, ...]:
        columns_of_the_key = (
            ~scores.fits,
            scores.violations,
            scores.highest_priority,
            scores.priority_sum,
            scores.victims,
            -scores.earliest_start,
        )
        return tuple(int(column[row]) for column in columns_of_the_key)

    assert scores.order(rows).tolist() == sorted(rows.tolist(), key=key)


def test_large_byte_counts_stay_exact() -> None:
    big = 2**53 + 1
    pods = [SmallPod(0, 5, 0, big, frozenset(), 0), SmallPod(0, 0, 0, 1, frozenset(), 0)]
    cluster = SmallCluster([1], [big + 1], [110], [], pods)
    assert scores_of(cluster, 1, {MEMORY: 1}).fits.tolist() == [True]
    assert scores_of(cluster, 1, {MEMORY: 2}).fits.tolist() == [False]
