"""Where a KEP's metadata stand in a file: between `---` lines, or everywhere."""

from __future__ import annotations

from dataclasses import dataclass

from kep_validator.source import Source
from kep_validator.yaml_source import YamlDocument

REQUIRED_KEYS = ("title", "kep-number", "authors", "owning-sig", "approvers", "status")


@dataclass(frozen=True)
class FrontMatter:
    """Metadata lines of a single-file KEP, and the line on which its Markdown begins."""

    first_line: int
    last_line: int
    body_line: int


def find_front_matter(source: Source) -> FrontMatter | None:
    """Return where the front matter stands; None when the file does not start with `---`.

    A block that is never closed reaches to the end of the file.
    """
    lines = source.lines
    first = next((n for n, line in enumerate(lines, 1) if line.strip()), 0)
    if not first or lines[first - 1].rstrip() != "---":
        return None
    for number in range(first + 1, len(lines) + 1):
        if lines[number - 1].rstrip() == "---":
            return FrontMatter(first + 1, number - 1, number + 1)
    return FrontMatter(first + 1, len(lines), len(lines) + 1)


def separator_lines(source: Source) -> list[int]:
    """Return the lines that upstream takes for separators: all that hold `---` anywhere."""
    if "---" not in source.text:
        return []
    return [number for number, line in enumerate(source.lines, 1) if "---" in line]


def lines_upstream_reads(source: Source) -> list[int]:
    """Return the lines of a kep.yaml that upstream reads as metadata.

    Follows KEPHandler.Parse in api/proposal.go: each line that holds `---` is dropped and
    counted; metadata are the lines after the first and before the second one, or all lines when
    there is none.
    """
    separators = separator_lines(source)
    if not separators:
        return list(range(1, len(source.lines) + 1))
    end = separators[1] if len(separators) > 1 else len(source.lines) + 1
    return list(range(separators[0] + 1, end))


def lost_lines(source: Source) -> list[int]:
    """Return lines with content that upstream does not read, though they are in the file."""
    kept = set(lines_upstream_reads(source))
    separators = set(separator_lines(source))
    return [
        number
        for number, line in enumerate(source.lines, 1)
        if number not in kept
        and line.strip()
        and not line.lstrip().startswith("#")
        and not (number in separators and line.strip() == "---")
    ]


def upstream_is_misled(source: Source) -> bool:
    """Whether separators make upstream lose metadata that it cannot do without."""
    return bool(separator_lines(source)) and not _complete(_as_upstream_reads(source))


def parse_metadata(source: Source) -> YamlDocument:
    """Read a kep.yaml as upstream does, or as it was meant where upstream is misled.

    A stray `---`, in a comment for example, makes upstream lose all lines before it. One finding
    then says so, and the other checks go on with what the author wrote.
    """
    if not separator_lines(source):
        return YamlDocument.parse(source)
    seen = _as_upstream_reads(source)
    return seen if _complete(seen) else YamlDocument.parse(source)


def _as_upstream_reads(source: Source) -> YamlDocument:
    return YamlDocument.parse_lines(source, lines_upstream_reads(source))


def _complete(document: YamlDocument) -> bool:
    return not document.errors and all(document.get(key) not in (None, "") for key in REQUIRED_KEYS)
