"""Show tables and figures of a result set in a notebook, just as they are published."""

from __future__ import annotations

import base64
import html
import time
from typing import Any

from kep_workbench.results import Figure, ResultSet, Scalar, Table


def show(result: ResultSet, *ids: str) -> None:
    """Show a result's tables, then its figures, of these ids; what it does not have is left out."""
    from IPython.display import display

    shown: list[ShownTable | ShownFigure] = [ShownTable(t) for t in result.tables if t.id in ids]
    shown += [ShownFigure(figure) for figure in result.figures if figure.id in ids]
    for item in shown:
        display(item)  # type: ignore[no-untyped-call]


class ShownTable:
    """A table for Jupyter: HTML with its caption, plain text in a terminal."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def _repr_html_(self) -> str:
        heads = "".join(
            f"<th style='text-align:{_side(number)}'>{html.escape(head)}</th>"
            for number, head in enumerate(_heads(self._table))
        )
        rows = "".join(
            "<tr>"
            + "".join(
                f"<td style='text-align:{_side(number)}'>{html.escape(format_value(value))}</td>"
                for number, value in enumerate(row)
            )
            + "</tr>"
            for row in self._table.rows
        )
        caption = html.escape(self._table.caption)
        return (
            "<table><caption style='caption-side:top;text-align:left'>"
            f"{caption}</caption><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
        )

    def __repr__(self) -> str:
        lines = [_heads(self._table), *([format_value(v) for v in r] for r in self._table.rows)]
        widths = [max(len(line[n]) for line in lines) for n in range(len(lines[0]))]
        text = ["  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) for line in lines]
        return "\n".join([self._table.caption, *text])


class ShownFigure:
    """A figure for Jupyter, with its caption below."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure

    def _repr_html_(self) -> str:
        data = base64.b64encode(self._figure.data).decode("ascii")
        caption, alt = html.escape(self._figure.caption), html.escape(self._figure.alt)
        return (
            f"<figure style='margin:0'><img style='max-width:100%' alt='{alt}' "
            f"src='data:{self._figure.media_type};base64,{data}'>"
            f"<figcaption>{caption}</figcaption></figure>"
        )

    def __repr__(self) -> str:
        return f"{self._figure.caption}\n{self._figure.alt}"


class LiveLine:
    """A line in the notebook that tells how far a measurement is.

    It is redrawn rarely, and gives Jupyter's sending thread a moment to be done with it, so that
    no sample is disturbed.
    """

    def __init__(self, every: float = 2.0) -> None:
        self._every = every
        self._drawn = 0.0
        self._handle: Any = None

    def tell(self, done: int, total: int, stage: str = "") -> None:
        """Show `done` of `total`; the last one always."""
        now = time.monotonic()
        if done < total and now - self._drawn < self._every:
            return
        self._drawn = now
        text = f"{done:,} of {total:,} measured{f' ({stage})' if stage else ''}"
        bundle = {"text/plain": text}
        if self._handle is None:
            from IPython.display import display

            self._handle = display(bundle, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(bundle, raw=True)
        time.sleep(0.02)


def format_value(value: Scalar) -> str:
    """A value for people: three significant digits, and a dash for what is not known."""
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, float):
        return str(value)
    if value == 0:
        return "0"
    if abs(value) >= 1000 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _heads(table: Table) -> list[str]:
    return [f"{c.name} ({c.unit})" if c.unit else c.name for c in table.columns]


def _side(column: int) -> str:
    return "right" if column else "left"
