"""Make the executed reference notebooks that nbval runs again: python -m kep_workbench.reference.

A reference is a template with small fixed parameters and one more cell, which states what must
hold on every machine: invariants, and the decisions themselves where a seed fixes them, but no
times.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kep_workbench.errors import WorkbenchError
from kep_workbench.files import write_atomically
from kep_workbench.record import RunStatus
from kep_workbench.workspace import Workspace, find_workspace

FOLDER = "reference"
_CHECKS_ID = "checks"
_TIMEOUT = 300.0


@dataclass(frozen=True)
class Reference:
    """One reference: its template, its parameters, and the source of its checks."""

    notebook: str
    parameters: Mapping[str, Any]
    checks: str


REFERENCES = (
    Reference(
        "preemption_benchmark.ipynb",
        {"scenario": "edge-10-pdb", "growth": [5, 10], "repeats": 8, "seed": 4389},
        """\
# NBVAL_CHECK_OUTPUT
assert (result.status, result.environment) == ("ok", "simulated")
assert len(result.samples) == 2 * repeats * len(strategies)
for sample in result.samples:
    nominated = sample["outcome"] == "nominated"
    assert nominated == (sample["victims"] > 0) == (sample["node"] != "")
    assert sample["nanoseconds"] > 0
    assert sample["violations"] <= sample["victims"]
    assert sample["tried"] <= sample["potential"] <= sample["nodes"]
    if sample["strategy"] == "upstream":
        assert sample["same_choice_as_upstream"] and not sample["regret"]
assert {figure.id for figure in result.figures} == {"latency", "quality", "growth"}
# Which pods go is fixed by the seed, whatever the machine.
for name in strategies:
    rows = [s for s in result.samples if s["strategy"] == name and s["nodes"] == 10]
    rows.sort(key=lambda s: s["iteration"])
    print(name, [(s["victims"], s["violations"], s["highest_victim_priority"]) for s in rows])""",
    ),
    Reference(
        "kep_review.ipynb",
        {"kep": "kep", "k8s_version": "1.34"},
        """\
# NBVAL_CHECK_OUTPUT
known = {fact.id: fact.value for fact in result.facts}
assert known["internal-error-count"] == 0
tables = {table.id: table for table in result.tables}
assert len(tables["findings"].rows) == len(report.diagnostics)
assert len(tables["skipped"].rows) == known["skipped-count"]
assert tables["summary"].rows[-1][1] == known["error-count"]
print(known["checked-count"], "KEP checked")""",
    ),
    Reference(
        "cluster_e2e.ipynb",
        {"cluster": ""},
        """\
# NBVAL_CHECK_OUTPUT
assert result.status == "not-run"
assert not (result.facts or result.tables or result.figures or result.samples)
print(result.reason)""",
    ),
)


def make_references(workspace: Workspace) -> list[Path]:
    """Execute all references and replace their files; return these.

    Raises:
        WorkbenchError: a notebook failed; its old reference stays.
    """
    folder = workspace.notebooks / FOLDER
    folder.mkdir(exist_ok=True)
    made = []
    for reference in REFERENCES:
        path = folder / reference.notebook
        value = _executed(workspace, reference)
        text = json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True)
        write_atomically(path, f"{text}\n".encode())
        made.append(path)
    return made


def template_with_checks(workspace: Workspace, reference: Reference) -> dict[str, Any]:
    """The template as it is executed: with the cell of checks, without the parameters' values."""
    template: dict[str, Any] = json.loads((workspace.notebooks / reference.notebook).read_bytes())
    template["cells"].append(
        {
            "cell_type": "code",
            "id": _CHECKS_ID,
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            "source": reference.checks,
        }
    )
    return template


def _executed(workspace: Workspace, reference: Reference) -> dict[str, Any]:
    from kep_workbench.execute import execute

    with tempfile.TemporaryDirectory(prefix="kepler-reference-") as scratch:
        source, output = Path(scratch) / "source.ipynb", Path(scratch) / "executed.ipynb"
        source.write_text(json.dumps(template_with_checks(workspace, reference)))
        cwd = workspace.notebooks / FOLDER  # where nbval will run it
        done = execute(source, output, reference.parameters, cwd, _TIMEOUT)
        if done.status is not RunStatus.OK:
            raise WorkbenchError(reference.notebook, done.error, "mend the notebook or its checks")
        value: dict[str, Any] = json.loads(output.read_bytes())
    return _without_traces(value)


def _without_traces(notebook: dict[str, Any]) -> dict[str, Any]:
    """Leave out when and where it ran, and give papermill's cell an id that stays."""
    notebook["metadata"] = {
        key: notebook["metadata"][key] for key in ("kernelspec", "language_info")
    }
    for cell in notebook["cells"]:
        tags = cell["metadata"].get("tags", [])
        cell["metadata"] = {"tags": tags} if tags else {}
        if "injected-parameters" in tags:
            cell["id"] = "injected-parameters"
    return notebook


def main() -> int:
    """Make all references of the workspace around the current folder; return the exit code."""
    try:
        workspace = find_workspace()
        for path in make_references(workspace):
            sys.stdout.write(f"{workspace.shown(path)}\n")
    except WorkbenchError as error:
        sys.stderr.write(f"error: {error.place}: {error.problem}\n  help: {error.remedy}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
