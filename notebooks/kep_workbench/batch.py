"""Read batches.yaml and plan runs; what is wrong is refused before any kernel starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from kep_workbench.errors import InputError, UsageError
from kep_workbench.parameters import (
    RESULT_PATH,
    check_values,
    nearest,
    parse_override,
    read_parameters,
)
from kep_workbench.schemas import json_path, load_schema, violations
from kep_workbench.strict_yaml import load_yaml

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

    from kep_workbench.workspace import Workspace

DEFAULT_TIMEOUT = 600


@dataclass(frozen=True)
class Run:
    """One planned execution of a notebook.

    `parameters` are all of the notebook's, defaults included, but for the path of the result.
    `timeout` is in seconds, for the whole run. `inputs` are the files that parameters name.
    """

    id: str
    batch: str
    notebook: Path
    publishes: str
    parameters: Mapping[str, Any]
    inputs: tuple[Path, ...] = ()
    timeout: int = DEFAULT_TIMEOUT


@dataclass(frozen=True)
class Batch:
    """A named list of runs."""

    name: str
    description: str
    runs: tuple[Run, ...]


def load_batches(workspace: Workspace) -> dict[str, Any]:
    """Read and check batches.yaml; return its batches as plain data.

    Raises:
        InputError: it cannot be read, or does not conform to batches.schema.json.
    """
    path = workspace.batches
    place = workspace.shown(path)
    try:
        value = load_yaml(path.read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(place, f"cannot be read: {reason}", "check the path") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(place, f"is not YAML: {_one_line(error)}", "mend the file") from error
    found = violations("batches.schema.json", value)
    if found:
        raise _schema_error(found[0], place)
    assert isinstance(value, dict)
    batches: dict[str, Any] = value["batches"]
    return batches


def plan(
    workspace: Workspace, name: str, only: Sequence[str] = (), overrides: Sequence[str] = ()
) -> Batch:
    """Plan the batch `name`, or its runs `only`, with `overrides` (`name=value`) for one run.

    Raises:
        UsageError: a batch, run or parameter does not exist, or a value has the wrong type.
        InputError: batches.yaml or a notebook is broken.
    """
    batches = load_batches(workspace)
    if name not in batches:
        raise UsageError(f"batch {name}", "does not exist", nearest(name, batches))
    runs = batches[name]["runs"]
    for wanted in only:
        if wanted not in runs:
            problem = f"the batch {name} has no such run"
            raise UsageError(f"--only {wanted}", problem, nearest(wanted, runs))
    chosen = [run for run in runs if not only or run in only]
    if overrides and len(chosen) != 1:
        problem = f"sets a parameter of one run, but {len(chosen)} are chosen"
        raise UsageError(f"-p {overrides[0]}", problem, "choose one with --only RUN")
    planned = tuple(_plan_run(workspace, name, run, runs[run], overrides) for run in chosen)
    return Batch(name, batches[name]["description"], planned)


def _plan_run(
    workspace: Workspace, batch: str, run_id: str, data: Mapping[str, Any], overrides: Sequence[str]
) -> Run:
    place = f"{workspace.shown(workspace.batches)}: batches.{batch}.runs.{run_id}"
    notebook = workspace.notebooks / data["notebook"]
    if not notebook.is_file():
        raise InputError(
            f"{place}.notebook", f"{workspace.shown(notebook)} is missing", "check the name"
        )
    known = read_parameters(notebook)
    if RESULT_PATH not in known:
        problem = f"has no parameter {RESULT_PATH}, so that no result can be collected"
        remedy = f"put {RESULT_PATH}: str = \"\" into its cell tagged 'parameters'"
        raise InputError(workspace.shown(notebook), problem, remedy)
    given = dict(data.get("parameters", {}))
    check_values(known, given, f"{place}.parameters")
    changed = dict(parse_override(text, known) for text in overrides)
    check_values(known, changed, "-p")
    for parameter in data.get("inputs", []):
        if parameter not in known:
            problem = "the notebook has no such parameter"
            raise UsageError(f"{place}.inputs.{parameter}", problem, nearest(parameter, known))
        if changed.get(parameter):
            # What is typed is meant from where it is typed.
            changed[parameter] = _from_workspace(workspace, Path(changed[parameter]))
    defaults = {name: item.default for name, item in known.items() if name != RESULT_PATH}
    values = {**defaults, **given, **changed}
    run = Run(run_id, batch, notebook, data["publishes"], values)
    inputs = [values[parameter] for parameter in data.get("inputs", []) if values[parameter]]
    return replace(
        run,
        inputs=tuple(workspace.root / Path(path).expanduser() for path in inputs),
        timeout=data.get("timeout", DEFAULT_TIMEOUT),
    )


def _from_workspace(workspace: Workspace, path: Path) -> str:
    absolute = path.expanduser().resolve()
    return workspace.shown(absolute)


def _schema_error(error: ValidationError, place: str) -> InputError:
    where = f"{place}: {json_path(error)}"
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        schema = error.schema
        known = schema.get("properties", {}) if isinstance(schema, Mapping) else {}
        for key in error.instance:
            if key not in known:
                return InputError(f"{where}.{key}", "is no key here", nearest(str(key), known))
    title = load_schema("batches.schema.json")["title"]
    return InputError(
        where, error.message[:300], f"see kep_workbench/batches.schema.json ({title})"
    )


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
