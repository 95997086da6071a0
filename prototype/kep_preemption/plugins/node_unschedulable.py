"""NodeUnschedulable: cordoned nodes take only pods that tolerate it."""

from __future__ import annotations

from kep_preemption.framework.static_filter import StaticFilter, refusals_where
from kep_preemption.objects import Pod, Taint
from kep_preemption.snapshot import Snapshot

TAINT = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")


class NodeUnschedulable(StaticFilter):
    """Refuses nodes with spec.unschedulable (plugins/nodeunschedulable)."""

    name = "NodeUnschedulable"

    @classmethod
    def pre_filter(cls, pod: Pod, snapshot: Snapshot) -> NodeUnschedulable | None:
        """Skip the plugin for pods that tolerate the taint of a cordoned node."""
        if any(toleration.tolerates(TAINT) for toleration in pod.tolerations):
            return None
        return cls(refusals_where(snapshot.nodes.unschedulable))

    def reasons(self, refusal: int, node: int) -> tuple[str, ...]:
        """Return the only reason there is."""
        return ("node(s) were unschedulable",)
