"""Run a batch: execute, harvest exactly the declared result, and keep a record of each run."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from kep_workbench import __version__
from kep_workbench.batch import Batch, Run
from kep_workbench.errors import ResultError
from kep_workbench.outputs import NOTEBOOK, RECORD, Outputs
from kep_workbench.provenance import (
    code_digest,
    input_digest,
    machine,
    notebook_digest,
    package_versions,
)
from kep_workbench.record import Provenance, RunRecord, RunStatus, read_record
from kep_workbench.results import ResultSet, read_result

if TYPE_CHECKING:
    from kep_workbench.progress import Progress
    from kep_workbench.workspace import Workspace

_RESULT = "published.json"


def run_batch(
    workspace: Workspace, batch: Batch, progress: Progress, force: bool = False
) -> list[RunRecord]:
    """Run what is not yet done, in order; a run that fails does not stop the others.

    A run is kept when its record says ok and the notebook, the code, the inputs and the
    parameters are still the same; `force` runs it nevertheless.

    Raises:
        UsageError: another process is running this batch.
        InputError: the output folder cannot be written.
    """
    outputs = Outputs(workspace.out / batch.name)
    records = []
    with outputs.locked():
        for run in batch.runs:
            expected = _provenance(workspace, run)
            shown = workspace.shown(outputs.notebook(run.id))
            kept = None if force else _finished(outputs, run, expected)
            if kept:
                progress.keep(kept, shown)
                records.append(kept)
                continue
            progress.start(run.id)
            try:
                record, traceback = _run_one(workspace, outputs, run, expected, progress)
            finally:
                progress.clear()
            progress.finish(record, shown, traceback)
            records.append(record)
    return records


def _finished(outputs: Outputs, run: Run, expected: Provenance) -> RunRecord | None:
    """The record of an earlier run that still stands for `run`, if there is one."""
    try:
        record = read_record(outputs.record(run.id))
    except ResultError:
        return None
    if not outputs.notebook(run.id).is_file():
        return None
    same = _identity(record.provenance) == _identity(expected)
    # What was missing may have come: trying again costs seconds.
    return record if same and record.run_status is RunStatus.OK else None


def _identity(provenance: Provenance) -> tuple[str, str, str, str, str]:
    return (
        provenance.notebook,
        provenance.notebook_digest,
        provenance.code_digest,
        provenance.input_digest,
        json.dumps(dict(provenance.parameters), sort_keys=True, default=str),
    )


def _provenance(workspace: Workspace, run: Run) -> Provenance:
    return Provenance(
        notebook=workspace.shown(run.notebook),
        notebook_digest=notebook_digest(run.notebook),
        code_digest=code_digest(run.publishes),
        input_digest=input_digest(run.inputs),
        parameters=run.parameters,
        tool_version=__version__,
        python=platform.python_version(),
        packages=package_versions(),
        machine=machine(),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=0.0,
    )


def _run_one(
    workspace: Workspace, outputs: Outputs, run: Run, provenance: Provenance, progress: Progress
) -> tuple[RunRecord, str]:
    from kep_workbench.execute import execute

    with outputs.unfinished() as folder:
        parameters: Mapping[str, object] = {
            **run.parameters,
            "result_path": str(folder / _RESULT),
        }
        execution = execute(
            run.notebook,
            folder / NOTEBOOK,
            parameters,
            workspace.root,
            run.timeout,
            on_cell=progress.cell,
            on_tick=progress.tick,
        )
        provenance = replace(provenance, seconds=round(execution.seconds, 3))
        record = RunRecord(run.id, run.batch, execution.status, provenance, error=execution.error)
        if execution.status is RunStatus.OK:
            record = _harvest(record, folder, run.publishes)
        (folder / _RESULT).unlink(missing_ok=True)
        record.write(folder / RECORD)
        outputs.finish(folder, run.id)
    return record, execution.traceback


def _harvest(record: RunRecord, folder: Path, kind: str) -> RunRecord:
    """Take the one result that the run declared; anything else makes the run an error."""
    from kep_workbench.execute import published

    try:
        result = read_result(folder / _RESULT)
        shown = published(folder / NOTEBOOK)
        _check_declared(result, kind, shown)
    except ResultError as error:
        words = f"{error.place.replace(str(folder), '')}: {error.problem}; {error.remedy}"
        return replace(record, run_status=RunStatus.ERROR, error=words.lstrip("/"))
    status = RunStatus.NOT_RUN if result.status == "not-run" else RunStatus.OK
    provenance = replace(
        record.provenance,
        kubernetes_version=result.kubernetes_version,
        environment=result.environment,
        sample_counts=result.sample_counts,
    )
    return replace(record, run_status=status, provenance=provenance, result=result)


def _check_declared(result: ResultSet, kind: str, shown: list[dict[str, object]]) -> None:
    if result.kind != kind:
        problem = f"is of kind {result.kind!r}, but the batch declares {kind!r}"
        raise ResultError("the published result", problem, "mend 'publishes' in batches.yaml")
    if len(shown) != 1:
        problem = f"the notebook publishes {len(shown)} results"
        raise ResultError("the published result", problem, "call publish() exactly once")
    if shown[0] != result.to_json():
        problem = "differs from what the notebook shows"
        raise ResultError("the published result", problem, "write it through publish() only")
