"""Twins for each rule: a KEP it has to accept and one it has to fault, by API and command.

golden/<CODE>/ok and golden/<CODE>/bad are small trees of KEPs; bad/expected.json lists what the
rule says, and must not be empty. KEPLER_UPDATE_GOLDEN=1 rewrites these lists, except in CI.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from kep_validator.api import validate_path
from kep_validator.cli import EXIT_CLEAN, EXIT_FINDINGS, main
from kep_validator.rules import all_metas

GOLDEN = Path(__file__).parent / "golden"
CODES = sorted(folder.name for folder in GOLDEN.iterdir() if folder.is_dir())
UPDATE = bool(os.environ.get("KEPLER_UPDATE_GOLDEN"))
# Raised by a fault of the tool; test_engine makes one.
WITHOUT_TWINS = {"KEP900"}
# The rules on the README's sections and answers have tests of their own; twins are welcome.
_ELSEWHERE = ("KEP2", "KEP30", "KEP31", "KEP32", "KEP33", "KEP34")
KEYS = ("file", "line", "column", "end_column", "severity", "message", "help")


def findings(report: list[dict[str, Any]], code: str, root: Path) -> list[dict[str, Any]]:
    """The findings of one rule, with paths from the tree's root."""
    prefix = f"{root}{os.sep}"
    return [
        {key: _without(found[key], prefix) for key in KEYS}
        for found in report
        if found["code"] == code
    ]


def _without(value: Any, prefix: str) -> Any:
    return value.replace(prefix, "") if isinstance(value, str) else value


def by_command(
    root: Path, code: str, capsys: pytest.CaptureFixture[str]
) -> tuple[int, dict[str, Any]]:
    status = main([str(root), "--select", code, "--output", "json", "--jobs", "1"])
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("code", CODES)
def test_ok_twin_is_accepted(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    root = GOLDEN / code / "ok"
    report = validate_path(root)
    assert report.checked
    assert [found for found in report.diagnostics if found.code == code] == []
    status, printed = by_command(root, code, capsys)
    assert (status, printed["diagnostics"]) == (EXIT_CLEAN, [])


@pytest.mark.parametrize("code", CODES)
def test_bad_twin_is_faulted(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    root = GOLDEN / code / "bad"
    status, printed = by_command(root, code, capsys)
    found = findings(printed["diagnostics"], code, root)
    expected_file = root / "expected.json"
    if UPDATE and not os.environ.get("CI"):
        text = json.dumps(found, indent=2, ensure_ascii=False)
        expected_file.write_text(text + "\n", encoding="utf-8")
    expected = json.loads(expected_file.read_text(encoding="utf-8"))
    assert expected, f"{expected_file} expects nothing, so it proves nothing"
    assert found == expected
    by_api = [each for each in validate_path(root).diagnostics if each.code == code]
    assert [(each.span.line, each.message) for each in by_api] == [
        (each["line"], each["message"]) for each in printed["diagnostics"]
    ]
    errors = any(each["severity"] == "error" for each in found)
    assert status == (EXIT_FINDINGS if errors else EXIT_CLEAN)


def test_every_rule_has_twins() -> None:
    codes = {meta.code for meta in all_metas() if not meta.code.startswith(_ELSEWHERE)}
    assert codes - WITHOUT_TWINS <= set(CODES), "add golden/<CODE>/ok and golden/<CODE>/bad"


def test_every_twin_belongs_to_a_rule() -> None:
    assert set(CODES) <= {meta.code for meta in all_metas()}
