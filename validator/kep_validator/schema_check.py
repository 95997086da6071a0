"""The check of YAML files against a release's JSON Schemas."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.quick_schema import surely_valid
from kep_validator.rules.schema_findings import accidental_keys, describe, quoted_boolean
from kep_validator.yaml_source import YamlDocument

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

_RELEASES = Path(__file__).parent / "releases"
# Optional format checkers of jsonschema. Some compile grammars for seconds at import, and the
# schemas here use no format.
_NEEDLESS = (
    "rfc3987_syntax",
    "rfc3987",
    "fqdn",
    "idna",
    "isoduration",
    "jsonpointer",
    "uri_template",
    "webcolors",
    "rfc3339_validator",
    "rfc3986_validator",
    "requests",
)


def check_schema(
    document: YamlDocument, release: str, name: str, severity: Severity = Severity.ERROR
) -> Iterable[Diagnostic]:
    """Yield a diagnostic for each departure of `document` from the schema `name`.

    `name` is `kep` or `prod-readiness`. A document that could not be read yields nothing: that
    is reported by the rules on YAML.
    """
    if document.broken:
        return
    schema = load_schema(release, name)
    yield from accidental_keys(document, deprecated_keys(release, name))
    yield from quoted_boolean(document, "disable-supported", severity)
    if surely_valid(document.data, schema, schema):
        return
    for error in _validator(release, name).iter_errors(document.data):
        yield from describe(error, document, severity)


def deprecated_keys(release: str, name: str) -> tuple[str, ...]:
    """Return the keys that a schema accepts only because upstream does so by accident."""
    properties: Mapping[str, Any] = load_schema(release, name)["properties"]
    return tuple(key for key, part in properties.items() if part.get("deprecated"))


@cache
def load_schema(release: str, name: str) -> Mapping[str, Any]:
    """Return a JSON Schema of a release."""
    path = _RELEASES / release / f"{name}.schema.json"
    schema: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


@cache
def _validator(release: str, name: str) -> Draft202012Validator:
    with without_needless_formats():
        from jsonschema import Draft202012Validator

    return Draft202012Validator(load_schema(release, name))


@contextmanager
def without_needless_formats() -> Iterator[None]:
    """Keep jsonschema from importing its optional format checkers.

    Modules that are already there stay, and the others can be imported afterwards.
    """
    blocked = [name for name in _NEEDLESS if name not in sys.modules]
    if "jsonschema" in sys.modules:
        blocked = []
    for name in blocked:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        for name in blocked:
            sys.modules.pop(name, None)
