"""A file's text with its line ends, and the spans that diagnostics point at."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from kep_validator.errors import InputError


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of one file. Lines and columns count from 1; the end column is exclusive."""

    path: str
    line: int
    column: int = 1
    end_line: int = 0
    end_column: int = 0

    def __post_init__(self) -> None:
        if self.end_line < self.line:
            object.__setattr__(self, "end_line", self.line)
        if self.end_line == self.line and self.end_column < self.column:
            object.__setattr__(self, "end_column", self.column)


@dataclass(frozen=True)
class Source:
    """The text of one file as it was read.

    `path` is how the user named the file and is what diagnostics print. `text` has its line
    ends as `\\n` whatever the file has; `newline` is the file's own line end (`\\n`, `\\r\\n` or
    `\\r`), and `has_bom` tells whether a UTF-8 byte order mark was dropped, so that a writer can
    restore both. `bad_encoding` points at the first byte that is not UTF-8 (the text then holds
    U+FFFD in its place).
    """

    path: str
    text: str
    newline: str = "\n"
    has_bom: bool = False
    bad_encoding: Span | None = field(default=None)

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends; line n is `lines[n - 1]`."""
        return self.text.split("\n")

    def span(self, line: int, column: int = 1, end_line: int = 0, end_column: int = 0) -> Span:
        """Return a span of this file."""
        return Span(self.path, line, column, end_line, end_column)

    @classmethod
    def from_bytes(cls, path: str, data: bytes) -> Source:
        """Decode `data`; never raises."""
        has_bom = data.startswith(b"\xef\xbb\xbf")
        if has_bom:
            data = data[3:]
        bad: Span | None = None
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            before = data[: error.start].decode("utf-8", "replace")
            normal = before.replace("\r\n", "\n").replace("\r", "\n")
            line, column = normal.count("\n") + 1, len(normal) - normal.rfind("\n")
            bad = Span(path, line, column, line, column + 1)
            text = data.decode("utf-8", "replace")
        newline = "\n"
        if "\r" in text:
            newline = "\r\n" if "\r\n" in text else "\r"
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return cls(path, text, newline, has_bom, bad)

    @classmethod
    def read(cls, path: Path, shown_as: str | None = None) -> Source:
        """Read a file.

        Raises:
            InputError: the file is missing, is a folder or cannot be read.
        """
        name = shown_as or str(path)
        try:
            if path.exists() and not (path.is_file() or path.is_dir()):
                # Reading a pipe or a terminal would wait for a writer that may never come.
                remedy = "give a file; a pipe or a device is not read"
                raise InputError(name, "is a pipe, a socket or a device", remedy)
            return cls.from_bytes(name, path.read_bytes())
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise InputError(
                name, f"cannot be read: {reason}", "check the path and its permissions"
            ) from error


def read_if_possible(path: str) -> Source | None:
    """Read a file that a report names; None when it is not there or cannot be read."""
    try:
        return Source.read(Path(path))
    except InputError:
        return None
