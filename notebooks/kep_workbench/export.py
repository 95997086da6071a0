"""Write a KEP as one file with front matter, the form KEPs had before they had folders.

Upstream's reader of that form (KEPHandler.Parse in api/proposal.go) takes every line that holds
`---` anywhere for a separator and drops it: metadata are the lines between the first and the
second. So the metadata must hold no `---`, comments included. In the body such lines (rules,
the second lines of tables) do no harm: they are all behind the second separator, the file
keeps them, and the reader makes nothing of a body.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

from kep_validator.errors import KepValidateError
from kep_validator.front_matter import find_front_matter, parse_metadata
from kep_validator.source import Source
from kep_validator.yaml_faults import Fault
from kep_validator.yaml_source import YamlDocument
from kep_workbench.errors import InputError, UsageError
from kep_workbench.evidence_records import Refusal, RefusedError
from kep_workbench.files import write_atomically
from kep_workbench.kep_check import new_errors, validate_single_file, validate_with_readme
from kep_workbench.links import rebase_links
from kep_workbench.splice import content_digest

_SEPARATOR = "---"
_DASHES = re.compile(r"-{3,}")
_MARK = re.compile(r'<!-- kepler export of (?P<kep>.*?)(?: digest="(?P<digest>[^"]*)")? -->')
# The buffer of the scanner in upstream's reader; it also reads the body's lines.
_NUMBER = re.compile(r"[0-9]{1,20}")
_LONGEST_LINE = 65_535


@dataclass(frozen=True)
class Export:
    """An export: its text, its place, and the errors the KEP has in any form."""

    path: Path
    data: bytes
    known_errors: int

    @property
    def is_current(self) -> bool:
        """Whether the file at `path` is this export already."""
        return self.path.is_file() and self.path.read_bytes() == self.data


def make_export(kep: Path, output: Path | None = None) -> Export:
    """Make the single-file form of the KEP in the folder `kep`; write nothing.

    `output` is where it is to stand (`kep-<number>.md` here by default): relative links are
    adjusted to it.

    Raises:
        InputError: a file is missing, or the metadata cannot be put between separators.
        RefusedError: the single file would have errors that the folder has not.
    """
    metadata = _read(kep / "kep.yaml")
    readme = _read(kep / "README.md")
    if find_front_matter(readme) is not None:
        remedy = "validate it as it is: it is a KEP in one file already"
        raise InputError(readme.path, "has front matter of its own", remedy)
    lines = metadata_lines(metadata)
    number = parse_metadata(metadata).text("kep-number")
    if output is None and not _NUMBER.fullmatch(number or ""):
        # Anything else could name a file elsewhere.
        remedy = "give the file's name: --output FILE"
        raise InputError(metadata.path, "has no kep-number to name the file by", remedy)
    path = output or Path(f"kep-{number}.md")
    _refuse_parts(kep, path)
    body = rebase_links(readme.text, kep, path)
    data = _compose(lines, body, kep).encode()
    _refuse_long_lines(data, path)
    return Export(path, data, _validate(kep, path, data))


def _validate(kep: Path, path: Path, data: bytes) -> int:
    """Refuse errors that only the single file has; return how many the folder has too."""
    before = validate_with_readme(kep)
    found = new_errors(before, validate_single_file(path, data))
    if found:
        raise RefusedError(
            Refusal(
                f"{error.span.path}:{error.span.line}: {error.code}",
                f"in the form of one file the KEP has an error: {error.message}",
                error.help or "mend it in the KEP's folder",
            )
            for error in found
        )
    return len(before)


def write_export(export: Export, force: bool = False) -> None:
    """Write an export; only an export that nobody edited is replaced, unless `force`.

    Raises:
        RefusedError: another file is there, or an export that was edited.
        InputError: the file cannot be written.
    """
    if export.path.exists() and not force:
        problem = _why_not_replaced(export.path)
        if problem:
            remedy = "move it away, choose another --output, or replace it with --force"
            raise RefusedError([Refusal(str(export.path), problem, remedy)])
    write_atomically(export.path, export.data)


def metadata_lines(source: Source) -> list[str]:
    """Return the lines of a kep.yaml without any `---`.

    A document's start is left out with the directives before it, and dashes in comments are
    shortened.

    Raises:
        InputError: it is not YAML, holds several documents, or a value holds `---`.
    """
    _refuse_broken(source)
    starts, values = _scan(source)
    lines = list(source.lines)
    offset = 0
    for index, line in enumerate(source.lines):
        if starts and index == starts[0]:
            head = [text for text in source.lines[:index] if not text.startswith("%")]
            lines[:index] = head + [""] * (index - len(head))
            lines[index] = re.sub(r"^---\s*", "", line)
        for match in _DASHES.finditer(lines[index]):
            place = offset + match.start()
            if any(start <= place < end for start, end in values):
                problem = "holds --- in a value; upstream's reader would lose the fields before it"
                raise InputError(f"{source.path}:{index + 1}", problem, "write it without ---")
        lines[index] = _DASHES.sub("--", lines[index])
        offset += len(line) + 1
    return _trimmed(lines)


def _refuse_broken(source: Source) -> None:
    """Leave what is no YAML, or nested without end, to the validator's quick parser."""
    document = YamlDocument.parse(source)
    error = next((each for each in document.errors if each.kind is Fault.SYNTAX), None)
    if document.broken and error:
        problem = f"is not YAML: {error.message.removeprefix('not valid YAML: ')}"
        raise InputError(f"{source.path}:{error.span.line}", problem, error.help)


