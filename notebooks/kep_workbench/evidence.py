"""Write the results of a batch into a KEP: plan it all, then replace the files."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kep_workbench.atomic import Step, Writer, apply_steps, clear_unfinished, locked
from kep_workbench.batch import Batch
from kep_workbench.evidence_files import FOLDER, MANIFEST
from kep_workbench.evidence_plan import Update, add_steps
from kep_workbench.evidence_records import Refusal, RefusedError, accepted_records, batch_records
from kep_workbench.evidence_text import (
    README,
    edited_marks,
    mark_diff,
    read_marks,
    read_readme,
    refuse_edited,
    render_marks,
)
from kep_workbench.files import write_atomically
from kep_workbench.kep_check import Validate, new_errors, validate_with_readme
from kep_workbench.marks import Mark, MarkedText
from kep_workbench.splice import replace_marks
from kep_workbench.workspace import Workspace


@dataclass(frozen=True)
class Options:
    """How to update.

    `out` holds the batches' outputs; `accepted` renders from the evidence that the KEP holds
    already; `overwrite_edited` takes the tool's text where a hand edited it; `dry_run` writes
    nothing.
    """

    out: Path
    accepted: bool = False
    overwrite_edited: bool = False
    dry_run: bool = False


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
            manifest = kep / FOLDER / MANIFEST
            _refuse_moved(kep, plan)
            clear_unfinished([kep / README, manifest, *(step.path for step in plan.steps)])
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
    place = str(kep / README)
    marked = read_marks(old, place)
    plan = Update(readme=old)
    if options.accepted:
        records = accepted_records(kep, batch)
    else:
        records = batch_records(kep, workspace, batch, options.out, plan.notes)
    bodies = render_marks(marked, batch.name, records, place)
    _deal_with_edits(marked, bodies, options, place, plan)
    new = replace_marks(marked, bodies)
    if new != old:
        _refuse_errors(kep, new, validate)
        names = (f"{place} (now)", f"{place} (new)")
        lines = difflib.unified_diff(old.splitlines(), new.splitlines(), *names, lineterm="")
        plan.diff = "\n".join(lines) + "\n"
    _note_unseen(marked, batch, plan)
    add_steps(plan, kep, batch.name, records, Step(kep / README, new.encode()))
    return plan


def _refuse_moved(kep: Path, plan: Update) -> None:
    """Do not write over words that an editor saved while the update was worked out."""
    if read_readme(kep) != plan.readme:
        problem = "was changed while the update was under way"
        raise RefusedError([Refusal(str(kep / README), problem, "run it again")])


def _deal_with_edits(
    marked: MarkedText, bodies: Mapping[Mark, str], options: Options, place: str, plan: Update
) -> None:
    edited = edited_marks(marked, bodies)
    plan.edits = "".join(mark_diff(marked, mark, bodies[mark], place) for mark in edited)
    if not options.overwrite_edited:
        refuse_edited(edited, place, plan.edits)
    plan.changes += [f"overwrite the hand edit of {mark.name}" for mark in edited]


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
    for other in sorted({mark.batch for mark in marked.marks} - {batch.name}):
        plan.notes.append(f"marks of the batch {other} are left as they are (--batch {other})")
