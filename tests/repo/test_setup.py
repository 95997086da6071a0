"""The set-up as a stranger meets it: a copy of the tracked files, an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str | Path, cwd: Path, **env: str) -> str:
    clean = {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "PYTHONPATH")}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=clean | env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    names = run("git", "ls-files", "-z", cwd=ROOT).split("\0")
    copy = tmp_path / "clone"
    for name in filter(None, names):
        if (ROOT / name).is_file():
            target = copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
    return copy


def base_python() -> str:
    return str(Path(sys.base_prefix) / "bin/python3")


@pytest.mark.slow
@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_make_setup(clone: Path, tmp_path: Path, installer: str) -> None:
    uv = ""
    if installer == "uv":
        run(base_python(), "-m", "venv", tmp_path / "tool", cwd=tmp_path)
        run(tmp_path / "tool/bin/python", "-m", "pip", "install", "-q", "uv", cwd=tmp_path)
        uv = str(tmp_path / "tool/bin/uv")
    said = run("make", "setup", f"UV={uv}", f"PYTHON={base_python()}", cwd=clone)
    assert f"with {installer}" in said
    assert "kepler" in run(clone / ".venv/bin/kepler", "--version", cwd=tmp_path)
    again = run("make", "setup", f"UV={uv}", cwd=clone)
    assert "Creating" not in again


@pytest.mark.slow
def test_the_base_install_validates_and_needs_no_science(clone: Path, tmp_path: Path) -> None:
    run(base_python(), "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    python = tmp_path / "venv/bin/python"
    run(python, "-m", "pip", "install", "-q", "-c", clone / "constraints.txt", clone, cwd=tmp_path)
    installed = run(python, "-m", "pip", "list", "--format=freeze", cwd=tmp_path).lower()
    for heavy in ("numpy", "pandas", "jupyter", "kubernetes", "papermill"):
        assert heavy not in installed
    shutil.copytree(clone / "kep", tmp_path / "elsewhere/kep")
    said = run(tmp_path / "venv/bin/kep-validate", "kep", cwd=tmp_path / "elsewhere")
    assert "no findings" in said
    said = run(tmp_path / "venv/bin/kepler", "validate", "kep", cwd=tmp_path / "elsewhere")
    assert "no findings" in said


def test_help_lists_every_target() -> None:
    said = run("make", "help", cwd=ROOT)
    for target in [
        "run",
        "test",
        "test-slow",
        "lab",
        "validate",
        "bench",
        "evidence",
        "evidence-check",
        "lint",
        "clean",
        "setup",
    ]:
        assert f"\n  {target} " in said


@pytest.mark.parametrize("python", ["", "/nowhere/python3"])
def test_a_missing_python_is_named(clone: Path, python: str) -> None:
    done = subprocess.run(
        ["make", "setup", f"PYTHON={python}", "UV="],
        cwd=clone,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "3.11" in done.stderr
