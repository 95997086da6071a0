"""The files that an update changes, in an order that any moment of it can be resumed from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kep_workbench.atomic import Step, changing
from kep_workbench.errors import InputError, ResultError
from kep_workbench.evidence_files import (
    FOLDER,
    MANIFEST,
    Entry,
    Manifest,
    evidence_files,
    file_digest,
    read_manifest,
)
from kep_workbench.record import RunRecord


@dataclass
class Update:
    """What an update does: files in the order they are written, and what to tell the user.

    `edits` shows hand edits that are overwritten, `diff` the whole change of the README, `readme`
    is the text that all this was worked out from.
    """

    steps: list[Step] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    edits: str = ""
    diff: str = ""
    readme: str = ""


def add_steps(
    update: Update, kep: Path, batch: str, records: Mapping[str, RunRecord], readme: Step
) -> None:
    """Put the files in order: announcement, evidence, README, what is not needed, completion.

    The announcement is a manifest that lists old and new files and is not `complete`: whoever
    comes after a process that was killed knows what is to be finished, and what may be removed.

    Raises:
        InputError: two runs would write the same file.
    """
    folder = kep / FOLDER
    before = _read_manifest(folder, update)
    kept = {p: e for p, e in before.files.items() if not e.run.startswith(f"{batch}/")}
    files, entries = _files(folder, records, kept)
    writes = changing(Step(folder / path, files[path]) for path in _figures_first(files))
    gone = sorted(before.files.keys() - entries.keys())
    removals = changing(Step(folder / path, None) for path in gone)
    readmes = changing([readme])
    done = Step(folder / MANIFEST, Manifest(entries).to_bytes())
    update.changes += [f"{_verb(step)} {step.path}" for step in [*writes, *readmes, *removals]]
    if writes or removals:
        announced = Manifest({**before.files, **entries}, complete=False).to_bytes()
        update.steps += changing([Step(folder / MANIFEST, announced)])
        update.steps += [*writes, *readmes, *removals, done]
    else:
        update.steps += [*readmes, *changing([done])]
    if update.steps and not update.changes:
        update.changes.append(f"update {done.path}")


def _files(
    folder: Path, records: Mapping[str, RunRecord], kept: Mapping[str, Entry]
) -> tuple[dict[str, bytes], dict[str, Entry]]:
    """The files of `records`, and the manifest's entries for them and for `kept`."""
    files: dict[str, bytes] = {}
    entries = dict(kept)
    for run, record in records.items():
        for path, data in evidence_files(record).items():
            if path in entries:
                problem = f"would be written by {run} and by {entries[path].run}"
                raise InputError(str(folder / path), problem, "rename one of the runs")
            files[path] = data
            entries[path] = Entry(file_digest(path, data), run)
    return files, entries


def _read_manifest(folder: Path, update: Update) -> Manifest:
    try:
        return read_manifest(folder)
    except ResultError as error:
        update.notes.append(f"{error.place} {error.problem}; it is written anew")
        return Manifest()


def _figures_first(files: Mapping[str, bytes]) -> Iterable[str]:
    """A record is written behind the figures it names."""
    return sorted(files, key=lambda path: (path.endswith(".json"), path))


def _verb(step: Step) -> str:
    if step.data is None:
        return "remove"
    return "update" if step.path.exists() else "add"
