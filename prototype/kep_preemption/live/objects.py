"""The objects that the e2e makes on a cluster; every one carries the run's label."""

from __future__ import annotations

from dataclasses import dataclass

from kep_preemption.live.client import JSON

RUN_LABEL = "kep-workbench.dev/run"
LOW_PRIORITY = 100
HIGH_PRIORITY = 1000
# With fewer low pods a node has room for the preemptor; with more no pod could be added to it.
FEWEST_LOW_PODS = 3
MOST_LOW_PODS = 109


@dataclass(frozen=True)
class Workload:
    """The shape of the source document's edge cluster, with requests that make it preempt.

    Each node has 2 CPU and 4 GiB, each low pod asks for 400m and 800Mi, the preemptor for 1 CPU
    and 2 GiB; with five low pods a node three of them must go. `grace_seconds` is the low pods'
    terminationGracePeriodSeconds.
    """

    run: str
    nodes: int = 10
    pods_per_node: int = 5
    grace_seconds: int = 0

    @property
    def namespace(self) -> str:
        """The namespace that holds all pods of the run."""
        return f"kepler-e2e-{self.run}"

    def node_name(self, index: int) -> str:
        """Return the name of the node at `index`."""
        return f"kepler-{self.run}-{index}"

    @property
    def node_names(self) -> list[str]:
        """The names of all fake nodes."""
        return [self.node_name(i) for i in range(self.nodes)]

    def namespace_object(self) -> JSON:
        """Return the namespace."""
        return {"metadata": {"name": self.namespace, "labels": {RUN_LABEL: self.run}}}

    def priority_class(self, level: str) -> JSON:
        """Return the PriorityClass of `low` or `high`."""
        value = LOW_PRIORITY if level == "low" else HIGH_PRIORITY
        name = self.priority_class_name(level)
        return {"metadata": {"name": name, "labels": {RUN_LABEL: self.run}}, "value": value}

    def priority_class_name(self, level: str) -> str:
        """Return the name of the PriorityClass of `low` or `high`."""
        return f"kepler-{self.run}-{level}"

    def node(self, index: int) -> JSON:
        """Return a fake node that only pods of this run tolerate."""
        room = {"cpu": "2", "memory": "4Gi", "pods": "110"}
        name = self.node_name(index)
        return {
            "metadata": {
                "name": name,
                "labels": {RUN_LABEL: self.run, "kubernetes.io/hostname": name},
            },
            "spec": {"taints": [{"key": RUN_LABEL, "value": self.run, "effect": "NoSchedule"}]},
            "status": {"capacity": room, "allocatable": room},
        }

    def low_pod(self, node: str, index: int) -> JSON:
        """Return a low-priority pod that is bound to `node` from the start."""
        pod = self._pod(f"low-{node}-{index}", "low", "400m", "800Mi")
        pod["spec"]["nodeName"] = node
        pod["spec"]["terminationGracePeriodSeconds"] = self.grace_seconds
        return pod

    def preemptor(self, number: int) -> JSON:
        """Return the pod that needs preemption; it may only land on this run's nodes."""
        pod = self._pod(f"preemptor-{number}", "high", "1", "2Gi")
        pod["spec"]["terminationGracePeriodSeconds"] = 0
        return pod

    def _pod(self, name: str, level: str, cpu: str, memory: str) -> JSON:
        return {
            "metadata": {"name": name, "labels": {RUN_LABEL: self.run, "level": level}},
            "spec": {
                "priorityClassName": self.priority_class_name(level),
                "nodeSelector": {RUN_LABEL: self.run},
                "automountServiceAccountToken": False,
                "tolerations": [
                    {"key": RUN_LABEL, "operator": "Exists"},
                    {"key": "node.kubernetes.io/not-ready", "operator": "Exists"},
                ],
                "containers": [
                    {
                        "name": "pause",
                        "image": "registry.k8s.io/pause:3.10",
                        "resources": {"requests": {"cpu": cpu, "memory": memory}},
                    }
                ],
            },
        }
