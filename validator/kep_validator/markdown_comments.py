"""HTML comments in Markdown: where they stand, and the text without them."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from kep_validator.markdown_blocks import OPENING_MARK, Blocks

_CLOSING_MARK = "-->"
# A code span ends at a run of as many backquotes as opened it, within the same paragraph.
_CODE_OR_COMMENT = re.compile(r"(`+)|<!--")


class CommentPart(NamedTuple):
    """A comment by offsets into the text (half open); `closed` is False when nothing ends it."""

    start: int
    end: int
    closed: bool = True


def find_comments(text: str, blocks: Blocks) -> list[CommentPart]:
    """Return the comments of `text` in order.

    A comment begins where Markdown passes HTML on: not in a code block and not in a code span. It
    ends at the first `-->`, even in a later block, because that is how a browser reads the page.
    One that is never closed reaches to the end of its block.
    """
    if OPENING_MARK not in text:
        return []
    starts = _line_starts(text)
    regions = [
        (starts[block.first], starts[min(block.after, len(starts) - 1)], block.kind)
        for block in sorted([*blocks.html, *blocks.text], key=lambda block: block.first)
    ]
    found: list[CommentPart] = []
    behind = 0
    last_closing = text.rfind(_CLOSING_MARK)
    for start, end, kind in regions:
        position = max(start, behind)
        if text.find(OPENING_MARK, position, end) < 0:
            continue
        while position < end:
            opening = _next_opening(text, position, end, skip_code=kind == "inline")
            if opening < 0:
                break
            part = _comment_at(text, opening, end, last_closing)
            found.append(part)
            position = behind = part.end
    return found


def blank_out(text: str, parts: list[CommentPart]) -> str:
    """Replace comments by blanks, so that every line and column stays where it was."""
    if not parts:
        return text
    pieces: list[str] = []
    position = 0
    for part in parts:
        pieces.append(text[position : part.start])
        lines = text[part.start : part.end].split("\n")
        pieces.append("\n".join(" " * len(line) for line in lines))
        position = part.end
    pieces.append(text[position:])
    return "".join(pieces)


def _comment_at(text: str, opening: int, end: int, last_closing: int) -> CommentPart:
    # `<!-->` and `<!--->` are whole comments in HTML.
    for short in ("<!-->", "<!--->"):
        if text.startswith(short, opening):
            return CommentPart(opening, opening + len(short))
    if last_closing < opening:
        return CommentPart(opening, end, closed=False)
    closing = text.index(_CLOSING_MARK, opening + len(OPENING_MARK))
    return CommentPart(opening, closing + len(_CLOSING_MARK))


def _next_opening(text: str, position: int, end: int, *, skip_code: bool) -> int:
    if not skip_code:
        return text.find(OPENING_MARK, position, end)
    runs: dict[int, list[int]] | None = None
    while match := _CODE_OR_COMMENT.search(text, position, end):
        if match[1] is None:
            return match.start()
        if runs is None:
            runs = _backquote_runs(text, position, end)
        position = _after_code_span(runs, match.start(), len(match[1]))
    return -1


def _backquote_runs(text: str, position: int, end: int) -> dict[int, list[int]]:
    runs: dict[int, list[int]] = {}
    for match in re.compile("`+").finditer(text, position, end):
        runs.setdefault(len(match[0]), []).append(match.start())
    return runs


def _after_code_span(runs: dict[int, list[int]], start: int, length: int) -> int:
    same = runs.get(length, [])
    index = bisect_right(same, start)
    return (same[index] if index < len(same) else start) + length


def _line_starts(text: str) -> list[int]:
    starts = [0]
    position = text.find("\n")
    while position >= 0:
        starts.append(position + 1)
        position = text.find("\n", position + 1)
    starts.append(len(text))
    return starts
