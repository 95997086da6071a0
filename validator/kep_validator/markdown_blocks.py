"""The block structure of a Markdown text, as CommonMark defines it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

OPENING_MARK = "<!--"
_CONTAINERS = ("list_item_open", "blockquote_open")
_CLOSERS = ("list_item_close", "blockquote_close")
_BEFORE_MARKER = re.compile(r"[^#]*")


class HeadingBlock(NamedTuple):
    """A heading: `text` is its Markdown, `first` and `after` its lines (counted from 0, half open).

    `nested` tells whether it stands inside a list item or a quotation.
    """

    level: int
    text: str
    first: int
    after: int
    nested: bool


class LineBlock(NamedTuple):
    """A block of lines (counted from 0, half open): `kind` is the token type of markdown-it."""

    kind: str
    first: int
    after: int
    closed: bool = True


@dataclass
class Blocks:
    """What the rules need of a text's block structure, in the order of the text.

    Of the blocks of running text only those that hold an opening comment mark are kept.
    """

    headings: list[HeadingBlock] = field(default_factory=list)
    code: list[LineBlock] = field(default_factory=list)
    html: list[LineBlock] = field(default_factory=list)
    text: list[LineBlock] = field(default_factory=list)


def parse_blocks(text: str) -> Blocks:
    """Read the blocks of `text`, whose lines end with a line feed, in time linear in its size."""
    blocks = Blocks()
    depth = 0
    tokens = _parser().parse(text)
    lines = text.split("\n")
    for index, token in enumerate(tokens):
        kind = token.type
        if kind == "inline":
            if OPENING_MARK in token.content:
                blocks.text.append(LineBlock(kind, *_lines(token)))
        elif kind in _CONTAINERS:
            depth += 1
        elif kind in _CLOSERS:
            depth -= 1
        elif kind == "heading_open":
            first, after = _lines(token)
            content = tokens[index + 1].content
            level = int(token.tag[1])
            blocks.headings.append(HeadingBlock(level, content, first, after, depth > 0))
        elif kind in ("fence", "code_block"):
            first, after = _lines(token)
            closed = kind != "fence" or _is_closed(token, lines[after - 1], after - first)
            blocks.code.append(LineBlock(kind, first, after, closed))
        elif kind == "html_block":
            blocks.html.append(LineBlock(kind, *_lines(token)))
    return blocks


@cache
def _parser() -> MarkdownIt:
    # Importing markdown-it takes longer than checking a kep.yaml; inline rules take a third of its
    # time and say nothing about sections.
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _lines(token: Token) -> tuple[int, int]:
    if token.map is None:
        raise ValueError(f"block token {token.type} has no lines")
    first, after = token.map
    return first, after


def _is_closed(token: Token, last: str, count: int) -> bool:
    stripped = last.lstrip("> \t").rstrip()
    marker = token.markup
    return count > 1 and stripped.startswith(marker) and not stripped.strip(marker[0])


def marker_column(line: str) -> int:
    """Return the column (from 0) of the first `#` of an ATX heading's line, else of its text."""
    before = _BEFORE_MARKER.match(line)
    column = before.end() if before else 0
    return column if column < len(line) else len(line) - len(line.lstrip())
