"""A README as headings, sections, comments and the text that readers see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from kep_validator.markdown_blocks import Blocks, marker_column, parse_blocks
from kep_validator.markdown_comments import CommentPart, blank_out, find_comments
from kep_validator.source import Source, Span
from kep_validator.titles import plain_title, title_key

_TASK = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+\[([ xX])\]\s+(.*)")
_REFERENCE = re.compile(r" {0,3}\[[^\]]+\]:\s*\S+")
_INVISIBLE = str.maketrans("", "", "\u200b\u200c\u200d\u2060\ufeff")


class Heading(NamedTuple):
    """One heading; `markdown` is its text as written, `nested` that of a list or quotation."""

    level: int
    markdown: str
    span: Span
    nested: bool

    @property
    def title(self) -> str:
        """The text as a reader sees it."""
        return plain_title(self.markdown)

    @property
    def key(self) -> str:
        """What two wordings of the same title share."""
        return title_key(self.markdown)


@dataclass(slots=True)
class Section:
    """A heading and the text below it.

    The section's own body is on the lines `first_line` to `last_line` (counted from 1, empty when
    `last_line` is less): up to the next heading of any level. `end_line` is the last line of the
    section with all sections below it.
    """

    heading: Heading
    first_line: int
    last_line: int
    end_line: int
    parent: Section | None = field(repr=False, default=None)
    children: list[Section] = field(repr=False, default_factory=list)

    @property
    def key(self) -> str:
        """The key of the section's title."""
        return self.heading.key

    def walk(self) -> Iterator[Section]:
        """Yield this section and all below it, in the order of the text."""
        pending = [self]
        while pending:
            section = pending.pop()
            yield section
            pending.extend(reversed(section.children))


class Task(NamedTuple):
    """An item of a task list, `- [ ] text`."""

    span: Span
    done: bool
    text: str


class Comment(NamedTuple):
    """An HTML comment with its marks; `closed` is False when no `-->` ends it."""

    span: Span
    text: str
    closed: bool


@dataclass(frozen=True, eq=False)
class MarkdownDocument:
    """A Markdown text, from `first_line` of its file (front matter may stand above) to the end.

    Lines and columns of all spans are those of the file. Documents are equal only to themselves.
    """

    source: Source
    first_line: int
    blocks: Blocks = field(repr=False)
    _comment_parts: list[CommentPart] = field(repr=False)

    @classmethod
    def parse(cls, source: Source, first_line: int = 1) -> MarkdownDocument:
        """Read the Markdown from `first_line` (counted from 1) on; never raises."""
        text = _text(source, first_line)
        blocks = parse_blocks(text)
        return cls(source, first_line, blocks, find_comments(text, blocks))

    @cached_property
    def text(self) -> str:
        """The Markdown as written, without what stands above `first_line`."""
        return _text(self.source, self.first_line)

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        """All headings that CommonMark sees, in order."""
        return tuple(
            Heading(
                block.level, block.text, self._heading_span(block.first, block.after), block.nested
            )
            for block in self.blocks.headings
        )

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The sections in order; headings inside lists and quotations start none."""
        found: list[Section] = []
        open_sections: list[Section] = []
        end = len(self.source.lines)
        for block, heading in zip(self.blocks.headings, self.headings, strict=True):
            if heading.nested:
                continue
            above = heading.span.line - 1
            if found:
                found[-1].last_line = above
            while open_sections and open_sections[-1].heading.level >= heading.level:
                open_sections.pop().end_line = above
            parent = open_sections[-1] if open_sections else None
            section = Section(heading, self.first_line + block.after, end, end, parent)
            if parent:
                parent.children.append(section)
            open_sections.append(section)
            found.append(section)
        return tuple(found)

    @cached_property
    def visible_lines(self) -> list[str]:
        """The file's lines with comments and all above `first_line` as blanks; columns stay."""
        body = blank_out(self.text, self._comment_parts).split("\n")
        return [""] * (self.first_line - 1) + body

    @cached_property
    def prose_lines(self) -> list[str]:
        """The visible lines with code blocks as empty lines too."""
        lines = list(self.visible_lines)
        for block in self.blocks.code:
            first = self.first_line - 1 + block.first
            lines[first : first + block.after - block.first] = [""] * (block.after - block.first)
        return lines

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        """The HTML comments in order."""
        place = _Places(self.text, self.first_line)
        return tuple(
            Comment(self._between(place, part), self.text[part.start : part.end], part.closed)
            for part in self._comment_parts
        )

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The task list items that readers see."""
        return tuple(self.tasks_in(self.first_line, len(self.source.lines)))

    def tasks_in(self, first: int, last: int) -> Iterator[Task]:
        """Yield the task list items on the lines `first` to `last` (counted from 1, inclusive)."""
        for number in range(first, last + 1):
            line = self.prose_lines[number - 1]
            if "[" in line and (match := _TASK.match(line)):
                column = len(line) - len(line.lstrip()) + 1
                span = self.source.span(number, column, number, len(line) + 1)
                yield Task(span, match[1] != " ", match[2].strip())

    def body(self, section: Section) -> list[str]:
        """Return the lines of the section's own body that say something to a reader.

        Left out are blank lines, comments, and definitions of links.
        """
        lines = self.visible_lines[section.first_line - 1 : section.last_line]
        return [line for line in lines if says_something(line)]

    def unclosed_code(self) -> Span | None:
        """Return the opening line of a code fence that nothing closes, None when all are closed."""
        for block in self.blocks.code:
            if not block.closed:
                return self.line_span(self.first_line + block.first)
        return None

    def line_span(self, line: int) -> Span:
        """Return the place of a line's text without the blanks around it."""
        text = self.source.lines[line - 1]
        start = len(text) - len(text.lstrip())
        return self.source.span(line, start + 1, line, len(text.rstrip()) + 1)

    def _heading_span(self, first: int, after: int) -> Span:
        lines = self.source.lines
        line, last = self.first_line + first, self.first_line + after - 1
        column = marker_column(lines[line - 1]) + 1
        return self.source.span(line, column, last, len(lines[last - 1].rstrip()) + 1)

    def _between(self, place: _Places, part: CommentPart) -> Span:
        line, column = place.of(part.start)
        end_line, end_column = place.of(part.end)
        return self.source.span(line, column, end_line, end_column)


def says_something(line: str) -> bool:
    """Whether a visible line holds more than blanks, invisible marks or a link's definition."""
    stripped = line.translate(_INVISIBLE).strip()
    return bool(stripped) and not (stripped[0] == "[" and _REFERENCE.match(stripped))


class _Places:
    """Lines and columns of ascending offsets into a text."""

    def __init__(self, text: str, first_line: int) -> None:
        self._text = text
        self._line = first_line
        self._start = 0
        self._seen = 0

    def of(self, offset: int) -> tuple[int, int]:
        self._line += self._text.count("\n", self._seen, offset)
        newline = self._text.rfind("\n", self._start, offset)
        if newline >= 0:
            self._start = newline + 1
        self._seen = offset
        return self._line, offset - self._start + 1


def _text(source: Source, first_line: int) -> str:
    return source.text if first_line == 1 else "\n".join(source.lines[first_line - 1 :])
