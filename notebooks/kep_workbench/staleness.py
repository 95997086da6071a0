"""What has changed since a result was measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kep_workbench.batch import Run
from kep_workbench.parameters import RESULT_PATH
from kep_workbench.provenance import code_digest, input_digest, notebook_digest
from kep_workbench.record import Provenance


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that changed: its kind (notebook, code, parameters, inputs) and words for it.

    The kind `not-checked` says that something cannot be compared here, and why.
    """

    kind: str
    words: str


def changes_since(provenance: Provenance, run: Run, root: Path) -> list[Change]:
    """Compare what a result came from with what the run would be made from now.

    `root` is the workspace. Input files count by content, not by path.

    Raises:
        InputError: the notebook cannot be read.
    """
    changes = []
    if notebook_digest(run.notebook) != provenance.notebook_digest:
        changes.append(Change("notebook", f"the notebook {provenance.notebook} has changed"))
    if code_digest(run.publishes) != provenance.code_digest:
        changes.append(Change("code", "the code that computed it has changed"))
    inputs = [name for name in run.parameters if _path(root, run.parameters[name]) in run.inputs]
    before, now = _plain(provenance.parameters, inputs), _plain(run.parameters, inputs)
    different = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
    if different:
        words = ", ".join(
            f"{name} was {before.get(name, 'not there')}, is {now.get(name, 'not there')}"
            for name in different
        )
        changes.append(Change("parameters", f"parameters have changed: {words}"))
    return changes + _changed_inputs(provenance, run, inputs, root)


def _changed_inputs(
    provenance: Provenance, run: Run, inputs: list[str], root: Path
) -> list[Change]:
    paths = []
    for name in inputs:
        # Where the planned one is not here, the one that was given for that one run may be.
        values = (run.parameters[name], provenance.parameters.get(name))
        candidates = [path for value in values if (path := _path(root, value)) is not None]
        found = next((path for path in candidates if path.exists()), None)
        if found is None:
            words = f"the input {name} ({run.parameters[name]}) is not here to be compared"
            return [Change("not-checked", words)]
        paths.append(found)
    if input_digest(paths) == provenance.input_digest:
        return []
    return [Change("inputs", f"the inputs have changed: {', '.join(inputs) or 'there are none'}")]


def _path(root: Path, value: object) -> Path | None:
    return root / Path(value).expanduser() if isinstance(value, str) and value else None


def _plain(values: Mapping[str, Any], left_out: list[str]) -> dict[str, str]:
    """Values as JSON text, so that a list equals the tuple it was read from."""
    return {
        name: json.dumps(value, sort_keys=True, default=str, ensure_ascii=False)
        for name, value in values.items()
        if name != RESULT_PATH and name not in left_out
    }
