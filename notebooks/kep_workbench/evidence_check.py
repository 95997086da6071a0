"""Whether the evidence in a KEP is whole, the tool's own, and still true."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kep_workbench.batch import Run, plan
from kep_workbench.errors import InputError, ResultError, UsageError, WorkbenchError
from kep_workbench.evidence_files import (
    FOLDER,
    MANIFEST,
    Manifest,
    file_digest,
    read_accepted,
    read_manifest,
)
from kep_workbench.evidence_text import README, read_readme, render_mark
from kep_workbench.mark_parsing import parse_marks
from kep_workbench.marks import Mark, MarkedText
from kep_workbench.record import RunRecord
from kep_workbench.splice import MarkState, block_content, mark_state
from kep_workbench.staleness import changes_since
from kep_workbench.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason why the evidence does not hold.

    `kind` is one of marker, interrupted, evidence-edited, no-evidence, not-filled, edited,
    out-of-date, stale-notebook, stale-code, stale-parameters, stale-inputs, stale-run.
    """

    kind: str
    place: str
    message: str
    help: str


@dataclass
class Check:
    """What a check found.

    `not_checked` says what could not be compared and why; `notes` tell what is worth knowing but
    takes nothing from what the README says.
    """

    marks: int = 0
    runs: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    not_checked: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check_evidence(kep: Path, workspace: Workspace | None) -> Check:
    """Check the evidence of the KEP in the folder `kep`; needs no outputs of runs.

    Without a workspace it is not compared with notebooks and code, and the check says so.

    Raises:
        InputError: the README cannot be read.
    """
    marked = parse_marks(read_readme(kep))
    check = Check(marks=len(marked.marks))
    place = str(kep / README)
    for problem in marked.problems:
        where = f"{place}:{problem.line}"
        check.findings.append(Finding("marker", where, problem.problem, problem.remedy))
    try:
        manifest = read_manifest(kep / FOLDER)
    except ResultError as error:
        check.findings.append(Finding("evidence-edited", error.place, error.problem, error.remedy))
        manifest = Manifest()
    check.findings += _check_files(kep / FOLDER, manifest)
    records = _read_records(kep / FOLDER, manifest, check)
    check.runs = sorted(records)
    check.findings += _check_marks(marked, records, place)
    if workspace is None:
        check.not_checked.append(
            "notebooks, code and parameters: there is no notebooks/batches.yaml here or above"
        )
    else:
        shown = {mark.run for mark in marked.marks}
        for run in check.runs:
            _check_stale(run, records[run], workspace, kep, check, run in shown)
    return check


def _check_files(folder: Path, manifest: Manifest) -> Iterator[Finding]:
    if not manifest.complete:
        yield Finding(
            "interrupted",
            str(folder / MANIFEST),
            "an update was interrupted",
            "run it again: kepler evidence update",
        )
        return
    for path, entry in sorted(manifest.files.items()):
        remedy = f"restore it from git, or {_update(entry.run)}"
        try:
            data = (folder / path).read_bytes()
        except OSError as error:
            message = f"cannot be read: {error.strerror or type(error).__name__}"
            yield Finding("evidence-edited", str(folder / path), message, remedy)
            continue
        if file_digest(path, data) != entry.digest:
            message = "is not as the tool wrote it"
            yield Finding("evidence-edited", str(folder / path), message, remedy)


def _read_records(folder: Path, manifest: Manifest, check: Check) -> dict[str, RunRecord]:
    records = {}
    for path, entry in sorted(manifest.files.items()):
        if "/" in path or not path.endswith(".json"):
            continue
        try:
            records[entry.run] = read_accepted(folder, path)
        except ResultError as error:
            known = {finding.place for finding in check.findings}
            if error.place not in known and manifest.complete:
                check.findings.append(
                    Finding("evidence-edited", error.place, error.problem, _update(entry.run))
                )
    return records


def _check_marks(
    marked: MarkedText, records: dict[str, RunRecord], place: str
) -> Iterator[Finding]:
    for mark in marked.marks:
        finding = _check_mark(marked, mark, records.get(mark.run), place)
        if finding:
            yield finding


def _check_mark(
    marked: MarkedText, mark: Mark, record: RunRecord | None, place: str
) -> Finding | None:
    where = f"{place}:{mark.line}: {mark.name}"
    if record is None:
        message = f"there is no evidence of the run {mark.run!r}"
        return Finding("no-evidence", where, message, _update(mark.run))
    state = mark_state(marked, mark)
    if state is MarkState.EMPTY:
        return Finding("not-filled", where, "is still empty", _update(mark.run))
    if state is MarkState.EDITED:
        remedy = f"{_update(mark.run)} (it shows the difference, and --overwrite-edited mends it)"
        return Finding("edited", where, "was edited by hand", remedy)
    try:
        body = render_mark(mark, record, place)
    except InputError as error:
        return Finding("out-of-date", where, error.problem, error.remedy)
    if _normal(block_content(mark, body)) != _normal(marked.content(mark)):
        remedy = f"kepler evidence update --accepted --batch {mark.batch}"
        return Finding("out-of-date", where, "does not show the evidence of its run", remedy)
    return None


def _check_stale(
    name: str, record: RunRecord, workspace: Workspace, kep: Path, check: Check, shown: bool
) -> None:
    """Compare a run with what is here now; what the README does not show, it does not claim."""
    run = _planned(name, record, workspace, check)
    if run is None:
        return
    place = str(kep / FOLDER / f"{record.batch}-{record.run}.json")
    for change in changes_since(record.provenance, run, workspace.root):
        if change.kind == "not-checked":
            check.not_checked.append(f"{name}: {change.words}")
        elif shown:
            message = f"the run {name} is stale: {change.words}"
            check.findings.append(Finding(f"stale-{change.kind}", place, message, _rerun(name)))
        else:
            check.notes.append(f"{name}, which no mark shows, is stale: {change.words}")


def _planned(name: str, record: RunRecord, workspace: Workspace, check: Check) -> Run | None:
    """The run as batches.yaml plans it now."""
    try:
        return plan(workspace, record.batch, [record.run]).runs[0]
    except UsageError as error:
        message = f"the run {name} is not planned any more: {error.problem}"
        remedy = "remove its marks from the README, then kepler evidence update"
        check.findings.append(Finding("stale-run", error.place, message, remedy))
    except WorkbenchError as error:
        check.findings.append(Finding("stale-run", error.place, error.problem, error.remedy))
    return None


def _update(run: str) -> str:
    return f"kepler evidence update --batch {run.partition('/')[0]}"


def _rerun(run: str) -> str:
    batch = run.partition("/")[0]
    return f"kepler run {batch}, then kepler evidence update --batch {batch}"


def _normal(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
