"""What holds for the repository as a whole."""

from __future__ import annotations

import re
import subprocess
import tomllib
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def tracked(*patterns: str) -> list[Path]:
    done = subprocess.run(
        ["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("not a git checkout: there is no list of tracked files")
    names = [ROOT / name for name in done.stdout.decode().split("\0") if name]
    return [path for path in names if path.is_file()]


def test_one_version_everywhere() -> None:
    import kep_preemption
    import kep_validator
    import kep_workbench

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    modules = (kep_validator, kep_preemption, kep_workbench)
    assert {module.__version__ for module in modules} == {declared}


def test_constraints_are_exact_and_name_no_host() -> None:
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[^ ;/:]+( ; .+)?", line), line


def test_every_declared_requirement_is_constrained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    names = {re.split(r"[\[<>=; ]", line)[0].lower().replace("_", "-") for line in wanted}
    pinned = {
        line.split("==")[0].lower() for line in (ROOT / "constraints.txt").read_text().splitlines()
    }
    assert names - {"kep-workbench"} <= pinned


def test_links_between_documents_lead_somewhere() -> None:
    broken = []
    for path in tracked("*.md"):
        if "golden" in path.parts:
            continue
        text = re.sub(r"```.*?```|`[^`\n]*`|<!--.*?-->", "", path.read_text("utf-8"), flags=re.S)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "://" in target or target.startswith(("mailto:", "/keps/")):
                continue
            if not (path.parent / target).exists():
                broken.append(f"{path.relative_to(ROOT)}: {target}")
    assert broken == []


def test_no_file_is_large() -> None:
    large = [f"{p}: {p.stat().st_size}" for p in tracked() if p.stat().st_size > 1_500_000]
    assert large == []
