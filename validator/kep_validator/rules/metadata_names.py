"""KEP11x: names that have to come from a known list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.rules.base import Needs, Rule, RuleMeta, metadata_of
from kep_validator.suggestions import did_you_mean

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.releases.model import ReleaseGuide

_NOT_RUN = (
    "Upstream has this check (kepctl create), but its CI has not run it since 2021, so that "
    "misspelt values sit in merged KEPs. "
)


class StatusUnknown(Rule):
    """The status is none of the known ones."""

    meta = RuleMeta(
        code="KEP110",
        name="status-unknown",
        summary="status is one of the known statuses, exactly.",
        explanation=_NOT_RUN + "With any other spelling of `implementable` upstream also stops "
        "asking for production readiness approval, silently.",
        source="kubernetes/enhancements api/proposal.go (Status.IsValid)",
        severity=Severity.ERROR,
        needs=frozenset({Needs.METADATA}),
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report a status that is not in the release's list."""
        metadata = metadata_of(kep)
        status = metadata.text("status")
        if status and status not in guide.statuses:
            listing = "one of " + ", ".join(guide.statuses)
            yield self.found(
                metadata.span("status"),
                f"unknown status `{status}`",
                help=did_you_mean(status, guide.statuses, listing),
            )


class StageUnknown(Rule):
    """The stage is none of the known ones."""

    meta = RuleMeta(
        code="KEP111",
        name="stage-unknown",
        summary="stage is one of the known stages, exactly.",
        explanation="Upstream's CI rejects an unknown stage where production readiness approval "
        "is needed, and nowhere else.",
        source="kubernetes/enhancements api/proposal.go (Stage.IsValid), api/approval.go",
        severity=Severity.ERROR,
        needs=frozenset({Needs.METADATA}),
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report a stage that is not in the release's list."""
        metadata = metadata_of(kep)
        stage = metadata.text("stage")
        if stage and stage not in guide.stages:
            other = "stable" if stage.strip().lower() == "ga" else stage
            listing = "one of " + ", ".join(guide.stages)
            yield self.found(
                metadata.span("stage"),
                f"unknown stage `{stage}`",
                help=did_you_mean(other, guide.stages, listing),
            )


class OwningSigUnknown(Rule):
    """The owning SIG does not exist."""

    meta = RuleMeta(
        code="KEP112",
        name="owning-sig-unknown",
        summary="owning-sig is a SIG, working group or committee.",
        explanation=_NOT_RUN + "Names are those of the folders of kubernetes/community.",
        source="kubernetes/enhancements api/proposal.go; kubernetes/community sigs.yaml",
        severity=Severity.ERROR,
        needs=frozenset({Needs.METADATA}),
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report a group that is not in the release's list."""
        metadata = metadata_of(kep)
        sig = metadata.text("owning-sig")
        if sig and sig not in guide.groups:
            yield self.found(
                metadata.span("owning-sig"),
                f"unknown SIG `{sig}`",
                help=_right_group(sig, guide),
            )


class ParticipatingSigUnknown(Rule):
    """A participating SIG does not exist."""

    meta = RuleMeta(
        code="KEP113",
        name="participating-sig-unknown",
        summary="Each of participating-sigs is a SIG, working group or committee.",
        explanation=_NOT_RUN + "A warning, because groups retire while KEPs that name them stay.",
        source="kubernetes/enhancements api/proposal.go; kubernetes/community sigs.yaml",
        severity=Severity.WARNING,
        needs=frozenset({Needs.METADATA}),
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each group that is not in the release's list."""
        metadata = metadata_of(kep)
        groups = metadata.get("participating-sigs")
        for index, sig in enumerate(groups if isinstance(groups, list) else ()):
            if isinstance(sig, str) and sig not in guide.groups:
                yield self.found(
                    metadata.span("participating-sigs", index),
                    f"{'retired' if sig in guide.retired_groups else 'unknown'} group `{sig}`",
                    help=_right_group(sig, guide),
                )


def _right_group(sig: str, guide: ReleaseGuide) -> str:
    if sig in guide.template_values.get("owning-sig", ()):
        return "write the SIG that owns the KEP in place of the template's"
    if sig in guide.retired_groups:
        return "the group has retired: remove it, or name the group that took over"
    meant = guide.group_corrections.get(sig)
    if meant:
        return f"did you mean `{meant}`?"
    return did_you_mean(sig, guide.groups, "use the name of a folder of kubernetes/community")
