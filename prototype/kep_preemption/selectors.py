"""Label selectors and node selectors, as the API defines them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Requirement:
    """One expression: In, NotIn, Exists, DoesNotExist, and for nodes Gt and Lt."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether `labels` satisfy this expression (k8s.io/apimachinery/pkg/labels)."""
        present = self.key in labels
        match self.operator:
            case "In":
                return present and labels[self.key] in self.values
            case "NotIn":
                return not present or labels[self.key] not in self.values
            case "Exists":
                return present
            case "DoesNotExist":
                return not present
            case "Gt" | "Lt":
                return present and self._compares(labels[self.key])
            case _:
                return False

    def _compares(self, value: str) -> bool:
        try:
            left, right = int(value), int(self.values[0])
        except (ValueError, IndexError):
            return False
        return left > right if self.operator == "Gt" else left < right


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """All of `match_labels` and all of `match_expressions`; empty matches everything."""

    match_labels: Mapping[str, str] = field(default_factory=dict)
    match_expressions: tuple[Requirement, ...] = ()

    @property
    def empty(self) -> bool:
        """True when there is nothing to match."""
        return not self.match_labels and not self.match_expressions

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether `labels` satisfy the selector."""
        return all(labels.get(k) == v for k, v in self.match_labels.items()) and all(
            expression.matches(labels) for expression in self.match_expressions
        )


@dataclass(frozen=True, slots=True)
class NodeSelectorTerm:
    """All of its expressions over labels and of its expressions over fields; empty matches none."""

    match_expressions: tuple[Requirement, ...] = ()
    match_fields: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str], node_name: str) -> bool:
        """Tell whether a node satisfies the term (component-helpers, nodeaffinity)."""
        if not self.match_expressions and not self.match_fields:
            return False
        fields = {"metadata.name": node_name}
        return all(e.matches(labels) for e in self.match_expressions) and all(
            e.matches(fields) for e in self.match_fields
        )


@dataclass(frozen=True, slots=True)
class NodeSelector:
    """Terms of which one must match; no terms match nothing."""

    terms: tuple[NodeSelectorTerm, ...] = ()

    def matches(self, labels: Mapping[str, str], node_name: str) -> bool:
        """Tell whether a node satisfies one of the terms."""
        return any(term.matches(labels, node_name) for term in self.terms)
