"""Values and words as Markdown that GitHub and mdtoc read alike."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from kep_workbench.results import Scalar, Table

SIGNIFICANT_DIGITS = 3
_SPECIAL = re.compile(r"[\\`*\[\]<|~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")


def escape(text: str) -> str:
    """Return `text` as one line in which Markdown and HTML see only words."""
    words = " ".join(text.split()).replace("&", "&amp;")
    return _SPECIAL.sub(lambda match: "&lt;" if match[0] == "<" else f"\\{match[0]}", words)


def code(text: str) -> str:
    """Return `text` as a code span; what it holds cannot end it."""
    words = " ".join(text.split()).replace("`", "'").replace("|", "¦").replace("<!--", "<!")
    return f"`{words}`" if words else "(empty)"


def show_value(value: Scalar) -> str:
    """Return a value for a reader: floats with three significant digits, unknown as a dash."""
    if value is None:
        return "—"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _show_float(value)
    return escape(value)


def _show_float(value: float) -> str:
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)))
    rounded = round(value, SIGNIFICANT_DIGITS - 1 - exponent)
    # Rounding may carry into one more digit: 9.996 is 10.0.
    exponent = math.floor(math.log10(abs(rounded))) if rounded else exponent
    if not -5 < exponent < 15:
        return f"{value:.{SIGNIFICANT_DIGITS - 1}e}"
    decimals = max(SIGNIFICANT_DIGITS - 1 - exponent, 0)
    return f"{value:.{decimals}f}"


def with_unit(value: Scalar, unit: str) -> str:
    """Return a value with its unit; a percent sign and a factor's times sign stand close."""
    shown = show_value(value)
    if not unit or value is None:
        return shown
    return f"{shown}{escape(unit)}" if unit in ("%", "×", "x") else f"{shown} {escape(unit)}"


def show_table(table: Table) -> str:
    """Return a table in GitHub's pipe form; units stand in the header, numbers to the right."""
    header = [
        escape(column.name) + (f" ({escape(column.unit)})" if column.unit else "")
        for column in table.columns
    ]
    numeric = [
        any(_is_number(row[index]) for row in table.rows)
        and all(_is_number(row[index]) or row[index] is None for row in table.rows)
        for index in range(len(table.columns))
    ]
    lines = [_row(header), _row("---:" if right else "---" for right in numeric)]
    lines += [_row(show_value(value) for value in row) for row in table.rows]
    if not table.rows:
        lines.append(_row(["(no rows)"] + [""] * (len(table.columns) - 1)))
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _is_number(value: Scalar) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
