"""Prints what the validator takes for one KEP and for whole corpora.

Usage: python tests/validator/measure_corpus.py TREE [TREE…]
The figures are of the machine and moment they are measured on.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 11


def timed(arguments: list[str]) -> tuple[float, str]:
    """Run a command; return its seconds and its output."""
    started = time.perf_counter()
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stderr}")
    return time.perf_counter() - started, done.stdout


def whole_trees(trees: list[str]) -> None:
    """Time one run over each tree."""
    total = 0.0
    for tree in trees:
        seconds, output = timed([*COMMAND, tree, "--output", "json"])
        summary = json.loads(output)["summary"]
        total += seconds
        print(
            f"{tree}: {summary['keps']} KEPs in {seconds:.1f} s, {summary['errors']} errors, "
            f"{summary['warnings']} warnings, {summary['internal_errors']} crashes"
        )
    print(f"together: {total:.1f} s with {os.cpu_count()} CPUs")


def one_kep(tree: str) -> None:
    """Time runs on the KEP whose README has the median size of its tree."""
    readmes = sorted(Path(tree).rglob("kep.yaml"), key=_readme_size)
    directory = readmes[len(readmes) // 2].parent
    for label, arguments in (
        ("python -c pass", [sys.executable, "-c", "pass"]),
        (f"kep-validate {directory.name}", [*COMMAND, str(directory)]),
        (f"kep-validate {directory.name}/kep.yaml", [*COMMAND, str(directory / "kep.yaml")]),
    ):
        times = sorted(timed(arguments)[0] for _ in range(ROUNDS))
        median = statistics.median(times)
        print(f"{label}: median {median * 1000:.0f} ms, least {times[0] * 1000:.0f} ms")


def _readme_size(metadata: Path) -> int:
    readme = metadata.with_name("README.md")
    return readme.stat().st_size if readme.is_file() else 0


COMMAND = [sys.executable, "-m", "kep_validator.cli"]

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    whole_trees(sys.argv[1:])
    one_kep(sys.argv[1])
