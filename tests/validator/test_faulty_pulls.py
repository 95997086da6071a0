"""Real pull requests with faults in their metadata: each known fault is found."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from kep_validator.api import validate_path

pytestmark = pytest.mark.shared

CODES = {
    "number": {"KEP150", "KEP160"},
    "stage": {"KEP111", "KEP121"},
    "status": {"KEP103", "KEP110"},
    "creation-date": {"KEP140", "KEP142", "KEP160"},
    "prr-file-missing": {"KEP350"},
    "unknown-key": {"KEP101", "KEP102"},
    "missing": {"KEP103"},
    "owning-sig": {"KEP112", "KEP151"},
}
# Faults that another finding stands for, and why.
WAIVED = {
    (5208, "prr-file-missing"): "latest-milestone is empty, which is found; upstream stops there",
    (5245, "prr-file-missing"): "latest-milestone is 0.0, for which upstream asks no approval",
}


def pulls(folder: Path) -> list[tuple[int, str, list[str]]]:
    lines = (folder / "corpus" / "faulty-pulls.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return [(row["pr"], row["file"], row["findings"]) for row in rows]


def test_each_known_fault_is_found(shared_dir: Path, tmp_path: Path) -> None:
    with tarfile.open(shared_dir / "corpus" / "faulty-pulls.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    known = pulls(shared_dir)
    assert len(known) == 20
    missed = []
    for number, file, faults in known:
        report = validate_path((tmp_path / "faulty-pulls" / str(number) / file).parent)
        found = {each.code for each in report.diagnostics}
        assert not report.internal_errors
        missed += [
            (number, fault, sorted(found))
            for fault in faults
            if not found & CODES[fault.partition(":")[0]] and (number, fault) not in WAIVED
        ]
    assert missed == []
