"""Running all checks on one KEP."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from kep_validator.diagnostics import Diagnostic, Severity, Skipped
from kep_validator.document import Form, Kep
from kep_validator.prr_requirement import why_not_required
from kep_validator.releases.model import ReleaseGuide
from kep_validator.rules import ALL_RULES, INTERNAL_ERROR
from kep_validator.rules.base import Needs, Rule
from kep_validator.rules.schema_findings import METAS as SCHEMA_METAS
from kep_validator.schema_check import check_schema
from kep_validator.source import Span

_SCHEMA_CODES = f"{SCHEMA_METAS[0].code} to {SCHEMA_METAS[-1].code}"


@dataclass
class Outcome:
    """What came out of one KEP, in no particular order."""

    name: str
    diagnostics: list[Diagnostic] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    internal_errors: list[str] = field(default_factory=list)


def check_kep(kep: Kep, guide: ReleaseGuide, rules: Sequence[Rule] = ALL_RULES) -> Outcome:
    """Check the schemas, then run each rule; a rule that crashes becomes a finding."""
    outcome = Outcome(kep.name)
    path = kep.metadata_path or kep.name
    with guarded(outcome, path, f"the checks {_SCHEMA_CODES}"):
        _check_schemas(kep, guide, outcome)
    for rule in rules:
        if _is_asked_for(rule, guide):
            with guarded(outcome, path, f"the check {rule.meta.code}"):
                _check_rule(rule, kep, guide, outcome)
    _keep_to_the_named_file(kep, outcome)
    return outcome


def _check_schemas(kep: Kep, guide: ReleaseGuide, outcome: Outcome) -> None:
    if kep.metadata is None or kep.metadata.broken:
        reason = "the metadata cannot be read" if kep.metadata else "there are no metadata"
        outcome.skipped.append(Skipped(_SCHEMA_CODES, kep.name, reason))
    else:
        outcome.diagnostics += check_schema(kep.metadata, guide.release, "kep")
    if kep.prod_readiness:
        # Upstream opens this file only where it needs an approval.
        needed = kep.metadata is not None and not why_not_required(kep.metadata)
        severity = Severity.ERROR if needed else Severity.WARNING
        outcome.diagnostics += check_schema(
            kep.prod_readiness, guide.release, "prod-readiness", severity
        )


def _check_rule(rule: Rule, kep: Kep, guide: ReleaseGuide, outcome: Outcome) -> None:
    reason = _lacking(rule, kep) or rule.skip_reason(kep, guide)
    if not reason:
        outcome.diagnostics += rule.check(kep, guide)
        reason = rule.caveat(kep, guide)
    if reason:
        outcome.skipped.append(Skipped(rule.meta.code, kep.name, reason))


@contextmanager
def guarded(outcome: Outcome, path: str, what: str) -> Iterator[None]:
    """Turn whatever the block raises into a finding at the start of the file `path`."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 -- whatever is raised here is a fault of the tool
        message = f"{what} failed: {type(error).__name__}: {error}"
        help = "this is a fault of kep-validate: run again with -v and report it"
        meta = INTERNAL_ERROR
        outcome.diagnostics.append(
            Diagnostic(meta.code, meta.name, meta.severity, message, Span(path, 1), help)
        )
        outcome.internal_errors.append(f"{outcome.name}: {what}\n{traceback.format_exc()}")


def _is_asked_for(rule: Rule, guide: ReleaseGuide) -> bool:
    since = rule.meta.since
    return not since or tuple(int(part) for part in since.split(".")) <= guide.version


def _lacking(rule: Rule, kep: Kep) -> str:
    """Say which part of the KEP the rule cannot do without is not there; '' when all are."""
    needs = rule.meta.needs
    if Needs.METADATA in needs and (kep.metadata is None or kep.metadata.broken):
        return "the metadata cannot be read" if kep.metadata else "there are no metadata"
    if Needs.README in needs and kep.readme is None:
        only = kep.form is Form.METADATA_FILE
        return "only kep.yaml was given" if only else "there is no README.md"
    if Needs.TREE in needs and kep.tree is None:
        return "the KEP does not lie in a keps/ folder"
    if Needs.PROD_READINESS_PLACE in needs and not kep.prod_readiness_path:
        return (
            "there is no place to look for the production readiness file: the KEP lies neither "
            "in a keps/ folder nor beside a prod-readiness folder, or has no owning-sig or number"
        )
    return ""


def _keep_to_the_named_file(kep: Kep, outcome: Outcome) -> None:
    """Of a KEP given by its README.md, report the README alone; kep.yaml only gave the stage."""
    if kep.form is not Form.README_FILE:
        return
    outcome.diagnostics = [
        found
        for found in outcome.diagnostics
        if found.span.path == kep.readme_path or found.code == INTERNAL_ERROR.code
    ]
