from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

ALL = ["lint", "test", "test-slow", "validate", "run", "evidence-check"]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def commands() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "comment_command", ROOT / ".github/scripts/comment_command.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("comment", "targets", "retest", "unknown"),
    [
        ("/test all", ALL, False, ""),
        ("/test lint", ["lint"], False, ""),
        ("Looks right.\r\n/test lint test lint\r\n", ["lint", "test"], False, ""),
        ("/retest", [], True, ""),
        ("/retest\n/test run", ["run"], True, ""),
        ("/test e2e", [], False, "e2e"),
        ("please /test all", [], False, ""),
        ("/testing all", [], False, ""),
        ("/test $(reboot) `id` all", ALL, False, ""),
        ("", [], False, ""),
    ],
)
def test_parse(
    commands: ModuleType, comment: str, targets: list[str], retest: bool, unknown: str
) -> None:
    outputs = commands.parse(comment)
    assert json.loads(outputs["targets"]) == targets
    assert outputs["retest"] == ("true" if retest else "false")
    assert outputs["unknown"] == unknown


def test_outputs_never_hold_a_line_break(commands: ModuleType) -> None:
    outputs = commands.parse("/test a\nb\n/test c\rd\n/retest x")
    assert all("\n" not in v and "\r" not in v for v in outputs.values())


def test_every_target_exists_in_the_makefile(commands: ModuleType) -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in commands.TARGETS:
        assert f"\n{target}: " in makefile
