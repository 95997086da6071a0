"""KEP35x: the production readiness file, keps/prod-readiness/<sig>/<number>.yaml."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.prr_requirement import why_not_required
from kep_validator.rules.base import Needs, Rule, RuleMeta, metadata_of
from kep_validator.suggestions import did_you_mean

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.releases.model import ReleaseGuide

_NEEDS = frozenset({Needs.METADATA, Needs.PROD_READINESS_PLACE})
_ALIASES = ("prod-readiness-approvers", "prod-readiness-approvers-emeritus")
_FREEZE = "Without it the KEP fails upstream's CI and cannot enter a release."


class _WhereRequired(Rule):
    """A rule on KEPs that need a production readiness approval."""

    def skip_reason(self, kep: Kep, guide: ReleaseGuide) -> str:
        """Say why no approval is needed."""
        return why_not_required(metadata_of(kep))


class ProdReadinessMissing(_WhereRequired):
    """The production readiness file is missing."""

    meta = RuleMeta(
        code="KEP350",
        name="prod-readiness-file-missing",
        summary="An implementable KEP of v1.21 or later has a production readiness file.",
        explanation="The file is named by the literal owning-sig and kep-number of kep.yaml and "
        "ends in .yaml. " + _FREEZE,
        source="kubernetes/enhancements pkg/kepval/approval.go",
        severity=Severity.ERROR,
        needs=_NEEDS,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report the file that should be there."""
        metadata = metadata_of(kep)
        unreadable = any(gone.path == kep.prod_readiness_path for gone in kep.unreadable)
        if kep.prod_readiness or unreadable:
            return
        yield self.found(
            metadata.span("kep-number"),
            f"there is no production readiness file {kep.prod_readiness_path}",
            help="create it with kep-number and, below the stage, the approver's handle",
        )


class StageNotApproved(_WhereRequired):
    """The production readiness file has no block for the KEP's stage."""

    meta = RuleMeta(
        code="KEP353",
        name="stage-not-approved",
        summary="The production readiness file names an approver for the KEP's stage.",
        explanation="Approval is given for each stage anew: a KEP that moves to beta needs a "
        "`beta:` block. " + _FREEZE,
        source="kubernetes/enhancements api/approval.go (ApproverForStage)",
        severity=Severity.ERROR,
        needs=_NEEDS,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report a block that is absent or null."""
        metadata = metadata_of(kep)
        document = kep.prod_readiness
        stage = metadata.text("stage")
        if document is None or document.broken or stage not in guide.stages:
            return
        if document.get(stage) is None:
            yield self.found(
                document.key_span(stage),
                f"no production readiness approval for stage `{stage}`",
                help=f"add `{stage}:` and below it `approver:` with the approver's handle",
            )


class ApproverUnknown(_WhereRequired):
    """The approver of the stage is no production readiness approver."""

    meta = RuleMeta(
        code="KEP355",
        name="approver-unknown",
        summary="The stage's approver is a production readiness approver, present or former.",
        explanation="The handle, less one leading @, has to stand in prod-readiness-approvers or "
        "prod-readiness-approvers-emeritus of OWNERS_ALIASES, in the same letters. Where the KEP "
        "lies in no checkout with that file, the release's data are used.",
        source="kubernetes/enhancements pkg/kepval/approval.go, api/groups.go, OWNERS_ALIASES",
        severity=Severity.ERROR,
        needs=_NEEDS,
    )

    def caveat(self, kep: Kep, guide: ReleaseGuide) -> str:
        """Say that today's approvers are not known where OWNERS_ALIASES is missing."""
        if kep.tree and kep.tree.owners_aliases is not None:
            return ""
        return f"no OWNERS_ALIASES was found: the approvers of release {guide.release} were used"

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report an approver who is in neither list."""
        metadata = metadata_of(kep)
        document = kep.prod_readiness
        stage = metadata.text("stage")
        if document is None or document.broken or stage not in guide.stages:
            return
        handle = (document.text(stage, "approver") or "").removeprefix("@")
        known = known_approvers(kep, guide)
        if handle and handle not in known:
            listing = "the approvers are " + ", ".join(sorted(known))
            yield self.found(
                document.span(stage, "approver"),
                f"`{handle}` is no production readiness approver",
                help=did_you_mean(handle, known, listing),
            )


class ProdReadinessNumber(Rule):
    """The production readiness file carries another KEP's number."""

    meta = RuleMeta(
        code="KEP356",
        name="prod-readiness-number",
        summary="kep-number of the production readiness file is the KEP's.",
        explanation="Upstream does not compare the two, and three merged files carry the number "
        "of another KEP: they were copied.",
        source="kubernetes/enhancements keps/prod-readiness",
        severity=Severity.WARNING,
        needs=_NEEDS,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report two numbers that differ."""
        metadata = metadata_of(kep)
        ours = metadata.text("kep-number")
        theirs = kep.prod_readiness.text("kep-number") if kep.prod_readiness else None
        if kep.prod_readiness and ours and theirs and theirs.lstrip("0") != ours.lstrip("0"):
            yield self.found(
                kep.prod_readiness.span("kep-number"),
                f"kep-number is `{theirs}`, but the KEP's is `{ours}`",
                help=f"write {ours}",
            )


def known_approvers(kep: Kep, guide: ReleaseGuide) -> frozenset[str]:
    """Return all handles that may approve, from OWNERS_ALIASES or else from the release."""
    aliases = kep.tree.owners_aliases if kep.tree else None
    if aliases is None:
        return guide.prr_approvers.all
    return frozenset(handle for name in _ALIASES for handle in aliases.get(name, ()))
