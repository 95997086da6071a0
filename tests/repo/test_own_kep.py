"""KEP-4389, the product's own first user."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import pytest

import kep_validator
from kep_validator.cli import main as validate
from kep_workbench.cli import main as kepler

ROOT = Path(__file__).resolve().parents[2]
KEP = ROOT / "kep"


def report(capsys: pytest.CaptureFixture[str], path: Path) -> tuple[int, dict]:
    code = validate([str(path), "--k8s-version", "1.34", "--output", "json"])
    return code, json.loads(capsys.readouterr().out)


def test_it_is_clean_and_its_report_conforms(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = report(capsys, KEP)
    assert code == 0
    assert found["diagnostics"] == []
    schema = Path(kep_validator.__file__).parent / "reporters/report.schema.json"
    jsonschema.validate(found, json.loads(schema.read_text("utf-8")))


def test_only_people_are_missing_to_make_it_implementable(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A provisional KEP is judged gently; this one answers all that alpha asks for."""
    copy = shutil.copytree(KEP, tmp_path / "kep")
    metadata = (copy / "kep.yaml").read_text("utf-8")
    assert "\nstatus: provisional\n" in metadata
    (copy / "kep.yaml").write_text(
        metadata.replace("\nstatus: provisional\n", "\nstatus: implementable\n"), "utf-8"
    )
    code, found = report(capsys, copy)
    assert code == 1
    assert {d["code"] for d in found["diagnostics"]} <= {"KEP355", "KEP221"}
    assert "KEP355" in {d["code"] for d in found["diagnostics"]}


def test_it_can_be_exported_and_validated_in_the_older_form(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    exported = tmp_path / "kep-4389.md"
    assert kepler(["export", str(KEP), "--output", str(exported)]) == 0
    capsys.readouterr()
    code, found = report(capsys, exported)
    assert code == 0
    assert found["diagnostics"] == []


def test_numbers_in_its_evidence_come_with_their_origin() -> None:
    text = (KEP / "README.md").read_text("utf-8")
    assert text.count("<!-- evidence:begin ") == text.count("<!-- evidence:end -->") == 4
    assert "Simulated, not measured on a cluster" in text
