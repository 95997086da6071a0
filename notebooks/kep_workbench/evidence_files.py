"""The folder `evidence/` of a KEP: accepted run records, their figures, and a manifest."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kep_workbench.errors import ResultError
from kep_workbench.record import RunRecord
from kep_workbench.results import Figure
from kep_workbench.strict_json import load_json

FOLDER = "evidence"
MANIFEST = "manifest.json"
SCHEMA_VERSION = "1"
_SUFFIXES = {"image/svg+xml": ".svg", "image/png": ".png"}
_REMEDY = "write it again: kepler run BATCH, then kepler evidence update --batch BATCH"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file the tool wrote: its digest, and the run (`batch/run`) it belongs to."""

    digest: str
    run: str


@dataclass(frozen=True)
class Manifest:
    """The files under `evidence/` that are the tool's, by path relative to that folder.

    `complete` is False while an update is under way; when it is found so, one was interrupted.
    """

    files: Mapping[str, Entry] = field(default_factory=dict)
    complete: bool = True

    def to_bytes(self) -> bytes:
        """Return the file's content, the same for the same manifest."""
        files = {
            path: {"digest": entry.digest, "run": entry.run}
            for path, entry in sorted(self.files.items())
        }
        return _dump({"schema_version": SCHEMA_VERSION, "complete": self.complete, "files": files})


def record_path(record: RunRecord) -> str:
    """Where an accepted record lies, relative to `evidence/`."""
    return f"{record.batch}-{record.run}.json"


def figure_path(record: RunRecord, figure: Figure) -> str:
    """Where a figure lies, relative to `evidence/`."""
    return f"figures/{record.batch}-{record.run}-{figure.id}{_SUFFIXES[figure.media_type]}"


def figure_link(record: RunRecord, figure: Figure) -> str:
    """How the README links a figure."""
    return f"{FOLDER}/{figure_path(record, figure)}"


def evidence_files(record: RunRecord) -> dict[str, bytes]:
    """Return the files that hold an accepted record, by path relative to `evidence/`.

    Figures become files of their own, and raw samples stay behind in the run's output.
    """
    result = record.result
    assert result is not None, "a record that is accepted has a result"
    files = {figure_path(record, figure): figure.data for figure in result.figures}
    value = replace(record, result=replace(result, samples=())).to_json()
    for figure, data in zip(result.figures, value["result"]["figures"], strict=True):
        del data["data_base64"]
        data["file"] = figure_path(record, figure)
    return {**files, record_path(record): _dump(value)}


def read_accepted(folder: Path, path: str) -> RunRecord:
    """Read an accepted record of the folder `evidence/`, with its figures.

    Raises:
        ResultError: the record or one of its figures is missing or broken.
    """
    place = str(folder / path)
    value = _load(folder / path)
    try:
        for figure in value["result"]["figures"]:
            data = (folder / figure.pop("file")).read_bytes()
            figure["data_base64"] = base64.b64encode(data).decode("ascii")
    except (KeyError, TypeError, AttributeError) as error:
        raise ResultError(place, "is not an accepted run record", _REMEDY) from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ResultError(str(error.filename), f"cannot be read: {reason}", _REMEDY) from error
    return RunRecord.from_json(value, place)


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of `evidence/`; an empty one when there is none.

    Raises:
        ResultError: it is broken.
    """
    path = folder / MANIFEST
    if not path.exists():
        return Manifest()
    value = _load(path)
    try:
        if value["schema_version"] != SCHEMA_VERSION:
            problem = f"is of schema version {value['schema_version']!r}"
            raise ResultError(str(path), problem, "use a newer kep-workbench")
        files = {name: Entry(**entry) for name, entry in value["files"].items()}
        return Manifest({name: files[name] for name in files if _is_inside(name)},
                        value["complete"] is True)  # fmt: skip
    except (KeyError, TypeError, AttributeError) as error:
        remedy = "restore it from git; or remove it, and run kepler evidence update"
        raise ResultError(str(path), "is not a manifest of evidence", remedy) from error


def file_digest(path: str, data: bytes) -> str:
    """Digest a file of `evidence/`; for text, line ends do not count (git may turn them)."""
    if not path.endswith(".png"):
        data = data.replace(b"\r\n", b"\n")
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _is_inside(name: str) -> bool:
    """Names come from a file that anyone may edit, and unneeded ones are removed."""
    parts = Path(name).parts
    return bool(parts) and not Path(name).is_absolute() and ".." not in parts


def _load(path: Path) -> dict[str, Any]:
    try:
        value = load_json(path.read_bytes())
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ResultError(str(path), f"cannot be read: {reason}", _REMEDY) from error
    except ValueError as error:
        raise ResultError(str(path), f"is not JSON: {error}", _REMEDY) from error
    if not isinstance(value, dict):
        raise ResultError(str(path), "is not a JSON object", _REMEDY)
    return value


def _dump(value: object) -> bytes:
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()
