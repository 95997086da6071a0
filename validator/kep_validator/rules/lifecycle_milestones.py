"""KEP40x: milestones against the stage and against each other."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Diagnostic, Related, Severity
from kep_validator.milestone import any_milestone, written_milestone
from kep_validator.prr_requirement import STATUSES
from kep_validator.rules.base import Needs, Rule, RuleMeta, metadata_of

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.releases.model import ReleaseGuide

_METADATA = frozenset({Needs.METADATA})
_SUBMISSION = "kubernetes/sig-release releases/release_phases.md (PRR freeze)"
_GRADUATION = ("alpha", "beta", "stable")
_NO_RELEASE = (0, 0)


class StageMilestoneMissing(Rule):
    """The milestone of the present stage is not set."""

    meta = RuleMeta(
        code="KEP401",
        name="stage-milestone-missing",
        summary="milestone names the release of the KEP's stage.",
        explanation="A KEP in stage beta has milestone.beta: the release in which it enters (or "
        "entered) beta.",
        source=_SUBMISSION,
        severity=Severity.WARNING,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report an implementable or implemented KEP without it."""
        metadata = metadata_of(kep)
        if metadata.text("status") not in STATUSES:
            return
        stage, latest = metadata.text("stage"), metadata.text("latest-milestone")
        if stage not in guide.stages or any_milestone(latest) in (None, _NO_RELEASE):
            return
        if not metadata.text("milestone", stage):
            yield self.found(
                metadata.key_span("milestone", stage),
                f"stage is {stage}, but milestone has no {stage}",
                help=f'add below milestone: {stage}: "{latest}"',
            )


class StageMilestoneLater(Rule):
    """The present stage is planned for a later release than latest-milestone."""

    meta = RuleMeta(
        code="KEP402",
        name="stage-milestone-later",
        summary="milestone.<stage> is not later than latest-milestone.",
        explanation="latest-milestone is the release the KEP is worked on for. It may be later "
        "than the stage's own release (work goes on within the stage), never earlier.",
        source=_SUBMISSION,
        severity=Severity.WARNING,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Compare the two releases."""
        metadata = metadata_of(kep)
        stage = metadata.text("stage")
        if stage not in guide.stages:
            return
        latest = any_milestone(metadata.text("latest-milestone"))
        entered = any_milestone(metadata.text("milestone", stage))
        if latest and latest != _NO_RELEASE and entered and entered > latest:
            shown = metadata.text("milestone", stage)
            target = metadata.text("latest-milestone")
            yield self.found(
                metadata.span("milestone", stage),
                f"milestone.{stage} {shown} is later than latest-milestone {target}",
                help="raise latest-milestone, or put the stage back",
                related=(Related(metadata.span("latest-milestone"), "latest-milestone"),),
            )


class MilestonesOutOfOrder(Rule):
    """A later stage comes in an earlier release."""

    meta = RuleMeta(
        code="KEP403",
        name="milestones-out-of-order",
        summary="alpha, beta and stable come in this order, each in a release of its own.",
        explanation="Two stages in one release leave no time for feedback; that is reported as "
        "an info, since a few KEPs mean it.",
        source="kubernetes/enhancements keps/NNNN-kep-template/README.md (Graduation Criteria)",
        severity=Severity.WARNING,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Compare neighbours among the stages that have a release."""
        metadata = metadata_of(kep)
        releases = [(s, any_milestone(metadata.text("milestone", s))) for s in _GRADUATION]
        known = [(stage, release) for stage, release in releases if release]
        for (earlier, first), (later, second) in pairwise(known):
            if second <= first and first != _NO_RELEASE != second:
                how = "in the same release as" if second == first else "before"
                yield self.found(
                    metadata.span("milestone", later),
                    f"{later} is planned {how} {earlier}",
                    help="correct the releases",
                    severity=Severity.INFO if second == first else Severity.WARNING,
                    related=(Related(metadata.span("milestone", earlier), earlier),),
                )


class MilestoneForm(Rule):
    """A milestone is no release in the form v1.NN."""

    meta = RuleMeta(
        code="KEP404",
        name="milestone-form",
        summary="Each milestone is written as v1.NN.",
        explanation="Upstream takes any text here and compares it with nothing. A stage whose "
        "release is open is left empty.",
        source="kubernetes/enhancements keps/NNNN-kep-template/kep.yaml",
        severity=Severity.WARNING,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report other forms; text that is no release at all is an info."""
        metadata = metadata_of(kep)
        for stage in guide.stages:
            value = metadata.text("milestone", stage)
            if not value or written_milestone(value):
                continue
            release = any_milestone(value)
            if release == _NO_RELEASE:
                continue
            problem = "is not in the form v1.NN" if release else "is no release"
            right = f'write it as "v{release[0]}.{release[1]}"' if release else ""
            yield self.found(
                metadata.span("milestone", stage),
                f"milestone.{stage} `{value}` {problem}",
                help=right or "name a release, or leave it empty until one is decided",
                severity=Severity.WARNING if release else Severity.INFO,
            )
