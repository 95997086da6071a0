"""Write the results of a batch into a KEP: plan it all, then replace the files."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kep_workbench.atomic import Step, Writer, apply_steps, changing, clear_unfinished, locked
from kep_workbench.batch import Batch
from kep_workbench.errors import InputError, ResultError
from kep_workbench.evidence_files import (
    FOLDER,
    MANIFEST,
    Entry,
    Manifest,
    evidence_files,
    figure_link,
    file_digest,
    read_manifest,
)
from kep_workbench.evidence_records import Refusal, RefusedError, accepted_records, batch_records
from kep_workbench.files import write_atomically
from kep_workbench.kep_check import Validate, new_errors, validate_with_readme
from kep_workbench.marks import Mark, MarkedText, MarkKind, parse_marks
from kep_workbench.parameters import nearest
from kep_workbench.record import RunRecord
from kep_workbench.render import render_block, render_fact
from kep_workbench.splice import MarkState, block_content, mark_state, replace_marks
from kep_workbench.workspace import Workspace

README = "README.md"


@dataclass(frozen=True)
class Options:
    """How to update: `out` holds the batches' outputs; `accepted` renders from the evidence
    that the KEP holds already; `overwrite_edited` takes the tool's text where a hand edited it;
    `dry_run` writes nothing.
    """

    out: Path
    accepted: bool = False
    overwrite_edited: bool = False
    dry_run: bool = False


@dataclass
class Update:
    """What an update does: files in the order they are written, and what to tell the user."""

    steps: list[Step] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    diff: str = ""


def update(
    kep: Path,
    workspace: Workspace,
    batch: Batch,
    options: Options,
    write: Writer = write_atomically,
    validate: Validate = validate_with_readme,
) -> Update:
    """Bring the KEP in the folder `kep` up to date with the batch's results.

    Killed at any moment, it leaves the README as it was or as it will be, and running it again
    ends the work.

    Raises:
        RefusedError: results are missing, failed or stale, a mark is wrong or edited by hand,
            or the new text has errors that the old one had not. Nothing is written then.
        UsageError: another update is under way.
        InputError: a file cannot be read or written.
    """
    with locked(kep, "kepler evidence update"):
        plan = plan_update(kep, workspace, batch, options, validate)
        if not options.dry_run:
            folder = kep / FOLDER
            clear_unfinished([kep / README, folder / MANIFEST, *(s.path for s in plan.steps)])
            apply_steps(plan.steps, write)
    return plan


def plan_update(
    kep: Path,
    workspace: Workspace,
    batch: Batch,
    options: Options,
    validate: Validate = validate_with_readme,
) -> Update:
    """Work out an update and write nothing.

    Raises:
        RefusedError: as `update` does.
        InputError: a file cannot be read.
    """
    old = read_readme(kep)
    marked = parse_marks(old)
    place = str(kep / README)
    if marked.problems:
        raise RefusedError(
            Refusal(f"{place}:{p.line}", p.problem, p.remedy) for p in marked.problems
        )
    plan = Update()
    if options.accepted:
        records = accepted_records(kep, batch)
    else:
        records = batch_records(kep, workspace, batch, options.out, plan.notes)
    bodies = _render(marked, batch, records, place)
    _refuse_edited(marked, bodies, options, place, plan)
    new = replace_marks(marked, bodies)
    if new != old:
        _refuse_errors(kep, new, validate)
    _note_unseen(marked, batch, plan)
    _add_steps(kep, batch, records, old, new, plan)
    return plan


def read_readme(kep: Path) -> str:
    """Return the README's text with its line ends as they are.

    Raises:
        InputError: it is missing, or is not UTF-8.
    """
    path = kep / README
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        remedy = "name the folder of a KEP: --kep FOLDER"
        raise InputError(str(path), f"cannot be read: {reason}", remedy) from error
    except UnicodeDecodeError as error:
        raise InputError(str(path), f"is not UTF-8: {error.reason}", "save it as UTF-8") from error


def render_mark(mark: Mark, record: RunRecord, place: str) -> str:
    """Return what belongs into `mark`.

    Raises:
        InputError: the result has not what the mark asks for.
    """
    where = f"{place}:{mark.line}: {mark.name}"
    if mark.kind is MarkKind.FACT:
        return render_fact(record, mark.id, where)
    return render_block(record, mark.show, lambda figure: figure_link(record, figure), where)


def _render(
    marked: MarkedText, batch: Batch, records: Mapping[str, RunRecord], place: str
) -> dict[Mark, str]:
    bodies: dict[Mark, str] = {}
    refusals = []
    for mark in marked.marks:
        if mark.batch != batch.name:
            continue
        if mark.run not in records:
            remedy = nearest(mark.run, records)
            problem = f"the batch {batch.name} has no run {mark.run!r}"
            refusals.append(Refusal(f"{place}:{mark.line}: {mark.name}", problem, remedy))
            continue
        try:
            bodies[mark] = render_mark(mark, records[mark.run], place)
        except InputError as error:
            refusals.append(Refusal(error.place, error.problem, error.remedy))
    if refusals:
        raise RefusedError(refusals)
    return bodies


def _refuse_edited(
    marked: MarkedText, bodies: Mapping[Mark, str], options: Options, place: str, plan: Update
) -> None:
    edited = [mark for mark in bodies if mark_state(marked, mark) is MarkState.EDITED]
    # Where a hand wrote just what the tool would write, nothing is lost.
    edited = [m for m in edited if marked.content(m).strip() != block_content(m, bodies[m]).strip()]
    if not edited:
        return
    plan.diff = "".join(_diff(marked, mark, bodies[mark], place) for mark in edited)
    if options.overwrite_edited:
        plan.changes += [f"{mark.name}: the hand edit is overwritten" for mark in edited]
        return
    remedy = (
        "move your words out of the marked place; then take the measured text with "
        "kepler evidence update --overwrite-edited"
    )
    problem = "was edited by hand; its text is not what the tool wrote"
    raise RefusedError(
        [Refusal(f"{place}:{mark.line}: {mark.name}", problem, remedy) for mark in edited],
        plan.diff,
    )


def _diff(marked: MarkedText, mark: Mark, body: str, place: str) -> str:
    before = marked.content(mark).strip().splitlines()
    after = block_content(mark, body).strip().splitlines()
    names = (f"{place}:{mark.line} (by hand)", f"{mark.name} (measured)")
    return "\n".join(difflib.unified_diff(before, after, *names, lineterm="")) + "\n"


def _refuse_errors(kep: Path, new: str, validate: Validate) -> None:
    found = new_errors(validate(kep, None), validate(kep, new.encode()))
    if found:
        raise RefusedError(
            Refusal(
                f"{error.span.path}:{error.span.line}: {error.code}",
                f"the new text would bring an error: {error.message}",
                error.help or "mend the notebook whose result brings it",
            )
            for error in found
        )


def _note_unseen(marked: MarkedText, batch: Batch, plan: Update) -> None:
    shown = {mark.run for mark in marked.marks}
    for run in batch.runs:
        if f"{batch.name}/{run.id}" not in shown:
            plan.notes.append(f"no mark in the README shows the run {batch.name}/{run.id}")
    others = sorted({mark.batch for mark in marked.marks} - {batch.name})
    for other in others:
        plan.notes.append(f"marks of the batch {other} are left as they are (--batch {other})")


def _add_steps(
    kep: Path,
    batch: Batch,
    records: Mapping[str, RunRecord],
    old: str,
    new: str,
    plan: Update,
) -> None:
    """Put the files in order: announce, evidence, README, what is no longer needed, done."""
    folder = kep / FOLDER
    before = _read_old_manifest(folder, plan)
    files: dict[str, bytes] = {}
    entries = {p: e for p, e in before.files.items() if not e.run.startswith(f"{batch.name}/")}
    for run, record in records.items():
        for path, data in evidence_files(record).items():
            if path in entries:
                problem = f"would be written by {run} and by {entries[path].run}"
                raise InputError(str(folder / path), problem, "rename one of the runs")
            files[path] = data
            entries[path] = Entry(file_digest(path, data), run)
    writes = changing(Step(folder / path, files[path]) for path in _figures_first(files))
    gone = sorted(before.files.keys() - entries.keys())
    removals = changing(Step(folder / path, None) for path in gone)
    readme = changing([Step(kep / README, new.encode())])
    done = changing([Step(folder / MANIFEST, Manifest(entries).to_bytes())])
    plan.changes += [f"{_verb(step)} {step.path}" for step in [*writes, *readme, *removals]]
    if done and not plan.changes:
        plan.changes.append(f"write {folder / MANIFEST}")
    if writes or removals:
        announced = Manifest({**before.files, **entries}, complete=False).to_bytes()
        plan.steps += changing([Step(folder / MANIFEST, announced)])
        done = [Step(folder / MANIFEST, Manifest(entries).to_bytes())]
    plan.steps += [*writes, *readme, *removals, *done]
    if new != old and not plan.diff:
        names = (f"{kep / README} (now)", f"{kep / README} (new)")
        lines = difflib.unified_diff(old.splitlines(), new.splitlines(), *names, lineterm="")
        plan.diff = "\n".join(lines) + "\n"


def _read_old_manifest(folder: Path, plan: Update) -> Manifest:
    try:
        return read_manifest(folder)
    except ResultError as error:
        plan.notes.append(f"{error.place} {error.problem}; it is written anew")
        return Manifest()


def _figures_first(files: Mapping[str, bytes]) -> Iterable[str]:
    """A record is written behind the figures it names."""
    return sorted(files, key=lambda path: (path.endswith(".json"), path))


def _verb(step: Step) -> str:
    if step.data is None:
        return "remove"
    return "update" if step.path.exists() else "add"
