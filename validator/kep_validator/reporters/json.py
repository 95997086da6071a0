"""The report as one JSON object, described by report.schema.json beside this module."""

from __future__ import annotations

import json
from typing import Any

from kep_validator import __version__
from kep_validator.diagnostics import Diagnostic, Report, Severity

SCHEMA_VERSION = "1"


def render(report: Report, ascii_only: bool = False) -> str:
    """Return the report as indented JSON with a line end; `ascii_only` escapes the rest."""
    return json.dumps(as_json(report), indent=2, ensure_ascii=ascii_only) + "\n"


def as_json(report: Report) -> dict[str, Any]:
    """Return the report as plain values."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "kep-validate", "version": __version__},
        "release": report.release,
        "keps": list(report.checked),
        "diagnostics": [_diagnostic(found) for found in report.diagnostics],
        "skipped": [
            {"code": skipped.code, "kep": skipped.path, "reason": skipped.reason}
            for skipped in report.skipped
        ],
        "summary": {
            "keps": len(report.checked),
            "errors": report.count(Severity.ERROR),
            "warnings": report.count(Severity.WARNING),
            "infos": report.count(Severity.INFO),
            "skipped": len(report.skipped),
            "internal_errors": len(report.internal_errors),
        },
    }


def _diagnostic(found: Diagnostic) -> dict[str, Any]:
    return {
        "file": found.span.path,
        "line": found.span.line,
        "column": found.span.column,
        "end_line": found.span.end_line,
        "end_column": found.span.end_column,
        "code": found.code,
        "name": found.name,
        "severity": found.severity.value,
        "message": found.message,
        "help": found.help,
        "fixable": bool(found.fixes),
        "related": [
            {
                "file": related.span.path,
                "line": related.span.line,
                "column": related.span.column,
                "message": related.message,
            }
            for related in found.related
        ],
    }
