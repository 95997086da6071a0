"""NodeName: a pod that names its node fits no other."""

from __future__ import annotations

import numpy as np

from kep_preemption.framework.static_filter import StaticFilter, refusals_where
from kep_preemption.objects import Pod
from kep_preemption.snapshot import Snapshot


class NodeName(StaticFilter):
    """Refuses all nodes but spec.nodeName (plugins/nodename)."""

    name = "NodeName"

    @classmethod
    def pre_filter(cls, pod: Pod, snapshot: Snapshot) -> NodeName | None:
        """Skip the plugin for pods that name no node."""
        if not pod.node_name:
            return None
        refused = np.ones(len(snapshot.nodes), dtype=np.bool_)
        if pod.node_name in snapshot.nodes.index:
            refused[snapshot.nodes.index[pod.node_name]] = False
        return cls(refusals_where(refused))

    def reasons(self, refusal: int, node: int) -> tuple[str, ...]:
        """Return the only reason there is."""
        return ("node(s) didn't match the requested node name",)
