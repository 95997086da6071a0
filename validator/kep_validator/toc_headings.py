"""The headings that upstream's table of contents lists, which are not quite CommonMark's.

Follows the block parser of github.com/gomarkdown/markdown with the title hook of
github.com/mmarkdown/mmark, as mdtoc of kubernetes-sigs sets them up. It starts from CommonMark's
headings and applies what differs; see `read_headings`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kep_validator.markdown_blocks import Blocks, HeadingBlock, LineBlock, Links, parse_blocks
from kep_validator.toc_inline import without_closing_marks

_QUOTE = re.compile(r"(?:> ?)+")
_ATX = re.compile(r"#{1,6} +(.*)")
_TITLE_MARK = "---"
_PERCENT_BLOCK = re.compile(r"\n[ \t]*\n(%%%).*?%%%", re.DOTALL)
_HIDING_TAG = re.compile(
    r"<(address|article|aside|blockquote|canvas|details|div|dl|fieldset|figcaption|figure|footer|"
    r"form|header|hgroup|iframe|main|math|nav|noscript|ol|output|p|pre|progress|script|section|"
    r"style|table|ul|video)\b"
)
# Odd constructions make us read the rest of the text again; this bounds the work on hostile input.
_MOST_REREAD = 1_000_000


class TocHeading(NamedTuple):
    """A heading by level, Markdown and line (counted from 0)."""

    level: int
    markdown: str
    line: int


def read_headings(text: str, blocks: Blocks | None = None) -> tuple[list[TocHeading], Links]:
    """Return the headings mdtoc finds in `text`, and the definitions of links.

    `blocks` are those of `text` if known.

    What differs from CommonMark: an ATX heading starts in the first column and has a blank (no tab)
    after its marks; headings in list items do not count; of a setext heading only the last line
    counts; a fence or comment that is never closed hides nothing; a block element hides all up
    to its closing tag before a blank line; and a line starting with `---` hides all up to the
    next `---`, likewise `%%%`.
    """
    lines = text.split("\n")
    budget = _MOST_REREAD
    while budget > 0:
        blocks = blocks or parse_blocks(text)
        mended = _hide_next(text, lines, blocks)
        if mended is None:
            break
        budget -= len(text)
        text, blocks = mended, None
        lines = text.split("\n")
    blocks = blocks or parse_blocks(text)
    found = (_as_toc_heading(block, lines) for block in blocks.headings)
    return [heading for heading in found if heading], blocks.links


def _as_toc_heading(block: HeadingBlock, lines: list[str]) -> TocHeading | None:
    if block.in_list:
        return None
    line = _QUOTE.sub("", lines[block.first], count=1) if block.nested else lines[block.first]
    if block.after - block.first == 1:
        match = _ATX.match(line)
        if not match:
            return None
        markdown = without_closing_marks(match[1].rstrip(" "))
        return TocHeading(block.level, markdown, block.first) if markdown else None
    return TocHeading(block.level, block.text.split("\n")[-1].strip(), block.after - 2)


def _hide_next(text: str, lines: list[str], blocks: Blocks) -> str | None:
    """Return the text with its next odd construction defused, None when there is none."""
    hidden = _title_block(text, lines, blocks) or _open_block(lines, blocks)
    return hidden or _html_element(text, lines, blocks)


def _title_block(text: str, lines: list[str], blocks: Blocks) -> str | None:
    if match := _PERCENT_BLOCK.search(text):
        return _cut(text, match.start(1), match.end())
    for rule in blocks.rules:
        if not lines[rule.first].startswith(_TITLE_MARK):
            continue
        start = _offset(lines, rule.first)
        end = text.find(_TITLE_MARK, start + len(_TITLE_MARK))
        return _cut(text, start, end + len(_TITLE_MARK)) if end >= 0 else None
    return None


def _open_block(lines: list[str], blocks: Blocks) -> str | None:
    opened = [block.first for block in blocks.code if not block.closed]
    opened += [block.first for block in blocks.html if _hides_nothing(lines, block)]
    if not opened:
        return None
    line = min(opened)
    return "\n".join([*lines[:line], "x", *lines[line + 1 :]])


def _hides_nothing(lines: list[str], block: LineBlock) -> bool:
    """Whether CommonMark takes a comment for a block that gomarkdown takes for running text.

    It wants the comment in the first column, closed, and a line end right behind it.
    """
    first = lines[block.first]
    if block.after - block.first == 1 or not first.lstrip(" ").startswith("<!--"):
        return False
    if first.startswith(" "):
        return True
    for number in range(block.first, block.after):
        _, closing, rest = lines[number].partition("-->")
        if closing:
            return bool(rest.strip(" \t")) or number == len(lines) - 1
    return True


def _html_element(text: str, lines: list[str], blocks: Blocks) -> str | None:
    for block in blocks.html:
        match = _HIDING_TAG.match(lines[block.first])
        if not match:
            continue
        start = _offset(lines, block.first)
        closing = re.compile(rf"</{match[1]}>[ \t]*(?:\n[ \t]*(?:\n|\Z)|\Z)")
        end = closing.search(text, start)
        if end and text.count("\n", start, end.end()) >= block.after - block.first:
            return _cut(text, start, end.end())
    return None


def _offset(lines: list[str], line: int) -> int:
    return sum(len(text) + 1 for text in lines[:line])


def _cut(text: str, start: int, end: int) -> str:
    """Blank out a stretch; what follows it on its last line starts that line."""
    return text[:start] + "\n" * text.count("\n", start, end) + text[end:]
