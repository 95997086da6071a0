"""KEP40x and KEP41x: status against stage, release and what the metadata hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.milestone import any_milestone
from kep_validator.prr_requirement import STATUSES
from kep_validator.rules.base import Needs, Rule, RuleMeta, metadata_of

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.releases.model import ReleaseGuide
    from kep_validator.yaml_source import YamlDocument

_METADATA = frozenset({Needs.METADATA})
_HANDBOOK = "kubernetes/sig-release role-handbooks/enhancements/README.md"
_PROPOSAL = "kubernetes/enhancements api/proposal.go"
_LAST_STAGES = ("stable", "deprecated", "disabled", "removed")
_KEYS_SINCE = (1, 30)


class ImplementedNotStable(Rule):
    """An implemented KEP is not stable."""

    meta = RuleMeta(
        code="KEP405",
        name="implemented-not-stable",
        summary="An implemented KEP is in stage stable.",
        explanation="`implemented` says that the work is over. Upstream has this check, but only "
        "kepctl create runs it, and it knows no exception; here deprecated, disabled and "
        "removed, with which a removal ends, pass too.",
        source=_PROPOSAL + " (KEPHandler.Validate)",
        severity=Severity.WARNING,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report a stage before stable."""
        metadata = metadata_of(kep)
        stage = metadata.text("stage")
        if metadata.text("status") != "implemented":
            return
        if stage in guide.stages and stage not in _LAST_STAGES:
            yield self.found(
                metadata.span("stage"),
                f"status is implemented, but stage is {stage}",
                help="set status to implementable until the feature is stable",
            )


class ReplacedWithoutSuccessor(Rule):
    """replaced and superseded-by do not agree."""

    meta = RuleMeta(
        code="KEP406",
        name="replaced-without-successor",
        summary="A replaced KEP names its successor, and only a replaced one does.",
        explanation="status: replaced and superseded-by belong together. A successor of a KEP that "
        "is not replaced is an info: some name a follow-up there.",
        source=_HANDBOOK,
        severity=Severity.WARNING,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report the one without the other."""
        metadata = metadata_of(kep)
        replaced = metadata.text("status") == "replaced"
        successors = [name for name in metadata.texts("superseded-by") if name.strip()]
        if replaced and not successors:
            help = "add superseded-by with the KEP that took over"
            span = metadata.span("status")
            yield self.found(span, "status is replaced, but superseded-by is empty", help=help)
        elif successors and not replaced:
            yield self.found(
                metadata.key_span("superseded-by"),
                f"superseded-by is set, but status is {metadata.text('status')}",
                help="set status to replaced, or remove superseded-by",
                severity=Severity.INFO,
            )


class OtherRelease(Rule):
    """The KEP does not target the release whose guidelines are used."""

    meta = RuleMeta(
        code="KEP407",
        name="other-release",
        summary="An implementable KEP targets the release it is checked for.",
        explanation="The guidelines change with each release. For a freeze the release team "
        "looks for latest-milestone: v1.NN of that release.",
        source="kubernetes/sig-release releases/release_phases.md",
        severity=Severity.INFO,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Compare latest-milestone with the guide's release."""
        metadata = metadata_of(kep)
        if metadata.text("status") != "implementable":
            return
        latest = any_milestone(metadata.text("latest-milestone"))
        if latest in (None, (0, 0), guide.version):
            return
        shown = metadata.text("latest-milestone")
        yield self.found(
            metadata.span("latest-milestone"),
            f"the KEP targets {shown}, but is checked by the guidelines of {guide.release}",
            help=_to_be_checked_by(latest, guide),
        )


def _to_be_checked_by(latest: tuple[int, int] | None, guide: ReleaseGuide) -> str:
    if latest is not None and latest > guide.version:
        return "choose that release by --k8s-version where its guidelines are known here"
    return f"set latest-milestone to v{guide.release} to enter that release"


class StableNotImplemented(Rule):
    """A KEP became stable in an earlier release and is still implementable."""

    meta = RuleMeta(
        code="KEP408",
        name="stable-not-implemented",
        summary="A KEP that became stable in an earlier release is implemented.",
        explanation="After the code freeze of the release in which a KEP becomes stable, its "
        "status is set to implemented.",
        source=_HANDBOOK,
        severity=Severity.INFO,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report a stable, implementable KEP whose release is over."""
        metadata = metadata_of(kep)
        if metadata.text("status") != "implementable":
            return
        latest = any_milestone(metadata.text("latest-milestone"))
        if metadata.text("stage") == "stable" and latest and (1, 0) < latest < guide.version:
            yield self.found(
                metadata.span("status"),
                f"the KEP was to be stable in {metadata.text('latest-milestone')}, "
                "yet is still implementable",
                help="set status to implemented if it is done, or retarget it",
            )


class NoFeatureGate(Rule):
    """An alpha or beta KEP names no feature gate."""

    meta = RuleMeta(
        code="KEP409",
        name="no-feature-gate",
        summary="An alpha or beta KEP names its feature gate.",
        explanation="Asked for from alpha on. Features that are switched in another way say so "
        "in the README's first production readiness answer.",
        source="kubernetes/enhancements keps/NNNN-kep-template/kep.yaml",
        severity=Severity.INFO,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report a KEP of v1.30 or later without gates."""
        metadata = metadata_of(kep)
        early = metadata.text("stage") in ("alpha", "beta")
        if early and _recent(metadata) and not metadata.get("feature-gates"):
            span = metadata.key_span("feature-gates")
            help = "add feature-gates, or answer in the README how the feature is switched"
            yield self.found(span, "no feature gate is named", help=help)


class NoMetrics(Rule):
    """A beta or stable KEP names no metrics."""

    meta = RuleMeta(
        code="KEP410",
        name="no-metrics",
        summary="A beta or stable KEP names the metrics that show it at work.",
        explanation="The template asks for them from beta on.",
        source="kubernetes/enhancements keps/NNNN-kep-template/kep.yaml",
        severity=Severity.INFO,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report a KEP of v1.30 or later without metrics."""
        metadata = metadata_of(kep)
        late = metadata.text("stage") in ("beta", "stable")
        if late and _recent(metadata) and not any(metadata.texts("metrics")):
            span = metadata.key_span("metrics")
            help = "add metrics with the names an operator looks at"
            yield self.found(span, "no metrics are named", help=help)


def _recent(metadata: YamlDocument) -> bool:
    latest = any_milestone(metadata.text("latest-milestone"))
    return metadata.text("status") in STATUSES and latest is not None and latest >= _KEYS_SINCE
