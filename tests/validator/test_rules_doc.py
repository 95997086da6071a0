"""The table of rules is current, complete and can be checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from kep_validator.rules import all_metas
from kep_validator.rules_doc import main, render_rules

RULES = Path(__file__).resolve().parents[2] / "validator" / "RULES.md"


def test_the_table_in_the_repository_is_current() -> None:
    assert main(["--check"]) == 0, "run `python -m kep_validator.rules_doc`"
    text = RULES.read_text(encoding="utf-8")
    for meta in all_metas():
        assert text.count(f"### {meta.code} {meta.name}\n") == 1
        assert text.count(f"| [{meta.code}](#{meta.code.lower()}-{meta.name}) |") == 1
    assert "## Others" not in text


def test_check_and_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "RULES.md"
    assert main([str(file)]) == 0
    assert main(["--check", str(file)]) == 0
    assert file.read_text(encoding="utf-8") == render_rules(all_metas())
    file.write_text("old", encoding="utf-8")
    assert main(["--check", str(file)]) == 1
    assert "is not current" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["RULES.md"]


def test_a_file_that_cannot_be_accessed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gone = tmp_path / "gone" / "RULES.md"
    assert main([str(gone)]) == 2
    assert main(["--check", str(gone)]) == 2
    assert str(gone) in capsys.readouterr().err
