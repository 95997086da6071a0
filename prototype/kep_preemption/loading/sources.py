"""Files, or standard input, as parsed JSON or YAML documents."""

from __future__ import annotations

import codecs
import gzip
import json
import sys
import zlib
from pathlib import Path
from typing import Any, NoReturn

import yaml

from kep_preemption.errors import InputError
from kep_preemption.loading.garbage import without_collection

STDIN = "-"
_STDIN_PLACE = "<stdin>"
_GZIP = b"\x1f\x8b"
_KUBECTL = "write it with kubectl get nodes,pods,pdb,priorityclasses -A -o json > dump.json"
# PowerShell's redirection writes UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_BaseLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_BaseLoader):  # type: ignore[misc]
    """The safe loader, leaving times as text as JSON has them."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in _BaseLoader.yaml_implicit_resolvers.items()
}


def read_documents(path: str | Path) -> tuple[str, list[Any]]:
    """Return what to call the file in messages, and its documents that are not empty.

    A gzip file is unpacked; `-` is standard input.

    Raises:
        InputError: it cannot be read, or is neither JSON nor YAML.
    """
    place = _STDIN_PLACE if str(path) == STDIN else str(path)
    text = _decode(_unpack(_read(path, place), place), place)
    return place, _parse(text, place)


def _read(path: str | Path, place: str) -> bytes:
    try:
        if str(path) == STDIN:
            return sys.stdin.buffer.read()
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(place, f"cannot be read: {reason}", "check the path") from None


def _unpack(data: bytes, place: str) -> bytes:
    if not data.startswith(_GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        problem = f"is no whole gzip file: {error}"
        raise InputError(place, problem, "copy the file again, or unpack it first") from None


def _decode(data: bytes, place: str) -> str:
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = (
            f"is not {encoding.upper().removesuffix('-SIG')} at byte {error.start}, line {line}"
        )
        raise InputError(place, problem, f"is it the right file? {_KUBECTL}") from None


def _parse(text: str, place: str) -> list[Any]:
    start = text.lstrip()[:200]
    if not start:
        raise InputError(place, "is empty", _KUBECTL)
    if start.startswith("<"):
        problem = f"is HTML or XML, no Kubernetes objects: {start.splitlines()[0][:60]}"
        remedy = f"a proxy or login page may have answered; {_KUBECTL}"
        raise InputError(place, problem, remedy)
    with without_collection():
        try:
            documents = _parse_json(text, place) if start[0] in "{[" else _parse_yaml(text, place)
        except (RecursionError, MemoryError):
            problem = "is nested too deeply, or too large"
            raise InputError(place, problem, f"is it the right file? {_KUBECTL}") from None
    return [document for document in documents if document is not None]


def _parse_json(text: str, place: str) -> list[Any]:
    decoder = json.JSONDecoder()
    documents = []
    position = 0
    while position < len(text):
        position = _after_space(text, position)
        if position == len(text):
            break
        try:
            document, position = decoder.raw_decode(text, position)
        except json.JSONDecodeError as error:
            _refuse_json(error, text, place)
        except ValueError as error:  # a number of thousands of digits
            raise InputError(place, f"is no JSON: {error}", _KUBECTL) from None
        documents.append(document)
    return documents


def _refuse_json(error: json.JSONDecodeError, text: str, place: str) -> NoReturn:
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
        problem = f"ends in the middle, at line {error.lineno}: the JSON is cut off"
        raise InputError(place, problem, f"write the whole file again: {_KUBECTL}") from None
    problem = f"is no JSON at line {error.lineno}, column {error.colno}: {error.msg}"
    raise InputError(place, problem, "mend that place, or dump the objects again") from None


def _after_space(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def _parse_yaml(text: str, place: str) -> list[Any]:
    try:
        return list(yaml.load_all(text, Loader=_Loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = f"is no YAML{where}: {error.problem or error.context}"
    except (yaml.YAMLError, ValueError, TypeError, AttributeError) as error:
        # PyYAML lets errors of its constructors through: an impossible number, an odd key.
        problem = f"is no YAML: {str(error).splitlines()[0]}"
    raise InputError(place, problem, "mend that place, or dump the objects again")
