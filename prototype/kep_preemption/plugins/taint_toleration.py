"""TaintToleration: taints NoSchedule and NoExecute keep off pods that do not tolerate them."""

from __future__ import annotations

from kep_preemption.columns import IntArray, int_column
from kep_preemption.framework.static_filter import StaticFilter
from kep_preemption.objects import Pod, Taint
from kep_preemption.snapshot import Snapshot


class TaintToleration(StaticFilter):
    """Refuses nodes with an untolerated taint (plugins/tainttoleration).

    A refusal is the place of the first untolerated taint among the node's taints, from 1.
    """

    name = "TaintToleration"

    def __init__(self, refusals: IntArray, taints: tuple[tuple[Taint, ...], ...]) -> None:
        super().__init__(refusals)
        self._taints = taints

    @classmethod
    def pre_filter(cls, pod: Pod, snapshot: Snapshot) -> TaintToleration:
        """Look at each distinct set of taints once."""
        nodes = snapshot.nodes
        by_set = int_column(_first_untolerated(taints, pod) for taints in nodes.taint_sets)
        taints = tuple(nodes.taint_sets[i] for i in nodes.taint_set.tolist())
        return cls(by_set[nodes.taint_set], taints)

    def reasons(self, refusal: int, node: int) -> tuple[str, ...]:
        """Name the first untolerated taint."""
        taint = self._taints[node][refusal - 1]
        return (f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}",)


def _first_untolerated(taints: tuple[Taint, ...], pod: Pod) -> int:
    for place, taint in enumerate(taints, start=1):
        if taint.effect in ("NoSchedule", "NoExecute") and not any(
            toleration.tolerates(taint) for toleration in pod.tolerations
        ):
            return place
    return 0
