"""The state a decision is made on (kubernetes `pkg/scheduler/backend/cache.Snapshot`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kep_preemption.columns import IntArray, NodeColumns, PodColumns, int_column
from kep_preemption.importance import importance_order, start_of
from kep_preemption.objects import PODS, ClusterState, Pod


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Columns of one cluster state, with what its bound pods use.

    `used` is by resource name and `pod_count` the number of pods, both per node.
    `pods_with_ports` are the indexes of the pods that ask for host ports,
    `pods_with_anti_affinity` of those that keep others away, pods of one namespace and one set of
    terms together. `not_terminating` is 0 for each pod that is being deleted, else 1.
    """

    cluster: ClusterState
    nodes: NodeColumns
    pods: PodColumns
    used: Mapping[str, IntArray]
    pod_count: IntArray
    pods_with_ports: IntArray
    pods_with_anti_affinity: tuple[IntArray, ...]
    not_terminating: IntArray

    @classmethod
    def of(cls, cluster: ClusterState) -> Snapshot:
        """Build the columns of `cluster`.

        Pods on unknown nodes do not matter; waiting pods matter if a known node is nominated.
        """
        nodes = NodeColumns.of(cluster.nodes)
        pods = _pod_columns(cluster.pods, nodes.index)
        bound = slice(0, pods.bound)
        return cls(
            cluster=cluster,
            nodes=nodes,
            pods=pods,
            used={
                name: _sum_by_node(column[bound], pods.offsets)
                for name, column in pods.requests.items()
            },
            pod_count=np.diff(pods.offsets),
            pods_with_ports=int_column(i for i, pod in enumerate(pods.pods) if pod.host_ports),
            pods_with_anti_affinity=_alike_in_anti_affinity(pods.pods),
            not_terminating=int_column(not pod.terminating for pod in pods.pods),
        )

    def used_of(self, resource: str) -> IntArray:
        """Return what each node's pods use of `resource`."""
        column = self.used.get(resource)
        return np.zeros(len(self.nodes), dtype=np.int64) if column is None else column


def _pod_columns(pods: Sequence[Pod], index: Mapping[str, int]) -> PodColumns:
    bound = [pod for pod in pods if pod.node_name in index]
    node = int_column(index[pod.node_name] for pod in bound)
    order = importance_order(
        node, int_column(pod.priority for pod in bound), int_column(map(start_of, bound))
    )
    nominated = sorted(
        (pod for pod in pods if not pod.node_name and pod.nominated_node_name in index),
        key=lambda pod: index[pod.nominated_node_name],
    )
    ordered = (*(bound[i] for i in order.tolist()), *nominated)
    nodes = np.concatenate(
        [node[order], int_column(index[pod.nominated_node_name] for pod in nominated)]
    )
    priority = int_column(pod.priority for pod in ordered)
    start = int_column(map(start_of, ordered))
    label_class, label_classes = _label_classes(ordered)
    return PodColumns(
        pods=ordered,
        bound=len(bound),
        node=nodes,
        offsets=np.searchsorted(node[order], np.arange(len(index) + 1)).astype(np.int64),
        priority=priority,
        start=start,
        importance_class=_classes(nodes, priority, start),
        listed=order,
        label_class=label_class,
        label_classes=label_classes,
        requests={
            name: int_column(pod.requests.get(name, 0) for pod in ordered)
            for name in sorted({name for pod in ordered for name in pod.requests} - {PODS})
        },
    )


def _alike_in_anti_affinity(pods: Sequence[Pod]) -> tuple[IntArray, ...]:
    groups: dict[tuple[str, str], list[int]] = {}
    for index, pod in enumerate(pods):
        if pod.anti_affinity:
            # Selectors hold mappings, which cannot be keys; what they print as can.
            groups.setdefault((pod.namespace, repr(pod.anti_affinity)), []).append(index)
    return tuple(int_column(group) for group in groups.values())


def _label_classes(
    pods: Sequence[Pod],
) -> tuple[IntArray, tuple[tuple[str, Mapping[str, str]], ...]]:
    codes: dict[tuple[str, frozenset[tuple[str, str]]], int] = {}
    pairs: list[tuple[str, Mapping[str, str]]] = []
    column = []
    for pod in pods:
        key = (pod.namespace, frozenset(pod.labels.items()))
        code = codes.setdefault(key, len(codes))
        if code == len(pairs):
            pairs.append((pod.namespace, pod.labels))
        column.append(code)
    return int_column(column), tuple(pairs)


def _classes(*columns: IntArray) -> IntArray:
    """Number the runs of entries that agree in all `columns`."""
    changes = np.zeros(len(columns[0]), dtype=np.bool_)
    for column in columns:
        changes[1:] |= column[1:] != column[:-1]
    return np.cumsum(changes)


def _sum_by_node(values: IntArray, offsets: IntArray) -> IntArray:
    sums = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(values)])
    result: IntArray = sums[offsets[1:]] - sums[offsets[:-1]]
    return result
