"""Nodes and pods as columns: one int64 array per attribute, one entry per node or pod.

Bound pods lie node by node, and on a node in importance order, so the pods of node `i` are
`offsets[i]:offsets[i + 1]` and those below a priority are the end of that range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kep_preemption.objects import PODS, Node, Pod, Taint

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
# Which nodes of a set: a range of them, or their positions in ascending order.
Positions = slice | IntArray

NEVER_STARTED = np.iinfo(np.int64).max


def int_column(values: Iterable[int]) -> IntArray:
    """Return a read-only int64 column of `values`."""
    column = np.fromiter(values, dtype=np.int64)
    column.flags.writeable = False
    return column


class LabelColumns:
    """The nodes' labels, key by key, as codes into the key's distinct values."""

    def __init__(self, labels: Sequence[Mapping[str, str]]) -> None:
        self._labels = labels
        self._columns: dict[str, tuple[IntArray, tuple[str, ...]]] = {}

    def column(self, key: str) -> tuple[IntArray, tuple[str, ...]]:
        """Return each node's code of `key` (-1 where it lacks the key) and the values by code."""
        if key not in self._columns:
            codes: dict[str, int] = {}
            column = int_column(
                codes.setdefault(labels[key], len(codes)) if key in labels else -1
                for labels in self._labels
            )
            self._columns[key] = (column, tuple(codes))
        return self._columns[key]


@dataclass(frozen=True, slots=True)
class NodeColumns:
    """Nodes in the order of the cluster state.

    `allocatable` is by resource name, without `pods`, which is `allowed_pods`. `taint_set` is
    the index of a node's taints in `taint_sets`.
    """

    names: tuple[str, ...]
    index: Mapping[str, int]
    allocatable: Mapping[str, IntArray]
    allowed_pods: IntArray
    unschedulable: BoolArray
    taint_set: IntArray
    taint_sets: tuple[tuple[Taint, ...], ...]
    labels: LabelColumns

    @classmethod
    def of(cls, nodes: Sequence[Node]) -> NodeColumns:
        """Build the columns of `nodes`."""
        names = tuple(node.name for node in nodes)
        sets: dict[tuple[Taint, ...], int] = {}
        resources = {name for node in nodes for name in node.allocatable} - {PODS}
        return cls(
            names=names,
            index={name: i for i, name in enumerate(names)},
            allocatable={
                name: int_column(node.allocatable.get(name, 0) for node in nodes)
                for name in sorted(resources)
            },
            allowed_pods=int_column(node.allocatable.get(PODS, 0) for node in nodes),
            unschedulable=int_column(node.unschedulable for node in nodes).astype(np.bool_),
            taint_set=int_column(sets.setdefault(node.taints, len(sets)) for node in nodes),
            taint_sets=tuple(sets),
            labels=LabelColumns([node.labels for node in nodes]),
        )

    def __len__(self) -> int:
        return len(self.names)

    def allocatable_of(self, resource: str) -> IntArray:
        """Return each node's allocatable amount of `resource`, 0 where it has none."""
        column = self.allocatable.get(resource)
        return np.zeros(len(self), dtype=np.int64) if column is None else column


@dataclass(frozen=True, slots=True)
class PodColumns:
    """Bound pods by node in importance order, then nominated pods by node.

    `bound` is the number of bound pods. `node` is the node a pod is bound or nominated to.
    `start` is in nanoseconds, `NEVER_STARTED` for a pod that has not started. Pods of one node
    that importance cannot tell apart share an `importance_class`. `label_class` is the index of a
    pod's namespace and labels in `label_classes`. `listed` is a bound pod's place
    in the cluster's list of pods.
    """

    pods: tuple[Pod, ...]
    bound: int
    node: IntArray
    offsets: IntArray
    priority: IntArray
    start: IntArray
    importance_class: IntArray
    listed: IntArray
    label_class: IntArray
    label_classes: tuple[tuple[str, Mapping[str, str]], ...]
    requests: Mapping[str, IntArray]

    def __len__(self) -> int:
        return len(self.pods)

    def requests_of(self, resource: str) -> IntArray:
        """Return each pod's request of `resource`, 0 where it has none."""
        column = self.requests.get(resource)
        return np.zeros(len(self), dtype=np.int64) if column is None else column

    def matching(self, matches: Callable[[str, Mapping[str, str]], bool]) -> BoolArray:
        """Return which pods match, asking once for each distinct namespace and labels."""
        by_class = np.array([matches(*pair) for pair in self.label_classes], dtype=np.bool_)
        result: BoolArray = by_class[self.label_class]
        return result

    def on_node(self, node: int) -> range:
        """Return the indexes of the pods bound to `node`, the most important first."""
        return range(int(self.offsets[node]), int(self.offsets[node + 1]))
