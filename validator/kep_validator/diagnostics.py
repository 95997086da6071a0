"""What a check says: diagnostics with a place, a rule, a message, help and fixes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from kep_validator.source import Span


class Severity(StrEnum):
    """How much a diagnostic weighs; only errors make the exit code 1."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the heaviest."""
        return _RANK[self]


_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of `span` by `replacement`."""

    span: Span
    replacement: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that mend a finding; `safe` ones never change what the KEP says."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that explains a diagnostic."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding of one rule at one place."""

    code: str
    name: str
    severity: Severity
    message: str
    span: Span
    help: str = ""
    fixes: tuple[Fix, ...] = ()
    related: tuple[Related, ...] = ()

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """Order by place, then rule."""
        return (self.span.path, self.span.line, self.span.column, self.code, self.message)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A check that did not run, and why: a silent check is a false promise."""

    code: str
    path: str
    reason: str


@dataclass(frozen=True)
class Report:
    """All that was found in one KEP (or one tree of KEPs).

    `release` is the Kubernetes release whose guidelines were used, such as `1.34`; `checked`
    lists the KEPs (their directories or files) in the order they were checked.
    """

    release: str
    checked: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    internal_errors: tuple[str, ...] = field(default=())

    def count(self, severity: Severity) -> int:
        """Return how many diagnostics have this severity."""
        return sum(d.severity is severity for d in self.diagnostics)
