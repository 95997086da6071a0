"""The form of a rule."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

from kep_validator.diagnostics import Diagnostic, Fix, Related, Severity

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.markdown_source import MarkdownDocument
    from kep_validator.releases.model import ReleaseGuide
    from kep_validator.source import Span
    from kep_validator.yaml_source import YamlDocument


class Needs(StrEnum):
    """What a rule must have to run; the engine reports a rule without it as skipped."""

    METADATA = "metadata"
    README = "readme"
    TREE = "tree"
    PROD_READINESS_PLACE = "prod-readiness place"


@dataclass(frozen=True, slots=True)
class RuleMeta:
    """What is known of a rule without running it.

    `code` is never reused. `source` names the document or file of upstream that the rule
    follows. `since` is the first release whose guidelines ask for it ('' for all).
    """

    code: str
    name: str
    summary: str
    explanation: str
    source: str
    severity: Severity
    needs: frozenset[Needs] = field(default_factory=frozenset)
    since: str = ""


class Rule(ABC):
    """A pure check: it reads the KEP and the release's guide, and does no I/O."""

    meta: ClassVar[RuleMeta]

    @abstractmethod
    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Yield one diagnostic for each fault."""

    def skip_reason(self, kep: Kep, guide: ReleaseGuide) -> str:
        """Say why this rule has nothing to judge in this KEP; '' when it has.

        The reason is reported, so that no reader takes a silent rule for a passed one.
        """
        return ""

    def caveat(self, kep: Kep, guide: ReleaseGuide) -> str:
        """Say which part of this rule could not be checked as upstream does; '' when all was."""
        return ""

    def found(
        self,
        span: Span,
        message: str,
        *,
        help: str = "",
        severity: Severity | None = None,
        fixes: tuple[Fix, ...] = (),
        related: tuple[Related, ...] = (),
    ) -> Diagnostic:
        """Return a diagnostic of this rule."""
        return Diagnostic(
            self.meta.code,
            self.meta.name,
            severity or self.meta.severity,
            message,
            span,
            help,
            fixes,
            related,
        )


def readme_of(kep: Kep) -> MarkdownDocument:
    """Return the README that a rule needing `Needs.README` can rely on."""
    assert kep.readme is not None
    return kep.readme


def metadata_of(kep: Kep) -> YamlDocument:
    """Return the metadata that a rule needing `Needs.METADATA` can rely on."""
    assert kep.metadata is not None
    return kep.metadata
