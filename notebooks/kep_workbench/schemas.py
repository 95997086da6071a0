"""Check JSON values against the schemas that ship with this package."""

from __future__ import annotations

import json
import sys
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError


def violations(schema: str, value: object) -> list[ValidationError]:
    """Return what `value` breaks in the packaged schema file `schema`, in order of place."""
    errors = _validator(schema).iter_errors(value)
    return sorted(errors, key=lambda error: [str(part) for part in error.absolute_path])


def load_schema(name: str) -> dict[str, Any]:
    """Read a schema file of this package."""
    text = resources.files("kep_workbench").joinpath(name).read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def json_path(error: ValidationError) -> str:
    """Where in the value an error lies, such as `tables[0].rows[2]`."""
    path = ""
    for part in error.absolute_path:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path or "(the whole document)"


@cache
def _validator(name: str) -> Draft202012Validator:
    # jsonschema's format extra compiles grammars at import, two seconds of it; no schema here
    # uses a format.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    from jsonschema import Draft202012Validator

    return Draft202012Validator(load_schema(name))
