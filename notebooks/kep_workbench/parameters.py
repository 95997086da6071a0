"""Read a notebook's parameters from its source, and check values against them."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kep_workbench.errors import InputError, UsageError
from kep_workbench.strict_json import load_json

# The runner sets it; every notebook that it runs must have it.
RESULT_PATH = "result_path"

_SCALARS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (float, int),
    "str": (str,),
    "bool": (bool,),
}


@dataclass(frozen=True)
class Parameter:
    """One assignment in the cell tagged `parameters`.

    `type` is `int`, `float`, `str`, `bool` or `list[…]` of one of them, as annotated or as the
    default shows; '' when neither tells, and then any value goes.
    """

    name: str
    type: str
    default: Any


def read_parameters(notebook: Path) -> dict[str, Parameter]:
    """Return a notebook's parameters without starting a kernel; {} when it has no such cell.

    Raises:
        InputError: the file is no notebook, or the cell is no Python.
    """
    place = str(notebook)
    try:
        cells = load_json(notebook.read_bytes())["cells"]
        sources = [
            "".join(cell["source"])
            for cell in cells
            if "parameters" in cell.get("metadata", {}).get("tags", [])
        ]
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(place, f"cannot be read: {reason}", "check the path") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        problem = f"is not a notebook of format 4: {error!r}"
        raise InputError(place, problem, "open and save it in JupyterLab") from error
    if len(sources) > 1:
        problem = f"has {len(sources)} cells tagged 'parameters'"
        raise InputError(place, problem, "leave the tag on one cell only")
    return _parse(sources[0], place) if sources else {}


def _parse(source: str, place: str) -> dict[str, Parameter]:
    try:
        body = ast.parse(source).body
    except SyntaxError as error:
        where = f"{place}: cell 'parameters', line {error.lineno}"
        raise InputError(where, f"is not Python: {error.msg}", "mend the cell") from error
    found = {}
    for node in body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            default = _literal(node.value)
            annotation = ast.unparse(node.annotation)
            found[node.target.id] = Parameter(node.target.id, annotation, default)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            default = _literal(node.value)
            found[node.targets[0].id] = Parameter(node.targets[0].id, _type_of(default), default)
    return found


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _type_of(value: object) -> str:
    name = type(value).__name__
    return name if name in _SCALARS else ""


def check_values(known: Mapping[str, Parameter], values: Mapping[str, Any], place: str) -> None:
    """Refuse names the notebook does not have, and values of the wrong type.

    Raises:
        UsageError: with the nearest name, or the type that is wanted.
    """
    for name, value in values.items():
        if name == RESULT_PATH:
            raise UsageError(f"{place}.{name}", "is set by the runner", "leave it out")
        if name not in known:
            raise UsageError(
                f"{place}.{name}", "the notebook has no such parameter", nearest(name, known)
            )
        wanted = known[name].type
        if not _fits(wanted, value):
            problem = f"{value!r} is not of type {wanted}"
            default = known[name].default
            raise UsageError(f"{place}.{name}", problem, f"give one such as {default!r}")


def nearest(name: str, known: Iterable[str]) -> str:
    """Words that point from a wrong name to the nearest right one, else to all of them."""
    names = sorted(set(known) - {RESULT_PATH})
    close = difflib.get_close_matches(name, names, 1)
    if close:
        return f"did you mean {close[0]}?"
    return f"there are: {', '.join(names)}" if names else "there are none"


def parse_override(text: str, known: Mapping[str, Parameter]) -> tuple[str, Any]:
    """Read one `name=value` of the command line; the parameter's type says how.

    A list may be written `a,b` or as YAML. An unknown name is left to `check_values`.

    Raises:
        UsageError: it is not of this form, or the value cannot be read.
    """
    name, equals, raw = text.partition("=")
    place = f"-p {text}"
    if not equals or not name.isidentifier():
        raise UsageError(place, "is not of the form name=value", "for example -p nodes=100")
    wanted = known[name].type if name in known else ""
    if wanted == "str":
        return name, raw
    value = _yaml_value(raw, place)
    if wanted.startswith("list[") and not isinstance(value, list):
        items = [part.strip() for part in raw.split(",") if part.strip()]
        value = items if wanted == "list[str]" else [_yaml_value(item, place) for item in items]
    return name, value


def _yaml_value(text: str, place: str) -> Any:  # noqa: ANN401 - whatever a user writes
    import yaml

    from kep_workbench.strict_yaml import load_yaml

    try:
        return load_yaml(text)
    except yaml.YAMLError as error:
        raise UsageError(place, "the value is not YAML", "quote it") from error


def _fits(wanted: str, value: object) -> bool:
    if wanted.startswith("list["):
        inner = wanted.removeprefix("list[").removesuffix("]")
        return isinstance(value, list) and all(_fits(inner, item) for item in value)
    if wanted not in _SCALARS:
        return True
    # In Python a bool is an int; in a parameter it is a mistake.
    return isinstance(value, _SCALARS[wanted]) and (wanted == "bool") == isinstance(value, bool)
