"""Label selectors and node selectors as the API writes them."""

from __future__ import annotations

from kep_preemption.loading.fields import (
    FieldError,
    Fields,
    choice,
    each,
    mapping,
    required_text,
    text_map,
    texts,
)
from kep_preemption.selectors import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement

_LABEL_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
_NODE_OPERATORS = (*_LABEL_OPERATORS, "Gt", "Lt")


def label_selector(owner: Fields, key: str) -> LabelSelector | None:
    """Return the selector in a field, None when it is missing or null."""
    if owner.get(key) is None:
        return None
    selector = mapping(owner, key)
    try:
        return LabelSelector(
            text_map(selector, "matchLabels"),
            tuple(each(selector, "matchExpressions", _label_requirement)),
        )
    except FieldError as error:
        raise error.within(key) from None


def node_selector(owner: Fields, key: str) -> NodeSelector | None:
    """Return the node selector in a field, None when it is missing or null."""
    if owner.get(key) is None:
        return None
    selector = mapping(owner, key)
    try:
        return NodeSelector(tuple(each(selector, "nodeSelectorTerms", _term)))
    except FieldError as error:
        raise error.within(key) from None


def _term(term: Fields) -> NodeSelectorTerm:
    return NodeSelectorTerm(
        tuple(each(term, "matchExpressions", _node_requirement)),
        tuple(each(term, "matchFields", _node_requirement)),
    )


def _label_requirement(expression: Fields) -> Requirement:
    return _requirement(expression, _LABEL_OPERATORS)


def _node_requirement(expression: Fields) -> Requirement:
    return _requirement(expression, _NODE_OPERATORS)


def _requirement(expression: Fields, operators: tuple[str, ...]) -> Requirement:
    return Requirement(
        required_text(expression, "key", "name the label that the expression is about"),
        choice(expression, "operator", operators, ""),
        texts(expression, "values"),
    )
