"""Read the markers of a README: where marks are, and what is wrong with markers."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from kep_workbench.marks import Mark, MarkedText, MarkKind, MarkProblem

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_BLOCK = re.compile(r"<!--\s*evidence\b:?(?P<word>[^\s>]*)(?P<attributes>.*?)\s*-->")
_FACT = re.compile(r"<!--\s*(?:fact:(?P<id>[^\s>]*)(?P<attributes>.*?)|(?P<close>/fact))\s*-->")
_ATTRIBUTE = re.compile(r'\s+(?P<name>[\w-]+)="(?P<value>[^"]*)"')
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_RUN = re.compile(r"[a-z0-9][a-z0-9-]*/[a-z0-9][a-z0-9-]*")
# Before a marker that begins a line, as Markdown sees it: quotes and list bullets.
_LINE_START = re.compile(r"[\s>]*(?:(?:[-*+]|\d+[.)])\s+)*")

_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")


def parse_marks(text: str) -> MarkedText:
    """Find all marks of `text`, whatever its line ends; faults are collected, not raised."""
    scan = _Scan(code_lines(text))
    for line in _lines(text):
        scan.take(line)
    scan.finish()
    scan.check_ids()
    marks = sorted(scan.marks, key=lambda mark: mark.opening)
    return MarkedText(text, tuple(marks), tuple(sorted(scan.problems, key=lambda p: p.line)))


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    start: int
    text: str
    newline: str


def _lines(text: str) -> Iterator[_Line]:
    for number, match in enumerate(_LINE.finditer(text), 1):
        yield _Line(number, match.start(), match[1], match[2])


def code_lines(text: str) -> frozenset[int]:
    """Lines in fenced or indented code, as Markdown reads it."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    found: set[int] = set()
    for token in parser.parse(text):
        if token.type in ("fence", "code_block") and token.map:
            found.update(range(token.map[0] + 1, token.map[1] + 1))
    return frozenset(found)


