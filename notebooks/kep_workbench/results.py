"""The result set: what a notebook publishes and evidence is made from."""

from __future__ import annotations

import base64
import binascii
import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from kep_workbench.errors import ResultError
from kep_workbench.files import write_atomically
from kep_workbench.schemas import json_path, violations
from kep_workbench.strict_json import load_json

SCHEMA_VERSION = "1"
MEDIA_TYPE = "application/vnd.kep-workbench.result.v1+json"

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Fact:
    """One number (or word) that prose may cite by `id`; `unit` is '' for none."""

    id: str
    description: str
    value: Scalar
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A table's column; `unit` is '' for none."""

    name: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of plain values; each row has one value per column."""

    id: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Scalar, ...], ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture; `alt` says in words what it shows, `data` are the file's bytes."""

    id: str
    caption: str
    alt: str
    media_type: str
    data: bytes


@dataclass(frozen=True)
class ResultSet:
    """All that one notebook run found out.

    `status` is `ok` or `not-run`; only the latter has a `reason`, and it has no facts, tables,
    figures or samples. `environment` says what was measured on, and `environment_note` is the
    sentence a reader sees beside every table.
    """

    kind: str
    title: str
    environment: str
    environment_note: str
    kubernetes_version: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    status: str = "ok"
    reason: str = ""
    sample_counts: Mapping[str, int] = field(default_factory=dict)
    facts: tuple[Fact, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    samples: tuple[Mapping[str, Scalar], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object, checked.

        Raises:
            ResultError: this object does not conform to results.schema.json.
        """
        value = {
            "schema_version": SCHEMA_VERSION,
            "kind": self.kind,
            "title": self.title,
            "status": self.status,
            "reason": self.reason,
            "environment": self.environment,
            "environment_note": self.environment_note,
            "parameters": dict(self.parameters),
            "kubernetes_version": self.kubernetes_version,
            "sample_counts": dict(self.sample_counts),
            "facts": [asdict(fact) for fact in self.facts],
            "tables": [_table_json(table) for table in self.tables],
            "figures": [_figure_json(figure) for figure in self.figures],
            "samples": [dict(sample) for sample in self.samples],
        }
        check(value)
        return value

    @classmethod
    def from_json(cls, value: object, place: str = "result") -> ResultSet:
        """Build a result set from a parsed JSON object.

        Raises:
            ResultError: `value` does not conform; `place` (a file name, say) begins its place.
        """
        data = check(value, place)
        return cls(
            kind=data["kind"],
            title=data["title"],
            environment=data["environment"],
            environment_note=data["environment_note"],
            kubernetes_version=data["kubernetes_version"],
            parameters=data["parameters"],
            status=data["status"],
            reason=data["reason"],
            sample_counts=data["sample_counts"],
            facts=tuple(Fact(**fact) for fact in data["facts"]),
            tables=tuple(_table(table) for table in data["tables"]),
            figures=tuple(_figure(figure) for figure in data["figures"]),
            samples=tuple(data["samples"]),
        )


def check(value: object, place: str = "result") -> dict[str, Any]:
    """Return `value` as a JSON object that conforms to results.schema.json.

    Beyond the schema: numbers are finite, ids of one kind are unique, rows are as long as
    their table is wide, figures decode.

    Raises:
        ResultError: it does not conform; names the first place and how many more there are.
    """
    remedy = "see kep_workbench/results.schema.json for the form"
    found = violations("results.schema.json", value)
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        where = f"{place}: {json_path(found[0])}"
        raise ResultError(where, f"{_short(found[0].message)}{more}", remedy)
    assert isinstance(value, dict)
    try:
        json.dumps(value, allow_nan=False)
    except ValueError as error:
        problem = f"holds a number that JSON cannot write: {error}"
        raise ResultError(place, problem, "publish null for a value that is not known") from error
    for kind in ("facts", "tables", "figures"):
        _check_ids(value[kind], f"{place}: {kind}")
    for table in value["tables"]:
        _check_rows(table, f"{place}: tables.{table['id']}")
    for figure in value["figures"]:
        _decode(figure["data_base64"], f"{place}: figures.{figure['id']}")
    return value


def read_result(path: Path) -> ResultSet:
    """Read the file that `publish` wrote.

    Raises:
        ResultError: the file is missing, is no JSON or does not conform.
    """
    try:
        value = load_json(path.read_bytes())
    except OSError as error:
        reason = error.strerror or type(error).__name__
        remedy = "run the notebook again; its last cell publishes the result"
        raise ResultError(str(path), f"cannot be read: {reason}", remedy) from error
    except ValueError as error:
        raise ResultError(str(path), f"is not JSON: {error}", "run the notebook again") from error
    return ResultSet.from_json(value, str(path))


class _Bundle:
    """What Jupyter shows for a published result: our JSON, and HTML and text for people."""

    def __init__(self, result: ResultSet, value: dict[str, Any]) -> None:
        self._result = result
        self._value = value

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        text = _summary(self._result)
        return {
            MEDIA_TYPE: self._value,
            "text/html": f"<p><strong>{html.escape(text)}</strong></p>",
            "text/plain": text,
        }


def publish(result: ResultSet, path: str | Path | None = None) -> None:
    """Show the result in the notebook, and write its JSON to `path` when given ('' is none).

    Raises:
        ResultError: the result does not conform to results.schema.json.
        InputError: the file cannot be written.
    """
    value = result.to_json()
    if path:
        text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
        write_atomically(Path(path), f"{text}\n".encode())
    from IPython.display import display

    display(_Bundle(result, value))  # type: ignore[no-untyped-call]


def _summary(result: ResultSet) -> str:
    if result.status == "not-run":
        return f"Not run: {result.title}. {result.reason}"
    return (
        f"Published: {result.title} ({result.environment}): {len(result.facts)} facts, "
        f"{len(result.tables)} tables, {len(result.figures)} figures"
    )


def _short(message: str, limit: int = 300) -> str:
    return message if len(message) <= limit else f"{message[:limit]}…"


def _check_ids(items: Sequence[Mapping[str, Any]], place: str) -> None:
    seen: set[str] = set()
    for item in items:
        if item["id"] in seen:
            raise ResultError(place, f"id {item['id']!r} occurs twice", "give each its own id")
        seen.add(item["id"])


def _check_rows(table: Mapping[str, Any], place: str) -> None:
    width = len(table["columns"])
    for number, row in enumerate(table["rows"], 1):
        if len(row) != width:
            problem = f"row {number} has {len(row)} values for {width} columns"
            raise ResultError(place, problem, "give each row one value per column")


def _decode(data: str, place: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ResultError(place, f"is not base64: {error}", "encode the file's bytes") from error


def _table_json(table: Table) -> dict[str, Any]:
    columns = [
        {"name": column.name, "unit": column.unit} if column.unit else {"name": column.name}
        for column in table.columns
    ]
    rows = [list(row) for row in table.rows]
    return {"id": table.id, "caption": table.caption, "columns": columns, "rows": rows}


def _table(value: Mapping[str, Any]) -> Table:
    columns = tuple(Column(**column) for column in value["columns"])
    rows = tuple(tuple(row) for row in value["rows"])
    return Table(value["id"], value["caption"], columns, rows)


def _figure_json(figure: Figure) -> dict[str, Any]:
    return {
        "id": figure.id,
        "caption": figure.caption,
        "alt": figure.alt,
        "media_type": figure.media_type,
        "data_base64": base64.b64encode(figure.data).decode("ascii"),
    }


def _figure(value: Mapping[str, Any]) -> Figure:
    data = _decode(value["data_base64"], f"figures.{value['id']}")
    return Figure(value["id"], value["caption"], value["alt"], value["media_type"], data)
