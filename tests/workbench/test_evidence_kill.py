"""Killed with SIGKILL before or after any write, an update leaves the KEP whole."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from builders.evidence_case import EvidenceCase, make_result
from kep_workbench.evidence_check import check_evidence
from kep_workbench.mark_parsing import parse_marks
from kep_workbench.results import Fact
from kep_workbench.splice import MarkState, mark_state

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")

# Takes the update as it is, and kills the process around its n-th change to the disk: while the
# new file lies beside the old one (before), or right when it has taken its place (after).
KILLER = """\
import os, signal, sys
from pathlib import Path

moment, number = sys.argv[1], int(sys.argv[2])
count = 0

def deadly(real):
    def call(path, *args, **kwargs):
        global count
        if path.suffix == ".lock":
            return real(path, *args, **kwargs)
        count += 1
        if count == number and moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = real(path, *args, **kwargs)
        if count == number and moment == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    return call

Path.replace = deadly(Path.replace)
Path.unlink = deadly(Path.unlink)
from kep_workbench.cli import main
sys.exit(main(["evidence", "update"]))
"""


def changed_case(root):
    """A KEP with evidence, and outputs that change all of it and drop a figure."""
    case = EvidenceCase(root)
    assert case.kepler("evidence", "update") == 0
    old = case.readme.read_bytes()
    case.edit(" figure:latency", "")
    edited = case.readme.read_bytes()
    facts = (Fact("latency-p50", "Median latency", 9.87, "ms"),)
    case.record("edge-10", make_result(facts=facts, figures=()))
    assert old != edited
    return case


def kill(case, moment, number):
    """Update in a process of its own; return whether it was killed."""
    done = subprocess.run(
        [sys.executable, "-c", KILLER, moment, str(number)],
        cwd=case.root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, -9), done.stderr
    return done.returncode == -9


# Killed before a write, the process leaves its unfinished file too; that is the harder half.
@pytest.mark.parametrize("moment", ["before", pytest.param("after", marks=pytest.mark.slow)])
def test_killed_at_every_write_it_leaves_the_kep_whole(tmp_path, moment):
    template = changed_case(tmp_path / "template")
    whole = copy(template, tmp_path / "whole")
    before = template.files()
    assert whole.kepler("evidence", "update") == 0
    after = whole.files()
    kills = 0
    for number in range(1, 50):
        case = copy(template, tmp_path / str(number))
        if not kill(case, moment, number):
            break
        kills += 1
        check_whole(case, before, after)
    # The manifest twice, one record, the README and a figure that goes.
    assert kills >= 5


def check_whole(case, before, after):
    files = case.files()
    assert files["README.md"] in (before["README.md"], after["README.md"])
    assert files["kep.yaml"] == before["kep.yaml"]
    marked = parse_marks(files["README.md"].decode())
    assert not marked.problems
    assert all(mark_state(marked, mark) is MarkState.OURS for mark in marked.marks)
    for name, data in files.items():
        # Each file is the old or the new one; the manifest has a third state, under way.
        if name != "evidence/manifest.json" and not name.endswith(".tmp"):
            assert data in (before.get(name), after.get(name)), name
    links = re.findall(r"\]\((evidence/[^)]+)\)", files["README.md"].decode())
    assert all(link in files for link in links)
    if files["README.md"] == after["README.md"]:
        # What the README shows stands behind it: it is written when the evidence is there.
        records = [name for name in after if name.startswith("evidence/default-")]
        assert records
        assert all(files[name] == after[name] for name in records)
    if files != after:
        findings = check_evidence(case.kep, case.workspace).findings
        assert findings or files["README.md"] == before["README.md"]
    assert case.kepler("evidence", "update") == 0
    assert case.files() == after
    assert not check_evidence(case.kep, case.workspace).findings


def copy(case, root):
    shutil.copytree(case.root, root)
    clone = object.__new__(EvidenceCase)
    clone.root, clone.kep = root, root / "kep"
    clone.workspace = type(case.workspace)(root)
    return clone