@dataclass
class _Scan:
    """The state while going through the lines."""

    code_lines: frozenset[int]
    marks: list[Mark] = field(default_factory=list)
    problems: list[MarkProblem] = field(default_factory=list)
    open_block: Mark | None = None

    def problem(self, line: int, problem: str, remedy: str) -> None:
        self.problems.append(MarkProblem(line, problem, remedy))

    def take(self, line: _Line) -> None:
        if line.number in self.code_lines or "<!--" not in line.text:
            return
        spans = [match.span() for match in _CODE_SPAN.finditer(line.text)]
        blocks = [match for match in _BLOCK.finditer(line.text) if _outside(match, spans)]
        for match in blocks:
            self._block_marker(line, match)
        if not blocks and self.open_block is None:
            self._facts(line, [m for m in _FACT.finditer(line.text) if _outside(m, spans)])

    def _block_marker(self, line: _Line, match: re.Match[str]) -> None:
        word = match["word"]
        if line.text.rstrip(" \t") != match[0]:
            remedy = "put it alone on its line, from the first column on"
            self.problem(line.number, "a marker of evidence does not stand alone", remedy)
        elif word == "begin":
            self._begin(line, match)
        elif word == "end":
            self._end(line, match)
        else:
            remedy = "write evidence:begin or evidence:end"
            self.problem(line.number, f"no marker is called 'evidence:{word}'", remedy)

    def _begin(self, line: _Line, match: re.Match[str]) -> None:
        if self.open_block is not None:
            before = self.open_block
            problem = f"a block begins inside {before.name}, which began on line {before.line}"
            remedy = f"end that block before line {line.number}: <!-- evidence:end -->"
            self.problem(line.number, problem, remedy)
        values = self._attributes(line, match["attributes"], ("id", "run", "show", "digest"))
        after = line.start + len(line.text) + len(line.newline)
        opening = (line.start + match.start(), line.start + match.end())
        mark = _make(MarkKind.BLOCK, values, line, opening, (after, after))
        self.open_block = mark
        self._check(mark)

    def _end(self, line: _Line, match: re.Match[str]) -> None:
        if self.open_block is None:
            remedy = "remove it, or write the block's begin before it"
            self.problem(line.number, "a block ends here that did not begin", remedy)
            return
        mark = self.open_block
        self.open_block = None
        content = (mark.content[0], line.start + match.start())
        self.marks.append(replace(mark, content=content))

    def _facts(self, line: _Line, matches: list[re.Match[str]]) -> None:
        opened: re.Match[str] | None = None
        for match in matches:
            if match["close"] is None:
                if opened is not None:
                    self._unclosed(line, opened)
                opened = match
            elif opened is None:
                remedy = 'remove it, or write <!-- fact:ID run="BATCH/RUN" --> before the value'
                self.problem(line.number, "a fact ends here that did not begin", remedy)
            else:
                self._fact(line, opened, match)
                opened = None
        if opened is not None:
            self._unclosed(line, opened)

    def _unclosed(self, line: _Line, opened: re.Match[str]) -> None:
        problem = f"the fact {opened['id']!r} has no end on its line"
        self.problem(line.number, problem, "write <!-- /fact --> right behind the value")

    def _fact(self, line: _Line, opened: re.Match[str], close: re.Match[str]) -> None:
        if _LINE_START.fullmatch(line.text[: opened.start()]):
            problem = "a fact begins its line, so that Markdown takes the line for HTML"
            self.problem(line.number, problem, "put a word before it")
        if _HEADING.match(line.text):
            problem = "a fact stands in a heading, which the table of contents repeats"
            self.problem(line.number, problem, "move it into the text below")
        values = self._attributes(line, opened["attributes"], ("run", "digest"))
        values["id"] = opened["id"]
        opening = (line.start + opened.start(), line.start + opened.end())
        mark = _make(MarkKind.FACT, values, line, opening, (opening[1], line.start + close.start()))
        self._check(mark)
        self.marks.append(mark)

    def _attributes(self, line: _Line, text: str, known: tuple[str, ...]) -> dict[str, str]:
        values: dict[str, str] = {}
        end = 0
        while match := _ATTRIBUTE.match(text, end):
            end = match.end()
            name = match["name"]
            if name in values:
                self.problem(line.number, f"the marker says {name} twice", "leave one of them")
            elif name not in known:
                close = difflib.get_close_matches(name, known, 1)
                remedy = f"did you mean {close[0]}?" if close else f"known: {', '.join(known)}"
                self.problem(line.number, f"no marker has an attribute {name!r}", remedy)
            values[name] = match["value"]
        if text[end:].strip():
            problem = f"cannot read {text[end:].strip()!r} in the marker"
            self.problem(line.number, problem, 'write attributes as name="value"')
        return values

    def _check(self, mark: Mark) -> None:
        if not _ID.fullmatch(mark.id):
            problem = f"the id {mark.id!r} is no id" if mark.id else "the marker has no id"
            example = 'id="edge-10-latency"' if mark.kind is MarkKind.BLOCK else "fact:latency-p50"
            self.problem(mark.line, problem, f"write one such as {example}")
        if not _RUN.fullmatch(mark.run):
            problem = f"the run {mark.run!r} is not BATCH/RUN" if mark.run else "names no run"
            self.problem(mark.line, f"{mark.name}: {problem}", 'for example run="default/edge-10"')

    def finish(self) -> None:
        if self.open_block is not None:
            problem = f"{self.open_block.name} has no end"
            remedy = "write <!-- evidence:end --> alone on the line behind it, outside of code"
            self.problem(self.open_block.line, problem, remedy)

    def check_ids(self) -> None:
        seen: dict[str, int] = {}
        for mark in self.marks:
            if mark.kind is MarkKind.FACT or not mark.id:
                continue
            if mark.id in seen:
                problem = f"the id {mark.id!r} stands on line {seen[mark.id]} already"
                self.problem(mark.line, problem, "give each block its own id")
            seen.setdefault(mark.id, mark.line)


def _make(
    kind: MarkKind,
    values: dict[str, str],
    line: _Line,
    opening: tuple[int, int],
    content: tuple[int, int],
) -> Mark:
    return Mark(
        kind,
        values.get("id", ""),
        values.get("run", ""),
        values.get("show", ""),
        values.get("digest", ""),
        line.number,
        opening,
        content,
        line.newline or "\n",
    )


def _outside(match: re.Match[str], spans: list[tuple[int, int]]) -> bool:
    return not any(start <= match.start() < end for start, end in spans)
