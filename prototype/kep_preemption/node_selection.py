"""Which nodes a pod selects and tolerates (k8s.io/component-helpers/scheduling/corev1)."""

from __future__ import annotations

import numpy as np

from kep_preemption.columns import BoolArray, IntArray, NodeColumns, int_column
from kep_preemption.objects import Pod, Taint
from kep_preemption.selectors import NodeSelector, NodeSelectorTerm, Requirement

NAME_FIELD = "metadata.name"


def selected_nodes(pod: Pod, nodes: NodeColumns) -> BoolArray:
    """Return the nodes that match the pod's node selector and required node affinity."""
    matched = np.ones(len(nodes), dtype=np.bool_)
    for key, value in pod.node_selector.items():
        matched &= _match(Requirement(key, "In", (value,)), nodes)
    if pod.required_node_affinity is not None:
        matched &= _match_selector(pod.required_node_affinity, nodes)
    return matched


def first_untolerated_taints(pod: Pod, nodes: NodeColumns) -> IntArray:
    """Return the place, from 1, of each node's first taint that keeps `pod` off, 0 for none."""
    by_set = int_column(_first_untolerated(taints, pod) for taints in nodes.taint_sets)
    return by_set[nodes.taint_set]


def _first_untolerated(taints: tuple[Taint, ...], pod: Pod) -> int:
    for place, taint in enumerate(taints, start=1):
        if taint.effect in ("NoSchedule", "NoExecute") and not any(
            toleration.tolerates(taint) for toleration in pod.tolerations
        ):
            return place
    return 0


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
