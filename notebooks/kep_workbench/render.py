"""A run record as Markdown: what a mark's `show` asks for, and where it comes from."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from kep_workbench.errors import InputError
from kep_workbench.markdown_text import code, escape, show_table, with_unit
from kep_workbench.record import RunRecord
from kep_workbench.render_provenance import (
    environment_line,
    folded_provenance,
    provenance_lines,
)
from kep_workbench.results import Fact, Figure, ResultSet, Table

FigureLink = Callable[[Figure], str]
_Item = TypeVar("_Item", Fact, Table, Figure)

_PLURALS = {"tables": "table", "figures": "figure", "facts": "fact"}
_WORDS = ("all", "provenance", *_PLURALS)
NOT_RUN = "not run"


def render_block(record: RunRecord, show: str, link: FigureLink, place: str) -> str:
    """Return the Markdown of a block.

    `show` is a list, by blanks or commas, of `table:ID`, `figure:ID`, `fact:ID`, `tables`,
    `figures`, `facts`, `provenance` and `all` (also when empty). `link` gives a figure's path
    as the README links it; `place` names the block in errors. Beside what is shown, a block
    always says what was measured on and holds the provenance, folded unless asked for.

    Raises:
        InputError: `show` names nothing that the result has.
    """
    result = record.result
    assert result is not None, "a record that is accepted has a result"
    words = show.replace(",", " ").split() or ["all"]
    if result.status == "not-run":
        _check_words(words, place)
        said = f"**Not run: {escape(result.title)}.** {escape(result.reason)}"
        return "\n\n".join([f"{said} {environment_line(record)}", *_source(record, words)])
    facts, parts = _select(result, words, link, place)
    if facts:
        parts.insert(0, _fact_table(facts))
    return "\n\n".join([*parts, environment_line(record), *_source(record, words)])


def render_fact(record: RunRecord, fact_id: str, place: str) -> str:
    """Return one fact as it stands in prose, such as `1.23 ms`.

    Raises:
        InputError: the result has no such fact.
    """
    result = record.result
    assert result is not None, "a record that is accepted has a result"
    if result.status == "not-run":
        return NOT_RUN
    fact = _find(result.facts, "fact", fact_id, place)
    return with_unit(fact.value, fact.unit)


def _select(
    result: ResultSet, words: Sequence[str], link: FigureLink, place: str
) -> tuple[list[Fact], list[str]]:
    """Facts to be shown in one table, and the other parts in the order asked for."""
    _check_words(words, place)
    facts: list[Fact] = []
    parts: list[str] = []
    for word in words:
        kind, _, wanted = word.partition(":")
        every = word == "all"
        if every or word == "facts":
            facts += result.facts
        if every or word == "tables":
            parts += [_table(table) for table in result.tables]
        if every or word == "figures":
            parts += [_figure(figure, link) for figure in result.figures]
        if kind == "fact":
            facts.append(_find(result.facts, kind, wanted, place))
        elif kind == "table":
            parts.append(_table(_find(result.tables, kind, wanted, place)))
        elif kind == "figure":
            parts.append(_figure(_find(result.figures, kind, wanted, place), link))
    return facts, parts


def _check_words(words: Iterable[str], place: str) -> None:
    for word in words:
        kind, colon, wanted = word.partition(":")
        if word in _WORDS or (colon and wanted and kind in _PLURALS.values()):
            continue
        known = [*_WORDS, *(f"{kind}:ID" for kind in _PLURALS.values())]
        raise InputError(place, f"cannot show {word!r}", f"it can show: {', '.join(known)}")


def _find(items: Sequence[_Item], kind: str, wanted: str, place: str) -> _Item:
    for item in items:
        if item.id == wanted:
            return item
    ids = [item.id for item in items]
    close = difflib.get_close_matches(wanted, ids, 1)
    remedy = f"there are: {', '.join(ids)}" if ids else f"it has no {kind} at all"
    if close:
        remedy = f"did you mean {close[0]}?"
    raise InputError(place, f"the result has no {kind} {wanted!r}", remedy)


def _source(record: RunRecord, words: Sequence[str]) -> list[str]:
    lines = provenance_lines if "provenance" in words else folded_provenance
    return ["\n".join(lines(record))]


def _table(table: Table) -> str:
    return f"*{escape(table.caption)}*\n\n{show_table(table)}"


def _figure(figure: Figure, link: FigureLink) -> str:
    return f"![{escape(figure.alt)}]({link(figure)})\n\n*{escape(figure.caption)}*"


def _fact_table(facts: Sequence[Fact]) -> str:
    rows = [
        f"| {escape(fact.description)} | {with_unit(fact.value, fact.unit)} | {code(fact.id)} |"
        for fact in dict.fromkeys(facts)
    ]
    return "\n".join(["| Fact | Value | Id |", "| --- | ---: | --- |", *rows])
