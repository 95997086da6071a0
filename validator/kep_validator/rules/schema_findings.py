"""KEP10x: what the schema's errors mean to an author."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.rules.base import RuleMeta
from kep_validator.source import Span
from kep_validator.suggestions import did_you_mean
from kep_validator.yaml_source import YamlDocument

if TYPE_CHECKING:
    from jsonschema import ValidationError

_PROPOSAL = "kubernetes/enhancements api/proposal.go, api/approval.go, pkg/yaml/yaml.go"

UNKNOWN_KEY = RuleMeta(
    code="KEP101",
    name="unknown-key",
    summary="Every key is one that kep.yaml (or the production readiness file) knows.",
    explanation="Upstream's parser is strict: a misspelt or invented key is rejected. Keys are "
    "case-sensitive and use hyphens.",
    source=_PROPOSAL,
    severity=Severity.ERROR,
)
MISSING_KEY = RuleMeta(
    code="KEP103",
    name="missing-key",
    summary="The required keys are there and not empty.",
    explanation="kep.yaml needs title, kep-number, authors, owning-sig, approvers and status; "
    "the production readiness file needs kep-number, and an approver in each stage it lists.",
    source=_PROPOSAL,
    severity=Severity.ERROR,
)
WRONG_KIND = RuleMeta(
    code="KEP104",
    name="wrong-kind",
    summary="Each value is of the kind its key needs: text, a list or a group of keys.",
    explanation="For example `authors` is a list, even with one author, and `status` is text.",
    source=_PROPOSAL,
    severity=Severity.ERROR,
)
NOT_A_BOOLEAN = RuleMeta(
    code="KEP105",
    name="not-a-boolean",
    summary="disable-supported is true or false.",
    explanation="Upstream takes true, false and YAML 1.1's yes, no, on and off, without quotes.",
    source=_PROPOSAL,
    severity=Severity.ERROR,
)
ACCIDENTAL_KEY = RuleMeta(
    code="KEP102",
    name="accidental-key",
    summary="No key is used that upstream accepts only by accident.",
    explanation="id, name, prnumber and path pass upstream's strict parser because its data type "
    "has fields of these names; nothing reads them, and later releases may reject them.",
    source="kubernetes/enhancements api/proposal.go",
    severity=Severity.WARNING,
)
METAS = (UNKNOWN_KEY, ACCIDENTAL_KEY, MISSING_KEY, WRONG_KIND, NOT_A_BOOLEAN)

_KIND_OF = {dict: "a group of keys", list: "a list", str: "text", type(None): "empty"}
_NEEDED = {"object": "a group of keys", "array": "a list", "string": "text"}
_HOW = {
    "object": "write `key: value` lines below it, indented",
    "array": "write one item a line below it, each as `- …`",
    "string": "write one value on the line of the key",
}


def describe(
    error: ValidationError, document: YamlDocument, severity: Severity
) -> Iterable[Diagnostic]:
    """Yield what one schema error means, at the place in the file."""
    path = tuple(error.absolute_path)
    match error.validator:
        case "additionalProperties":
            yield from _unknown(error, path, document, severity)
        case "required":
            # One error names one missing key, and only in its text; the keys are recomputed.
            yield from _missing(error, path, document, severity)
        case "minLength":
            yield _empty(path, document, severity)
        case "pattern":
            yield _not_boolean(path, document, severity)
        case _:
            yield _wrong_kind(error, path, document, severity)


def accidental_keys(document: YamlDocument, keys: Iterable[str]) -> Iterable[Diagnostic]:
    """Yield a warning for each key of `keys` that the document uses."""
    for key in keys:
        if document.has(key):
            message = f"key `{key}` is accepted by accident and read by nothing"
            span = document.key_span(key)
            yield _found(ACCIDENTAL_KEY, ACCIDENTAL_KEY.severity, span, message, "remove it")


def quoted_boolean(document: YamlDocument, key: str, severity: Severity) -> Iterable[Diagnostic]:
    """Yield an error for a quoted true or false, which upstream takes for text.

    Quoted YAML 1.1 words such as "yes" do pass there (yaml.v3's decoding into a bool).
    """
    value = document.text(key)
    if value and document.quoted(key) and value.lower() in ("true", "false"):
        message = f'`{key}` is the text "{value}", not a boolean'
        yield _found(NOT_A_BOOLEAN, severity, document.span(key), message, "remove the quotes")
    elif value and document.tagged("!!bool", key) and value.lower() not in ("true", "false"):
        message = f"`{key}` is tagged !!bool, but `{value}` is none"
        yield _found(NOT_A_BOOLEAN, severity, document.span(key), message, "remove the tag")


def _found(meta: RuleMeta, severity: Severity, span: Span, message: str, help: str) -> Diagnostic:
    return Diagnostic(meta.code, meta.name, severity, message, span, help)


def _unknown(
    error: ValidationError, path: tuple[str | int, ...], document: YamlDocument, severity: Severity
) -> Iterable[Diagnostic]:
    instance, properties = _object_of(error)
    known = [name for name, part in properties.items() if not part.get("deprecated")]
    unused = [name for name in known if name not in instance]
    where = f" in `{_shown(path)}`" if path else ""
    for key in instance:
        if key not in properties:
            message = f"unknown key `{key}`{where}"
            help = did_you_mean(key, unused, "known keys: " + ", ".join(known))
            yield _found(UNKNOWN_KEY, severity, document.key_span(*path, key), message, help)


def _missing(
    error: ValidationError, path: tuple[str | int, ...], document: YamlDocument, severity: Severity
) -> Iterable[Diagnostic]:
    instance, properties = _object_of(error)
    where = f" in `{_shown(path)}`" if path else ""
    # One error stands for one missing key, and names it only at the start of its text.
    for key in cast("list[str]", error.validator_value):
        if key not in instance and error.message.startswith(f"{key!r} "):
            message = f"required key `{key}` is missing{where}"
            help = f"add `{key}:` with {properties[key].get('description', 'a value')}"
            yield _found(MISSING_KEY, severity, document.key_span(*path), message, help)


def _object_of(error: ValidationError) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the faulty mapping, and what the schema knows of its keys."""
    schema = cast("dict[str, Any]", error.schema)
    return cast("dict[str, Any]", error.instance), schema["properties"]


def _empty(path: tuple[str | int, ...], document: YamlDocument, severity: Severity) -> Diagnostic:
    message = f"required key `{_shown(path)}` is empty"
    return _found(MISSING_KEY, severity, document.key_span(*path), message, "give it a value")


def _not_boolean(
    path: tuple[str | int, ...], document: YamlDocument, severity: Severity
) -> Diagnostic:
    message = f"`{_shown(path)}` is `{document.text(*path)}`, neither true nor false"
    return _found(
        NOT_A_BOOLEAN, severity, document.span(*path), message, "write true or false, unquoted"
    )


def _wrong_kind(
    error: ValidationError, path: tuple[str | int, ...], document: YamlDocument, severity: Severity
) -> Diagnostic:
    wanted = (
        error.validator_value
        if isinstance(error.validator_value, list)
        else [error.validator_value]
    )
    if error.instance is None:
        return _empty(path, document, severity)
    kind = next((name for name in wanted if name in _NEEDED), "string")
    is_now = _KIND_OF.get(type(error.instance), "something else")
    message = f"`{_shown(path)}` has to be {_NEEDED[kind]}, but is {is_now}"
    return _found(WRONG_KIND, severity, document.span(*path), message, _HOW[kind])


def _shown(path: tuple[str | int, ...]) -> str:
    shown = ""
    for part in path:
        shown += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if shown else part
    return shown
