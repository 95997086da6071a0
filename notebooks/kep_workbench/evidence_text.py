"""The README of a KEP with results in its marks: read, rendered, and hand edits refused."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path

from kep_workbench.errors import InputError
from kep_workbench.evidence_files import figure_link
from kep_workbench.evidence_records import Refusal, RefusedError
from kep_workbench.mark_parsing import parse_marks
from kep_workbench.marks import Mark, MarkedText, MarkKind
from kep_workbench.parameters import nearest
from kep_workbench.record import RunRecord
from kep_workbench.render import render_block, render_fact
from kep_workbench.splice import MarkState, block_content, mark_state

README = "README.md"


def read_readme(kep: Path) -> str:
    """Return the README's text with its line ends as they are.

    Raises:
        InputError: it is missing, or is not UTF-8.
    """
    path = kep / README
    if path.exists() and not path.is_file():
        raise InputError(str(path), "is no regular file", "name the folder of a KEP: --kep FOLDER")
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        remedy = "name the folder of a KEP: --kep FOLDER"
        raise InputError(str(path), f"cannot be read: {reason}", remedy) from error
    except UnicodeDecodeError as error:
        raise InputError(str(path), f"is not UTF-8: {error.reason}", "save it as UTF-8") from error


def read_marks(text: str, place: str) -> MarkedText:
    """Find the marks of a README.

    Raises:
        RefusedError: markers are wrong; names them all.
    """
    marked = parse_marks(text)
    if marked.problems:
        raise RefusedError(
            Refusal(f"{place}:{found.line}", found.problem, found.remedy)
            for found in marked.problems
        )
    return marked


def render_mark(mark: Mark, record: RunRecord, place: str) -> str:
    """Return what belongs into `mark`.

    Raises:
        InputError: the result has not what the mark asks for.
    """
    where = f"{place}:{mark.line}: {mark.name}"
    if mark.kind is MarkKind.FACT:
        return render_fact(record, mark.id, where)
    return render_block(record, mark.show, lambda figure: figure_link(record, figure), where)


def render_marks(
    marked: MarkedText, batch: str, records: Mapping[str, RunRecord], place: str
) -> dict[Mark, str]:
    """Return what belongs into each mark of `batch`; `records` are by `batch/run`.

    Raises:
        RefusedError: marks ask for what is not there; names them all.
    """
    bodies: dict[Mark, str] = {}
    refusals = []
    for mark in marked.marks:
        if mark.batch != batch:
            continue
        if mark.run not in records:
            problem = f"the batch {batch} has no run {mark.run!r}"
            where = f"{place}:{mark.line}: {mark.name}"
            refusals.append(Refusal(where, problem, nearest(mark.run, records)))
            continue
        try:
            bodies[mark] = render_mark(mark, records[mark.run], place)
        except InputError as error:
            refusals.append(Refusal(error.place, error.problem, error.remedy))
    if refusals:
        raise RefusedError(refusals)
    return bodies


def edited_marks(marked: MarkedText, bodies: Mapping[Mark, str]) -> list[Mark]:
    """Return the marks whose text a hand wrote, except where it is just what belongs there."""
    return [
        mark
        for mark, body in bodies.items()
        if mark_state(marked, mark) is MarkState.EDITED
        and marked.content(mark).strip() != block_content(mark, body).strip()
    ]


def refuse_edited(edited: list[Mark], place: str, diff: str) -> None:
    """Refuse to write over hand edits.

    Raises:
        RefusedError: there are any; carries `diff`.
    """
    if not edited:
        return
    remedy = (
        "move your words out of the marked place; then take the measured text with "
        "kepler evidence update --overwrite-edited"
    )
    problem = "was edited by hand; its text is not what the tool wrote"
    raise RefusedError(
        [Refusal(f"{place}:{mark.line}: {mark.name}", problem, remedy) for mark in edited], diff
    )


def mark_diff(marked: MarkedText, mark: Mark, body: str, place: str) -> str:
    """Return the difference between what stands in `mark` and what belongs there."""
    before = marked.content(mark).strip().splitlines()
    after = block_content(mark, body).strip().splitlines()
    names = (f"{place}:{mark.line} (by hand)", f"{mark.name} (measured)")
    return "\n".join(difflib.unified_diff(before, after, *names, lineterm="")) + "\n"
