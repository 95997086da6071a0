"""NodeAffinity: node selector and required node affinity."""

from __future__ import annotations

import numpy as np

from kep_preemption.framework.static_filter import StaticFilter, refusals_where
from kep_preemption.node_selection import NAME_FIELD, selected_nodes
from kep_preemption.objects import Pod
from kep_preemption.selectors import NodeSelector
from kep_preemption.snapshot import Snapshot

_MISMATCH, _CONFLICT = 1, 2
_REASONS = {
    _MISMATCH: "node(s) didn't match Pod's node affinity/selector",
    _CONFLICT: "pod affinity terms conflict",
}


class NodeAffinity(StaticFilter):
    """Refuses nodes that the pod's selector or affinity does not match (plugins/nodeaffinity)."""

    name = "NodeAffinity"

    @classmethod
    def pre_filter(cls, pod: Pod, snapshot: Snapshot) -> NodeAffinity | None:
        """Skip the plugin for pods that select no nodes."""
        if not pod.node_selector and pod.required_node_affinity is None:
            return None
        return cls(refusals_where(~selected_nodes(pod, snapshot.nodes)))

    def reasons(self, refusal: int, node: int) -> tuple[str, ...]:
        """Return the only reason there is."""
        return (_REASONS[refusal],)


class NodeNames(StaticFilter):
    """What NodeAffinity's PreFilter leaves out: nodes that no term names by matchFields.

    Upstream keeps them out of the search altogether, and names no plugin in their status.
    """

    name = ""

    @classmethod
    def pre_filter(cls, pod: Pod, snapshot: Snapshot) -> StaticFilter | None:
        """Skip it unless each term of the affinity names nodes."""
        named = _named_nodes(pod.required_node_affinity)
        if named is None:
            return None
        if not named:
            return NodeAffinity(np.full(len(snapshot.nodes), _CONFLICT, dtype=np.int64))
        refused = np.ones(len(snapshot.nodes), dtype=np.bool_)
        for name in named & snapshot.nodes.index.keys():
            refused[snapshot.nodes.index[name]] = False
        return cls(refusals_where(refused))

    def reasons(self, refusal: int, node: int) -> tuple[str, ...]:
        """Return the only reason there is."""
        return ("node(s) didn't satisfy plugin(s) [NodeAffinity]",)


def _named_nodes(required: NodeSelector | None) -> set[str] | None:
    """Return the nodes named by `metadata.name In`, None if a term leaves the name open."""
    if required is None or not required.terms:
        return None
    named: set[str] = set()
    for term in required.terms:
        sets = [
            set(field.values)
            for field in term.match_fields
            if field.key == NAME_FIELD and field.operator == "In"
        ]
        if not sets:
            return None
        named |= set.intersection(*sets)
    return named
