"""What one run costs, as a ratio within one run of the test, and what it may import."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kep_samples import METADATA, README, write_tree

ROUNDS = 5
# The parsers that any KEP needs; the rest of the run may cost about as much again.
BARE = "import argparse, json, yaml, markdown_it"
FACTOR = 2.2
# Each of these costs more than all rules together.
FORBIDDEN = ("jsonschema", "numpy", "pandas", "click", "rich", "kubernetes", "multiprocessing")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment with compiled modules, whatever the one around it says."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(tmp_path_factory.mktemp("compiled"))}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A KEP of ordinary size: a README of about 25 kB."""
    directory = write_tree(tmp_path)
    sections = "".join(f"\n## Part {n}\n\n{'Some words of text. ' * 45}\n" for n in range(25))
    (directory / "README.md").write_text(README + sections, encoding="utf-8")
    return directory


def seconds(arguments: list[str], environment: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL, check=False
    )
    return time.perf_counter() - started


def test_one_kep_costs_little_more_than_the_parsers(
    directory: Path, environment: dict[str, str]
) -> None:
    bare = ["-c", BARE]
    whole = ["-c", "import sys; from kep_validator.cli import main; sys.exit(main())"]
    whole += [str(directory)]
    for arguments in (bare, whole):
        seconds(arguments, environment)
    pairs = [(seconds(bare, environment), seconds(whole, environment)) for _ in range(ROUNDS)]
    least_bare, least_whole = (min(column) for column in zip(*pairs, strict=True))
    assert least_whole < FACTOR * least_bare, f"{least_whole:.3f} s against {least_bare:.3f} s"


@pytest.mark.parametrize("name", ["", "kep.yaml"])
def test_a_clean_kep_imports_nothing_heavy(
    directory: Path, environment: dict[str, str], name: str
) -> None:
    loaded = _modules_after(directory / name, environment)
    assert not loaded & set(FORBIDDEN)
    assert ("markdown_it" in loaded) is (not name)


def test_a_faulty_kep_imports_jsonschema_without_its_formats(
    directory: Path, environment: dict[str, str]
) -> None:
    text = METADATA.replace("status:", "stauts:")
    (directory / "kep.yaml").write_text(text, encoding="utf-8")
    loaded = _modules_after(directory, environment)
    assert "jsonschema" in loaded
    assert not loaded & {"rfc3987_syntax", "lark", "fqdn", "webcolors"}


def _modules_after(path: Path, environment: dict[str, str]) -> set[str]:
    script = (
        "import sys; from kep_validator.cli import main; main([sys.argv[1]])\n"
        "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())
