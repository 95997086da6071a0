"""The JSON report conforms to the schema published beside its reporter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import kep_validator.reporters
from kep_validator.api import validate_paths
from kep_validator.diagnostics import Diagnostic, Edit, Fix, Related, Report, Severity, Skipped
from kep_validator.reporters.json import as_json, render
from kep_validator.schema_check import without_needless_formats
from kep_validator.source import Span

with without_needless_formats():
    from jsonschema import Draft202012Validator

FOLDER = Path(kep_validator.reporters.__file__).parent
SCHEMA = json.loads((FOLDER / "report.schema.json").read_text(encoding="utf-8"))
GOLDEN = Path(__file__).parent / "golden"


def faults(report: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(SCHEMA).iter_errors(report)]


def test_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_every_twin_in_one_report() -> None:
    folders = sorted(path for path in GOLDEN.glob("KEP*/*") if path.is_dir())
    report = validate_paths(folders)
    assert len(report.checked) >= len(folders) > 90
    assert {found.severity for found in report.diagnostics} == set(Severity)
    assert report.skipped
    assert faults(json.loads(render(report))) == []


def test_order_is_by_place() -> None:
    report = validate_paths([GOLDEN / "KEP132" / "bad", GOLDEN / "KEP101" / "bad"])
    keys = [found.sort_key for found in report.diagnostics]
    assert keys == sorted(keys)


def test_fixes_and_related_places() -> None:
    span = Span("kep.yaml", 3, 1, 3, 5)
    fix = Fix("mend", (Edit(span, "x"),))
    found = Diagnostic(
        "KEP101", "unknown-key", Severity.ERROR, "m", span, "h", (fix,), (Related(span, "r"),)
    )
    report = as_json(Report("1.34", ("k",), (found,), (Skipped("KEP101", "k", "why"),)))
    assert faults(report) == []
    (printed,) = report["diagnostics"]
    assert printed["fixable"] is True
    assert printed["related"] == [{"file": "kep.yaml", "line": 3, "column": 1, "message": "r"}]


@pytest.mark.parametrize("key", SCHEMA["required"])
def test_schema_misses_each_key(key: str) -> None:
    report = as_json(Report("1.34"))
    assert faults(report) == []
    del report[key]
    assert faults(report)
