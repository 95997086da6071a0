"""The review of a KEP as a result set: the validation report in tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kep_validator.diagnostics import Diagnostic, Report, Severity
from kep_workbench.results import Column, Fact, ResultSet, Scalar, Table

KIND = "kep-review"
# The rule codes' hundreds, as validator/RULES.md has them.
_SECTIONS = {
    "1": "metadata",
    "2": "sections",
    "3": "production readiness",
    "4": "lifecycle",
    "5": "evidence",
}


def review_result(report: Report, kep: Path, parameters: Mapping[str, Any]) -> ResultSet:
    """Make tables and facts of a validation report; paths are shown relative to `kep`."""
    counts = {severity: report.count(severity) for severity in Severity}
    facts = [
        Fact(f"{severity.value}-count", f"findings of severity {severity.value}", count)
        for severity, count in counts.items()
    ]
    facts += [
        Fact("checked-count", "KEPs checked", len(report.checked)),
        Fact("skipped-count", "checks that could not be made", len(report.skipped)),
        Fact("internal-error-count", "rules that crashed", len(report.internal_errors)),
    ]
    return ResultSet(
        kind=KIND,
        title=f"Review of {kep.name} by the guidelines of Kubernetes {report.release}",
        environment="none",
        environment_note="Read from the KEP's files alone; nothing is measured.",
        kubernetes_version=f"{report.release} (guidelines)",
        parameters=parameters,
        sample_counts={"keps": len(report.checked)},
        facts=tuple(facts),
        tables=(
            _summary(report.diagnostics),
            _findings(report.diagnostics, kep),
            _skipped(report, kep),
        ),
    )


def _summary(diagnostics: Sequence[Diagnostic]) -> Table:
    counts = Counter((_section(item.code), item.severity) for item in diagnostics)
    sections = [*_SECTIONS.values(), *sorted({s for s, _ in counts} - set(_SECTIONS.values()))]
    rows: list[tuple[Scalar, ...]] = [
        (section, *(counts[section, severity] for severity in Severity)) for section in sections
    ]
    total = Counter(item.severity for item in diagnostics)
    rows.append(("all", *(total[severity] for severity in Severity)))
    columns = (Column("part"), *(Column(f"{severity.value}s") for severity in Severity))
    return Table("summary", "Findings by part of the KEP and severity.", columns, tuple(rows))


def _findings(diagnostics: Sequence[Diagnostic], kep: Path) -> Table:
    ordered = sorted(diagnostics, key=lambda item: (item.severity.rank, item.sort_key))
    rows = tuple(
        (
            item.severity.value,
            item.code,
            f"{_shown(item.span.path, kep)}:{item.span.line}:{item.span.column}",
            item.message,
            item.help,
        )
        for item in ordered
    )
    names = ("severity", "rule", "place", "finding", "what to do")
    caption = "Findings, the heaviest first." if rows else "Findings: none."
    return Table("findings", caption, tuple(Column(name) for name in names), rows)


def _skipped(report: Report, kep: Path) -> Table:
    rows = tuple((item.code, _shown(item.path, kep), item.reason) for item in report.skipped)
    caption = "Checks that could not be made." if rows else "Checks that could not be made: none."
    names = ("rule", "file", "reason")
    return Table("skipped", caption, tuple(Column(name) for name in names), rows)


def _section(code: str) -> str:
    number = code.lstrip("KEP")
    return _SECTIONS.get(number[:1], "other")


def _shown(path: str, kep: Path) -> str:
    """A path below the KEP; a result must not tell where a machine keeps its files."""
    absolute = Path(path)
    return str(absolute.relative_to(kep)) if absolute.is_relative_to(kep) else path
