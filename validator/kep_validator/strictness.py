"""How strictly a KEP's README is judged: by what its metadata say of status and stage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Severity
from kep_validator.releases.model import Need

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.releases.model import Demand

_TARGETED = ("implementable", "implemented")
_GIVEN_UP = ("deferred", "rejected", "withdrawn", "replaced")
_GRADUATING = ("alpha", "beta", "stable")
_LEAVING = ("deprecated", "disabled", "removed")


@dataclass(frozen=True, slots=True)
class Strictness:
    """The phase whose content the README must have, and what weight a lack of it has.

    `why` names the phase for a reader; `why_not_judged` is not empty when nothing is asked.
    """

    phase: str
    severity: Severity
    why: str
    why_not_judged: str = ""

    def weigh(self, demand: Demand) -> Severity | None:
        """Return the weight of a lack of what `demand` is about, None when it may lack."""
        need = demand.at(self.phase)
        if need is Need.REQUIRED:
            return self.severity
        if need is Need.EXPECTED:
            return Severity.WARNING
        return Severity.INFO if need is Need.ENCOURAGED else None


def strictness_of(kep: Kep) -> Strictness:
    """Decide how strictly to judge a KEP.

    An implementable or implemented KEP must have all that its stage asks. While it is provisional,
    lacks are warnings, and so they are where the stage is unknown (then the first stage counts) or
    the feature is leaving, for which the release team gives leeway. A KEP that was given up is not
    judged.
    """
    metadata = kep.metadata
    if metadata is None or metadata.broken:
        return Strictness("alpha", Severity.WARNING, "alpha (the stage is not known)")
    status, stage = metadata.text("status") or "", metadata.text("stage") or ""
    if status in _GIVEN_UP:
        return Strictness("provisional", Severity.INFO, "", f"the KEP's status is {status}")
    if status == "provisional":
        return Strictness(status, Severity.WARNING, "a provisional KEP")
    severity = Severity.ERROR if status in _TARGETED else Severity.WARNING
    if stage in _GRADUATING:
        return Strictness(stage, severity, stage)
    if stage in _LEAVING:
        return Strictness("stable", Severity.WARNING, f"stable (the stage is {stage})")
    return Strictness("alpha", Severity.WARNING, "alpha (the stage is not known)")
