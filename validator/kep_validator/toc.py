"""The table of contents between `<!-- toc -->` and `<!-- /toc -->`, as upstream generates it.

Follows mdtoc of kubernetes-sigs (the same from 1.1.0 to 1.4.0) with `--max-depth=5`, as
hack/verify-toc.sh of kubernetes/enhancements runs it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from kep_validator.markdown_blocks import Blocks, LineBlock, Links
from kep_validator.markdown_source import Heading, MarkdownDocument
from kep_validator.toc_headings import TocHeading, read_headings
from kep_validator.toc_inline import Anchors, render_heading

MAX_DEPTH = 5
_OPENING = re.compile(r"<!-- toc -->", re.IGNORECASE)
_CLOSING = re.compile(r"<!-- /toc -->", re.IGNORECASE)


class TocBlock(NamedTuple):
    """The tags of a file by offsets into its text; None for a tag that is missing."""

    opening: re.Match[str] | None
    closing: re.Match[str] | None

    @property
    def problem(self) -> str:
        """What is wrong with the tags, '' when they can be used."""
        if not self.opening:
            return "opening tag `<!-- toc -->` is missing"
        if not self.closing:
            return "closing tag `<!-- /toc -->` is missing"
        if self.closing.start() < self.opening.start():
            return "closing tag `<!-- /toc -->` stands before the opening one"
        return ""


class TocCheck(NamedTuple):
    """A table of contents as it is and as it should be.

    `start` and `end` are the offsets between the tags, `actual` and `expected` the lines without
    the blanks around the whole, as upstream compares them, and `generated` those it would write.
    """

    start: int
    end: int
    actual: tuple[str, ...]
    expected: tuple[str, ...]
    generated: tuple[str, ...]

    @property
    def is_current(self) -> bool:
        """Whether upstream would leave the table as it is."""
        return self.actual == self.expected

    @property
    def replacement(self) -> str:
        """What should stand between the tags."""
        return "\n" + "".join(f"{line}\n" for line in self.generated)


def find_tags(text: str) -> TocBlock:
    """Find the first opening and the first closing tag, wherever they stand."""
    return TocBlock(_OPENING.search(text), _CLOSING.search(text))


def toc_lines(headings: list[TocHeading], links: Links) -> list[str]:
    """Return the table of contents of these headings; `links` are the document's definitions."""
    if not headings:
        return []
    base = min(heading.level for heading in headings)
    anchors = Anchors()
    lines = []
    for heading in headings:
        if heading.level <= MAX_DEPTH:
            rendered = render_heading(heading.markdown, links)
            anchor = anchors.make(rendered.text)
            lines.append(f"{'  ' * (heading.level - base)}- [{rendered.html}](#{anchor})")
    return lines


def check_toc(document: MarkdownDocument, tags: TocBlock) -> TocCheck:
    """Compare the table of contents of a document whose tags have no problem."""
    if tags.opening is None or tags.closing is None:
        raise ValueError("a table of contents needs both tags")
    text = document.source.text
    start, end = tags.opening.end(), tags.closing.start()
    generated = toc_lines(*_listed_headings(document, end))
    expected = _trimmed("\n".join(generated))
    return TocCheck(start, end, _trimmed(text[start:end]), expected, tuple(generated))


def unlisted_headings(document: MarkdownDocument, tags: TocBlock) -> list[Heading]:
    """Return the headings that GitHub shows below the tags and mdtoc does not take for headings."""
    if tags.closing is None:
        return []
    end = tags.closing.start()
    tag_line = document.source.text.count("\n", 0, end) + 1
    listed = {tag_line + heading.line for heading in _listed_headings(document, end)[0]}
    return [
        heading
        for heading in document.headings
        if heading.span.line > tag_line
        and heading.level <= MAX_DEPTH
        and not heading.nested
        and heading.title
        and not listed.intersection(range(heading.span.line, heading.span.end_line + 1))
    ]


@lru_cache(maxsize=4)
def _listed_headings(document: MarkdownDocument, end: int) -> tuple[list[TocHeading], Links]:
    text = document.source.text
    tag_line = text.count("\n", 0, end) + 1 - document.first_line
    blocks = _below(document.blocks, tag_line) if _reads_alike(document.blocks, tag_line) else None
    return read_headings(text[end:], blocks)


def _reads_alike(blocks: Blocks, tag_line: int) -> bool:
    """Whether the text below the tag has the same blocks when it is read without what is above."""
    around = [*blocks.code, *blocks.html]
    return tag_line >= 0 and not any(block.first <= tag_line < block.after - 1 for block in around)


def _below(blocks: Blocks, line: int) -> Blocks:
    return Blocks(
        headings=[
            block._replace(first=block.first - line, after=block.after - line)
            for block in blocks.headings
            if block.first > line
        ],
        code=_moved(blocks.code, line),
        html=_moved(blocks.html, line),
        rules=_moved(blocks.rules, line),
        links=blocks.links,
    )


def _moved(blocks: list[LineBlock], line: int) -> list[LineBlock]:
    return [
        block._replace(first=block.first - line, after=block.after - line)
        for block in blocks
        if block.first > line
    ]


def _trimmed(text: str) -> tuple[str, ...]:
    stripped = text.strip()
    return tuple(stripped.split("\n")) if stripped else ()
