"""The block structure of a Markdown text, as CommonMark defines it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Links = dict[str, dict[str, Any]]
"""Definitions of links, in markdown-it's own form."""

OPENING_MARK = "<!--"
_NESTING = {
    "list_item_open": (1, 1),
    "list_item_close": (-1, -1),
    "blockquote_open": (1, 0),
    "blockquote_close": (-1, 0),
}
_BEFORE_MARKER = re.compile(r"[^#]*")


class HeadingBlock(NamedTuple):
    """A heading: `text` is its Markdown, `first` and `after` its lines (counted from 0, half open).

    `nested` tells whether it stands inside a list item or a quotation, `in_list` whether a list is
    among them.
    """

    level: int
    text: str
    first: int
    after: int
    nested: bool
    in_list: bool


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
    rules: list[LineBlock] = field(default_factory=list)
    links: Links = field(default_factory=dict)


def parse_blocks(text: str) -> Blocks:
    """Read the blocks of `text`, whose lines end with a line feed, in time linear in its size."""
    env: dict[str, Any] = {}
    tokens = _parser().parse(text, env)
    blocks = Blocks(links=env.get("references", {}))
    depth = lists = 0
    lines = text.split("\n")
    for index, token in enumerate(tokens):
        kind = token.type
        if kind == "inline":
            if OPENING_MARK in token.content:
                blocks.text.append(LineBlock(kind, *_lines(token)))
        elif kind in _NESTING:
            deeper, listed = _NESTING[kind]
            depth += deeper
            lists += listed
        elif kind == "heading_open":
            content, level = tokens[index + 1].content, int(token.tag[1])
            heading = HeadingBlock(level, content, *_lines(token), depth > 0, lists > 0)
            blocks.headings.append(heading)
        elif kind in ("fence", "code_block"):
            first, after = _lines(token)
            closed = kind != "fence" or _is_closed(token, lines[after - 1], after - first)
            blocks.code.append(LineBlock(kind, first, after, closed))
        elif kind == "html_block":
            blocks.html.append(LineBlock(kind, *_lines(token)))
        elif kind == "hr" and not depth:
            blocks.rules.append(LineBlock(kind, *_lines(token)))
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
