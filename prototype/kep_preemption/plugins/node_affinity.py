"""NodeAffinity: node selector and required node affinity."""

from __future__ import annotations

import numpy as np

from kep_preemption.columns import BoolArray, NodeColumns
from kep_preemption.framework.static_filter import StaticFilter, refusals_where
from kep_preemption.objects import Pod
from kep_preemption.selectors import NodeSelector, NodeSelectorTerm, Requirement
from kep_preemption.snapshot import Snapshot

NAME_FIELD = "metadata.name"
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
        required = pod.required_node_affinity
        if not pod.node_selector and required is None:
            return None
        matched = np.ones(len(snapshot.nodes), dtype=np.bool_)
        for key, value in pod.node_selector.items():
            matched &= _match(Requirement(key, "In", (value,)), snapshot.nodes)
        if required is not None:
            matched &= _match_selector(required, snapshot.nodes)
        return cls(refusals_where(~matched))

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


def _match_selector(selector: NodeSelector, nodes: NodeColumns) -> BoolArray:
    matched = np.zeros(len(nodes), dtype=np.bool_)
    for term in selector.terms:
        matched |= _match_term(term, nodes)
    return matched


def _match_term(term: NodeSelectorTerm, nodes: NodeColumns) -> BoolArray:
    if not term.match_expressions and not term.match_fields:
        return np.zeros(len(nodes), dtype=np.bool_)
    matched = np.ones(len(nodes), dtype=np.bool_)
    for expression in term.match_expressions:
        matched &= _match(expression, nodes)
    for field in term.match_fields:
        matched &= np.array([field.matches({NAME_FIELD: name}) for name in nodes.names], np.bool_)
    return matched


def _match(requirement: Requirement, nodes: NodeColumns) -> BoolArray:
    """Match each distinct value of the label once."""
    codes, values = nodes.labels.column(requirement.key)
    verdicts = [requirement.matches({requirement.key: value}) for value in values]
    by_code = np.array([*verdicts, requirement.matches({})], dtype=np.bool_)
    result: BoolArray = by_code[codes]
    return result
