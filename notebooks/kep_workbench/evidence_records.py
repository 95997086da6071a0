"""Which run records an update may take, and which it must refuse."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kep_workbench.batch import Batch, Run
from kep_workbench.errors import ResultError, WorkbenchError
from kep_workbench.evidence_files import FOLDER, read_accepted, read_manifest
from kep_workbench.outputs import Outputs
from kep_workbench.record import RunRecord, RunStatus, read_record
from kep_workbench.staleness import changes_since
from kep_workbench.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason not to update."""

    place: str
    problem: str
    remedy: str


class RefusedError(WorkbenchError):
    """An update is refused for all of `refusals`; `diff` shows hand edits, if these are why."""

    def __init__(self, refusals: Iterable[Refusal], diff: str = "") -> None:
        self.refusals = tuple(refusals)
        self.diff = diff
        first = self.refusals[0]
        super().__init__(first.place, first.problem, first.remedy)


def batch_records(
    kep: Path, workspace: Workspace, batch: Batch, out: Path, notes: list[str]
) -> dict[str, RunRecord]:
    """Return the records of all runs of `batch` under `out`, by `batch/run`.

    Where a run says 'not run' on this machine but the KEP holds a result of it that still
    stands, that one is kept, with a note.

    Raises:
        RefusedError: runs are missing, failed, or were made from something else than is here now.
        InputError: a notebook cannot be read.
    """
    outputs = Outputs(out / batch.name)
    records: dict[str, RunRecord] = {}
    refusals: list[Refusal] = []
    for run in batch.runs:
        found = _take(kep, workspace, outputs, run, notes)
        if isinstance(found, Refusal):
            refusals.append(found)
        else:
            records[f"{batch.name}/{run.id}"] = found
    if refusals:
        raise RefusedError(refusals)
    return records


def accepted_records(kep: Path, batch: Batch) -> dict[str, RunRecord]:
    """Return the records that the KEP holds already.

    Raises:
        RefusedError: a run's record is missing or broken.
    """
    records: dict[str, RunRecord] = {}
    refusals: list[Refusal] = []
    for run in batch.runs:
        path = f"{batch.name}-{run.id}.json"
        try:
            records[f"{batch.name}/{run.id}"] = read_accepted(kep / FOLDER, path)
        except ResultError as error:
            refusals.append(Refusal(error.place, error.problem, _mend(batch.name)))
    if refusals:
        raise RefusedError(refusals)
    return records


def _take(
    kep: Path, workspace: Workspace, outputs: Outputs, run: Run, notes: list[str]
) -> RunRecord | Refusal:
    path = outputs.record(run.id)
    place = workspace.shown(path)
    if not path.exists():
        problem = f"the run {run.batch}/{run.id} has no result"
        return Refusal(place, problem, f"run it: kepler run {run.batch}")
    try:
        record = read_record(path)
    except ResultError as error:
        return Refusal(error.place, error.problem, f"kepler run {run.batch} --force")
    if record.run_status.is_failure:
        problem = f"the run {run.batch}/{run.id} ended as {record.run_status.value}"
        remedy = f"mend it, then kepler run {run.batch}"
        return Refusal(place, f"{problem}: {record.error}", remedy)
    changes = _changes(record, run, workspace)
    if changes:
        problem = f"the run {run.batch}/{run.id} is stale: {'; '.join(changes)}"
        return Refusal(place, problem, f"run it again: kepler run {run.batch}")
    if record.run_status is RunStatus.NOT_RUN:
        return _kept(kep, workspace, run, record, notes) or record
    return record


def _kept(
    kep: Path, workspace: Workspace, run: Run, record: RunRecord, notes: list[str]
) -> RunRecord | None:
    """What the KEP holds already, where that outweighs that this machine could not run it.

    A measured result does, as long as it still stands; and so does the same 'not run', which
    would otherwise differ by its time alone.
    """
    folder = kep / FOLDER
    path = f"{run.batch}-{run.id}.json"
    try:
        if path not in read_manifest(folder).files:
            return None
        accepted = read_accepted(folder, path)
    except ResultError:
        return None
    if _changes(accepted, run, workspace):
        return None
    if accepted.run_status is RunStatus.NOT_RUN:
        return accepted if accepted.result == record.result else None
    when = accepted.provenance.started[:10]
    notes.append(
        f"{run.batch}/{run.id} did not run here; the result of {when} is kept, it still stands"
    )
    return accepted


def _changes(record: RunRecord, run: Run, workspace: Workspace) -> list[str]:
    changes = changes_since(record.provenance, run, workspace.root)
    return [change.words for change in changes if change.kind != "not-checked"]


def _mend(batch: str) -> str:
    return f"kepler run {batch}, then kepler evidence update --batch {batch}"
