"""KEP12x: stage and latest-milestone, which decide what a KEP has to hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.milestone import parse_tolerant, written_milestone
from kep_validator.prr_requirement import STATUSES
from kep_validator.rules.base import Needs, Rule, RuleMeta, metadata_of

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.releases.model import ReleaseGuide
    from kep_validator.yaml_source import YamlDocument

_NO_RELEASE = ("0.0", "v0.0")


class LatestMilestoneMissing(Rule):
    """latest-milestone is not set though the status asks for it."""

    meta = RuleMeta(
        code="KEP120",
        name="latest-milestone-missing",
        summary="An implementable or implemented KEP has a latest-milestone.",
        explanation="Upstream's CI rejects an implementable or implemented KEP without it "
        "(since the 1.30 cycle).",
        source="kubernetes/enhancements pkg/kepval/approval.go",
        severity=Severity.ERROR,
        needs=frozenset({Needs.METADATA}),
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report a missing or empty value."""
        metadata = metadata_of(kep)
        if _targeted(metadata) and _unset(metadata, "latest-milestone"):
            yield self.found(
                metadata.key_span("latest-milestone"),
                f"latest-milestone is not set, but status is `{metadata.text('status')}`",
                help=f'add the release you aim at: latest-milestone: "v{guide.release}"',
            )


class StageMissing(Rule):
    """The stage is not set."""

    meta = RuleMeta(
        code="KEP121",
        name="stage-missing",
        summary="A KEP has a stage.",
        explanation="Upstream's CI rejects an implementable or implemented KEP without a stage; "
        "for a provisional one only kepctl does, so that is a warning here.",
        source="kubernetes/enhancements pkg/kepval/approval.go, api/proposal.go",
        severity=Severity.ERROR,
        needs=frozenset({Needs.METADATA}),
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report a missing or empty value."""
        metadata = metadata_of(kep)
        if not _unset(metadata, "stage"):
            return
        status = metadata.text("status")
        if status in STATUSES or status == "provisional":
            yield self.found(
                metadata.key_span("stage"),
                f"stage is not set, but status is `{status}`",
                help="add the stage you aim at: stage: alpha, beta or stable",
                severity=Severity.ERROR if status in STATUSES else Severity.WARNING,
            )


class LatestMilestoneInvalid(Rule):
    """latest-milestone is no release."""

    meta = RuleMeta(
        code="KEP122",
        name="latest-milestone-invalid",
        summary="latest-milestone is a release.",
        explanation="Upstream's CI has to compare it with v1.21 and fails on text such as TBD, "
        "V1.34, v1.x or two releases at once, when the KEP is implementable or implemented.",
        source="kubernetes/enhancements pkg/kepval/approval.go (semver.ParseTolerant)",
        severity=Severity.ERROR,
        needs=frozenset({Needs.METADATA}),
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report a value that upstream cannot compare."""
        metadata = metadata_of(kep)
        value = metadata.text("latest-milestone")
        if not value or _is_version(value):
            return
        yield self.found(
            metadata.span("latest-milestone"),
            f"latest-milestone `{value}` is no release",
            help=f'write it as "v{guide.release}"',
            severity=Severity.ERROR if _targeted(metadata) else Severity.WARNING,
        )


class LatestMilestoneForm(Rule):
    """latest-milestone is not written as v1.NN."""

    meta = RuleMeta(
        code="KEP123",
        name="latest-milestone-form",
        summary="latest-milestone is written as v1.NN.",
        explanation="Upstream understands other forms (1.34, v1.34.0), but the release team and "
        "its queries look for v1.NN. `0.0` stands for a KEP that is tied to no release.",
        source="kubernetes/sig-release releases/release_phases.md",
        severity=Severity.WARNING,
        needs=frozenset({Needs.METADATA}),
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report another form of a valid release."""
        metadata = metadata_of(kep)
        value = metadata.text("latest-milestone")
        if not value or value in _NO_RELEASE or not _is_version(value):
            return
        if written_milestone(value) is None:
            version = parse_tolerant(value)
            yield self.found(
                metadata.span("latest-milestone"),
                f"latest-milestone `{value}` is not in the form v1.NN",
                help=f'write it as "v{version.major}.{version.minor}"',
            )


def _targeted(metadata: YamlDocument) -> bool:
    return metadata.text("status") in STATUSES


def _unset(metadata: YamlDocument, key: str) -> bool:
    return metadata.get(key) in (None, "")


def _is_version(text: str) -> bool:
    try:
        parse_tolerant(text)
    except ValueError:
        return False
    return True