def _scan(source: Source) -> tuple[list[int], list[tuple[int, int]]]:
    """Lines (from 0) on which documents start, and the stretches of text that are values."""
    starts: list[int] = []
    values: list[tuple[int, int]] = []
    documents = 0
    try:
        for event in yaml.parse(source.text):
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                assert event.start_mark is not None
                if event.explicit:
                    # The event begins with the document's directives.
                    starts.append(_next_separator(source.lines, event.start_mark.line))
            elif isinstance(event, yaml.ScalarEvent):
                assert event.start_mark is not None
                assert event.end_mark is not None
                values.append((event.start_mark.index, event.end_mark.index))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{source.path}:{mark.line + 1}" if mark else source.path
        problem = f"is not YAML: {getattr(error, 'problem', None) or error}"
        raise InputError(place, problem, "see kepler validate") from error
    if documents > 1:
        place = f"{source.path}:{starts[-1] + 1}"
        raise InputError(place, "a second YAML document begins", "leave one document")
    return starts, values


def _next_separator(lines: list[str], index: int) -> int:
    while not lines[index].startswith(_SEPARATOR):
        index += 1
    return index


def _trimmed(lines: list[str]) -> list[str]:
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    return lines


def _compose(metadata: list[str], body: str, kep: Path) -> str:
    """Put the parts together; the body stays as it is, even without a last line end.

    (mdtoc reads a comment that ends the file otherwise when a line end follows it.)
    """
    name = kep.resolve().name.replace("--", "-")
    mark = f"<!-- kepler export of {name}/kep.yaml and README.md: edit those, then export again"
    head = "\n".join([_SEPARATOR, *metadata, _SEPARATOR, ""])
    digest = content_digest(f"{head}{mark} -->\n\n{body}")
    return f'{head}{mark} digest="{digest}" -->\n\n{body}'


def _why_not_replaced(path: Path) -> str:
    """Say why the file at `path` must not be replaced; '' when it is an unedited export."""
    if not path.is_file():
        return "is there and is no file"
    text = path.read_bytes().decode("utf-8", "replace")
    mark = _MARK.search(text)
    if mark is None:
        return "is there and is no export"
    bare = text[: mark.start("digest") - len(' digest="')] + text[mark.end("digest") + 1 :]
    if mark["digest"] is None or content_digest(bare) != mark["digest"]:
        return "is an export that was edited"
    return ""


def _refuse_parts(kep: Path, path: Path) -> None:
    parts = [(kep / name).resolve() for name in ("README.md", "kep.yaml")]
    if path.resolve() in parts:
        raise UsageError(f"--output {path}", "is a part of the KEP itself", "choose another name")


def _refuse_long_lines(data: bytes, path: Path) -> None:
    for number, line in enumerate(data.split(b"\n"), 1):
        if len(line) > _LONGEST_LINE:
            problem = f"the line is {len(line)} bytes long; upstream reads {_LONGEST_LINE} at most"
            raise InputError(f"{path}:{number}", problem, "wrap it in README.md")


def _read(path: Path) -> Source:
    try:
        source = Source.read(path)
    except KepValidateError as error:
        remedy = "give the folder of a KEP with kep.yaml and README.md"
        raise InputError(error.place, error.problem, remedy) from error
    if source.bad_encoding:
        place = f"{path}:{source.bad_encoding.line}"
        raise InputError(place, "is not UTF-8", "save it as UTF-8")
    return source
