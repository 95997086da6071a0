"""Rows of a trace's CSV file; a wrong value becomes an error with file, line and column."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kep_preemption.errors import InputError

_MOST = 2**53


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a file: its fields by column name."""

    source: str
    line: int
    fields: dict[str, str]

    def text(self, column: str) -> str:
        """Return a field without the space around it."""
        return self.fields[column].strip()

    def integer(self, column: str, default: int | None = None) -> int:
        """Return a whole number that is not negative; `default` for an empty field.

        Raises:
            InputError: it is none.
        """
        text = self.text(column)
        if not text and default is not None:
            return default
        if not (text.isascii() and text.isdigit()) or len(text) > 16 or int(text) > _MOST:
            problem = f"is {text[:40]!r}" if text else "is empty"
            raise self.error(column, problem, "put a whole number of 0 or more there")
        return int(text)

    def error(self, column: str, problem: str, remedy: str) -> InputError:
        """Return the error for a field of this row."""
        return InputError(f"{self.source}: line {self.line}, column {column}", problem, remedy)


def read_rows(path: str | Path, columns: Sequence[str], *, key: str) -> Iterator[Row]:
    """Yield the rows of a CSV file with a header; further columns are left alone.

    Raises:
        InputError: the file cannot be read, lacks one of `columns`, has a row of the wrong
            length, or two with the same `key`.
    """
    source = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(source, f"is not UTF-8: {error.reason}", "is it the CSV file?") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(source, f"cannot be read: {reason}", "check the path") from None
    reader = csv.reader(text.splitlines(), strict=True)
    try:
        header = _header(next(reader, []), columns, source)
        yield from _rows(reader, header, source, key)
    except csv.Error as error:
        problem = f"is no CSV: {error}"
        raise InputError(f"{source}: line {reader.line_num}", problem, "mend the line") from None


def _header(names: list[str], columns: Sequence[str], source: str) -> list[str]:
    header = [name.strip() for name in names]
    missing = [column for column in columns if column not in header]
    if missing:
        problem = f"has no column {', '.join(missing)}" if header else "is empty"
        remedy = f"give the file as published, with the header {','.join(columns)}"
        raise InputError(f"{source}: line 1", problem, remedy)
    return header


def _rows(lines: Iterator[list[str]], header: list[str], source: str, key: str) -> Iterator[Row]:
    seen: dict[str, int] = {}
    for number, fields in enumerate(lines, 2):
        if not fields:
            continue
        if len(fields) != len(header):
            problem = f"has {len(fields)} fields, and the header has {len(header)}"
            raise InputError(f"{source}: line {number}", problem, "mend or remove the line")
        row = Row(source, number, dict(zip(header, fields, strict=True)))
        name = row.text(key)
        if not name:
            raise row.error(key, "is empty", "name what the line is about")
        if name in seen:
            problem = f"is {name!r}, as in line {seen[name]}"
            raise row.error(key, problem, "remove one of the lines")
        seen[name] = number
        yield row
