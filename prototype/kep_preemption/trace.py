"""The Alibaba OpenB trace (a cluster of 1,523 nodes, 8,152 pods) as a cluster state.

Its two CSV files are read as published. What the trace does not say, or this package does not
model, is simplified so:

- All pods are there at once, whatever their times and phases: an overfull cluster on purpose.
  The trace itself has them come and go over 150 days.
- Each pod, in order of creation, goes to the node that it leaves with the least free share of
  CPU, memory and GPU (best fit; of equal nodes the first listed). Pods that fit nowhere by then
  are the preemptors. Nobody is preempted while the cluster is filled.
- GPUs are one extended resource in thousandths, `gpu_milli` for each of `num_gpu` devices. A
  node's GPUs are one pool, so two halves of different devices may make a whole. With `whole_gpus`
  every pod takes whole devices instead, and nothing is shared.
- `gpu_spec` (models parted by `|`) becomes a required node affinity to the model's label.
- The priority comes from the QoS class by `PRIORITY_OF_QOS`: the trace has classes, no numbers.
- A node may run 110 pods, kubelet's default. Times are seconds from the trace's begin.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kep_preemption.columns import IntArray, int_column
from kep_preemption.errors import InputError
from kep_preemption.objects import CPU, MEMORY, PODS, ClusterState, Node, Pod
from kep_preemption.selectors import NodeSelector, NodeSelectorTerm, Requirement
from kep_preemption.synthetic import Scenario
from kep_preemption.trace_csv import Row, read_rows

NODE_FILE = "openb_node_list_all_node.csv"
POD_FILE = "openb_pod_list_default.csv"
PRIORITY_OF_QOS = {"BE": 0, "Burstable": 100, "LS": 200, "Guaranteed": 300}
GPU = "alibabacloud.com/gpu-milli"
WHOLE_GPU = "alibabacloud.com/gpu"
MODEL_LABEL = "alibabacloud.com/gpu-card-model"
NAMESPACE = "openb"
MAX_PODS = 110
_MIB = 1024**2
_NODE_COLUMNS = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
_POD_COLUMNS = (
    "name",
    "cpu_milli",
    "memory_mib",
    "num_gpu",
    "gpu_milli",
    "gpu_spec",
    "qos",
    "creation_time",
    "scheduled_time",
)


def load_openb(folder: str | Path, *, whole_gpus: bool = False) -> ClusterState:
    """Return the cluster of the trace in `folder`, with the pods that found no place waiting.

    Raises:
        InputError: a file cannot be read, or a value in it makes no sense.
    """
    made = read_openb(Path(folder) / NODE_FILE, Path(folder) / POD_FILE, whole_gpus=whole_gpus)
    return replace(made.cluster, pods=made.cluster.pods + made.preemptors)


def read_openb(nodes: str | Path, pods: str | Path, *, whole_gpus: bool = False) -> Scenario:
    """Return the trace's cluster, filled, and the pods that found no place as its preemptors.

    Args:
        nodes: the node list (sn, cpu_milli, memory_mib, gpu, model).
        pods: a pod list (name, cpu_milli, memory_mib, num_gpu, gpu_milli, gpu_spec, qos, ...).
        whole_gpus: let no two pods share a device.

    Raises:
        InputError: a file cannot be read, or a value in it makes no sense.
    """
    made_nodes = [_node(row, whole_gpus) for row in read_rows(nodes, _NODE_COLUMNS, key="sn")]
    if not made_nodes:
        raise InputError(str(nodes), "lists no node", "give the trace's node list")
    rows = list(read_rows(pods, _POD_COLUMNS, key="name"))
    rows.sort(key=lambda row: row.integer("creation_time"))
    made_pods = [_pod(row, whole_gpus) for row in rows]
    placed, waiting = place(made_nodes, made_pods)
    return Scenario(
        "openb",
        f"Alibaba OpenB trace, {len(made_nodes)} nodes and {len(made_pods)} pods all at once "
        f"(simulated placement); {len(waiting)} found no place",
        ClusterState(tuple(made_nodes), tuple(placed)),
        tuple(waiting),
    )


def place(nodes: Sequence[Node], pods: Iterable[Pod]) -> tuple[list[Pod], list[Pod]]:
    """Put pods on nodes by best fit, one after the other; return those placed and the rest.

    It heeds requests, the number of pods, and required node affinity; nothing else.
    """
    filling = _Filling(nodes)
    placed, waiting = [], []
    for pod in pods:
        node = filling.take(pod)
        if node is None:
            waiting.append(pod)
        else:
            placed.append(replace(pod, node_name=node.name, phase="Running"))
    return placed, [replace(pod, start_time=None) for pod in waiting]


class _Filling:
    """What is free on each node while it is filled, by resource."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        names = sorted({name for node in nodes for name in node.allocatable})
        self._capacity = {n: int_column(x.allocatable.get(n, 0) for x in nodes) for n in names}
        self._free = {name: column.copy() for name, column in self._capacity.items()}
        self._none = np.zeros(len(nodes), dtype=np.int64)
        self._selected: dict[NodeSelector | None, IntArray] = {}

    def take(self, pod: Pod) -> Node | None:
        """Put `pod` on the node it fits best, or return None."""
        asked = {**pod.requests, PODS: 1}
        fits = self._allowed(pod.required_node_affinity)
        for name, amount in asked.items():
            fits = fits[self._free.get(name, self._none)[fits] >= amount]
        if not len(fits):
            return None
        best = int(fits[np.argmin(self._left(asked, fits))])
        for name, amount in asked.items():
            self._free[name][best] -= amount
        return self._nodes[best]

    def _left(self, asked: dict[str, int], nodes: IntArray) -> npt.NDArray[np.float64]:
        """Return the share of each resource that would be left free, summed up, by node."""
        left = np.zeros(len(nodes))
        for name, free in self._free.items():
            if name != PODS:
                capacity = np.maximum(self._capacity[name][nodes], 1)
                left += (free[nodes] - asked.get(name, 0)) / capacity
        return left

    def _allowed(self, selector: NodeSelector | None) -> IntArray:
        if selector not in self._selected:
            self._selected[selector] = int_column(
                index
                for index, node in enumerate(self._nodes)
                if selector is None or selector.matches(node.labels, node.name)
            )
        return self._selected[selector]


