"""KEP14x: the dates of a KEP."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.rules.base import Needs, Rule, RuleMeta, metadata_of

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.releases.model import ReleaseGuide

_METADATA = frozenset({Needs.METADATA})
_TEMPLATE = "kubernetes/enhancements keps/NNNN-kep-template"
_RELEASE = re.compile(r"v?1\.\d+\Z")
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}\Z")


class ImpossibleDate(Rule):
    """A date does not exist."""

    meta = RuleMeta(
        code="KEP140",
        name="impossible-date",
        summary="creation-date and last-updated are real days, as YYYY-MM-DD.",
        explanation="Upstream checks no date: 2023-14-05 sits in a merged KEP and crashes common "
        "YAML parsers. (last-updated may also be a release, which kepctl writes there.)",
        source=_TEMPLATE + "/kep.yaml",
        severity=Severity.WARNING,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each value that is no day."""
        metadata = metadata_of(kep)
        for key in ("creation-date", "last-updated"):
            value = metadata.text(key)
            if not value or _day(value):
                continue
            template = value in guide.template_values.get(key, ())
            if template or (key == "last-updated" and _RELEASE.match(value)):
                continue
            problem = "does not exist" if _ISO.match(value) else "is not written as YYYY-MM-DD"
            yield self.found(
                metadata.span(key),
                f"{key} `{value}` {problem}",
                help="write the day as year-month-day, for example 2025-06-20",
            )


class UpdatedBeforeCreated(Rule):
    """The KEP was updated before it was created."""

    meta = RuleMeta(
        code="KEP141",
        name="updated-before-created",
        summary="last-updated is not before creation-date.",
        explanation="One of the two dates is a typing error or was copied from another KEP.",
        source=_TEMPLATE + "/kep.yaml",
        severity=Severity.WARNING,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Compare the two days."""
        metadata = metadata_of(kep)
        created = _day(metadata.text("creation-date"))
        updated = _day(metadata.text("last-updated"))
        if created and updated and updated < created:
            yield self.found(
                metadata.span("last-updated"),
                f"last-updated {updated} is before creation-date {created}",
                help="correct the one that is wrong",
            )


class CreationDateMissing(Rule):
    """The KEP does not say when it was created."""

    meta = RuleMeta(
        code="KEP142",
        name="creation-date-missing",
        summary="A KEP has a creation-date.",
        explanation="The template asks for it; upstream's check does not, so this is an info.",
        source=_TEMPLATE + "/kep.yaml",
        severity=Severity.INFO,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report a missing or empty value."""
        metadata = metadata_of(kep)
        if metadata.get("creation-date") in (None, ""):
            yield self.found(
                metadata.key_span("creation-date"),
                "creation-date is not set",
                help="add the day on which the KEP was first proposed",
            )


def _day(text: str | None) -> date | None:
    if not text or not _ISO.match(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
