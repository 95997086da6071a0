"""TaintToleration: taints NoSchedule and NoExecute keep off pods that do not tolerate them."""

from __future__ import annotations

from kep_preemption.columns import IntArray, NodeColumns
from kep_preemption.framework.static_filter import StaticFilter
from kep_preemption.node_selection import first_untolerated_taints
from kep_preemption.objects import Pod
from kep_preemption.snapshot import Snapshot


class TaintToleration(StaticFilter):
    """Refuses nodes with an untolerated taint (plugins/tainttoleration).

    A refusal is the place of the first untolerated taint among the node's taints, from 1.
    """

    name = "TaintToleration"

    def __init__(self, refusals: IntArray, nodes: NodeColumns) -> None:
        super().__init__(refusals)
        self._nodes = nodes

    @classmethod
    def pre_filter(cls, pod: Pod, snapshot: Snapshot) -> TaintToleration:
        """Find each node's first untolerated taint."""
        return cls(first_untolerated_taints(pod, snapshot.nodes), snapshot.nodes)

    def reasons(self, refusal: int, node: int) -> tuple[str, ...]:
        """Name the first untolerated taint."""
        taint = self._nodes.taint_sets[self._nodes.taint_set[node]][refusal - 1]
        return (f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}",)