def _node(row: Row, whole_gpus: bool) -> Node:
    gpus = row.integer("gpu")
    allocatable = {
        CPU: row.integer("cpu_milli"),
        MEMORY: row.integer("memory_mib") * _MIB,
        PODS: MAX_PODS,
        **_gpus(gpus, 1000, whole_gpus),
    }
    labels = {"kubernetes.io/hostname": row.text("sn")}
    if row.text("model"):
        labels[MODEL_LABEL] = row.text("model")
    return Node(row.text("sn"), allocatable, labels)


def _pod(row: Row, whole_gpus: bool) -> Pod:
    start = row.integer("scheduled_time", default=row.integer("creation_time"))
    requests = {
        CPU: row.integer("cpu_milli"),
        MEMORY: row.integer("memory_mib") * _MIB,
        **_gpus(row.integer("num_gpu"), row.integer("gpu_milli"), whole_gpus),
    }
    qos = row.text("qos")
    if qos not in PRIORITY_OF_QOS:
        raise row.error("qos", f"is {qos!r}", f"known classes are {', '.join(PRIORITY_OF_QOS)}")
    return Pod(
        namespace=NAMESPACE,
        name=row.text("name"),
        uid=row.text("name"),
        priority=PRIORITY_OF_QOS[qos],
        requests={name: amount for name, amount in requests.items() if amount},
        labels={"qos": qos},
        start_time=start * 10**9,
        required_node_affinity=_affinity(row.text("gpu_spec")),
    )


def _gpus(devices: int, milli: int, whole_gpus: bool) -> dict[str, int]:
    if not devices:
        return {}
    return {WHOLE_GPU: devices} if whole_gpus else {GPU: devices * milli}


def _affinity(spec: str) -> NodeSelector | None:
    models = tuple(filter(None, spec.split("|")))
    if not models:
        return None
    return NodeSelector((NodeSelectorTerm((Requirement(MODEL_LABEL, "In", models),)),))
