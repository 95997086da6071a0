"""The report for a reader at a terminal: grouped by file, with the line at fault shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

from kep_validator.diagnostics import Diagnostic, Report, Severity
from kep_validator.source import Source, Span

SourceReader = Callable[[str], Source | None]

_COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.INFO: "36"}
_WIDEST = 100
_LONGEST = 1_000


@dataclass(frozen=True)
class TextReporter:
    """Writes a report as text.

    `read` returns a file's text by the path a diagnostic names (None: no excerpt). With
    `list_skipped` each check that did not run is listed, otherwise only how many there are.
    """

    read: SourceReader
    colour: bool = False
    list_skipped: bool = False

    def render(self, report: Report) -> str:
        """Return the whole report, ending in a line end."""
        lines: list[str] = []
        for path, group in groupby(report.diagnostics, key=lambda found: found.span.path):
            lines.append(self._paint(_path(path), "1"))
            source = self.read(path)
            for found in group:
                lines += self._finding(found, source)
            lines.append("")
        lines += self._skipped(report)
        lines.append(self._summary(report))
        return "\n".join(lines) + "\n"

    def _finding(self, found: Diagnostic, source: Source | None) -> Iterator[str]:
        place = f"{found.span.line}:{found.span.column}"
        severity = self._paint(found.severity.value, _COLOURS[found.severity])
        yield f"  {place} {severity} {found.code} {_printable(found.message)}"
        if source:
            yield from self._excerpt(found.span, source)
        if found.help:
            yield f"      = help: {_printable(found.help)}"
        for related in found.related:
            where = f"{_path(related.span.path)}:{related.span.line}:{related.span.column}"
            yield f"      = see: {where} {_printable(related.message)}"

    def _excerpt(self, span: Span, source: Source) -> Iterator[str]:
        # A span without width names a place where something is missing: there is nothing to show.
        empty = (span.line, span.column) == (span.end_line, span.end_column)
        if empty or span.line > len(source.lines) or not source.lines[span.line - 1].strip():
            return
        line = source.lines[span.line - 1]
        start = max(0, span.column - 1 - _WIDEST // 2) if len(line) > _WIDEST else 0
        shown = _printable(line[start : start + _WIDEST])
        end = span.end_column if span.end_line == span.line else len(line) + 1
        column = span.column - 1 - start
        width = max(1, min(end - span.column, len(shown) - column))
        number = str(span.line)
        yield f"    {number} | {shown}"
        yield f"    {' ' * len(number)} | {' ' * column}{self._paint('^' * width, '1')}"

    def _skipped(self, report: Report) -> Iterator[str]:
        if not self.list_skipped or not report.skipped:
            return
        yield "Checks that did not run:"
        for skipped in report.skipped:
            yield f"  {_path(skipped.path)}: {skipped.code}: {skipped.reason}"
        yield ""

    def _summary(self, report: Report) -> str:
        counts = [_count(report.count(severity), severity.value) for severity in Severity]
        counts[-1] = f"{report.count(Severity.INFO):,} info"
        verdict = "no findings" if not report.diagnostics else ", ".join(counts)
        colour = "31" if report.count(Severity.ERROR) else "32"
        text = f"{_count(len(report.checked), 'KEP')} checked for {report.release}: "
        text += self._paint(verdict, colour)
        if report.skipped:
            how = "" if self.list_skipped else " (-v lists them)"
            text += f"; {_count(len(report.skipped), 'check')} did not run{how}"
        return text

    def _paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text


def _printable(text: str) -> str:
    """Keep control characters and endless values of a KEP from filling the reader's terminal."""
    shown = "".join(character if character.isprintable() else " " for character in text[:_LONGEST])
    return shown if len(text) <= _LONGEST else f"{shown}… ({len(text):,} characters)"


def _path(path: str) -> str:
    """Show a path's control characters, and bytes that are no UTF-8, as escapes."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in path)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
