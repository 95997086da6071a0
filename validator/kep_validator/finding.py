"""Finding the KEPs below a path."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kep_validator.document import Form, Unreadable
from kep_validator.errors import InputError
from kep_validator.front_matter import find_front_matter
from kep_validator.source import Source

METADATA_NAME = "kep.yaml"
README_NAME = "README.md"
PROD_READINESS = "prod-readiness"
_YAML = (".yaml", ".yml")
_PEEK = 4096


@dataclass(frozen=True, slots=True)
class Location:
    """Where one KEP was found: its directory, or its only file."""

    path: Path
    form: Form


@dataclass
class Found:
    """The KEPs below a path in the order of their paths, and what could not be looked into."""

    locations: list[Location] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)


def find_keps(path: Path) -> Found:
    """Find the KEPs at or below `path`.

    Raises:
        InputError: nothing is there, or nothing there is a KEP.
    """
    try:
        if path.is_dir():
            return _in_directory(path)
        if path.is_file():
            return Found([Location(path, _form_of_file(path))])
        if path.exists():
            remedy = "save what it gives to a .md or .yaml file, and give that"
            raise InputError(str(path), "is a pipe, a socket or a device", remedy)
    except OSError as error:
        raise _unreadable(path, error) from error
    raise InputError(str(path), "does not exist", "check the path for a typing error")


def _form_of_file(path: Path) -> Form:
    suffix = path.suffix.lower()
    if suffix in _YAML:
        if PROD_READINESS in path.absolute().parts:
            problem = "is a production readiness file, which belongs to a KEP"
            raise InputError(str(path), problem, "give the KEP's directory; this file is read too")
        return Form.METADATA_FILE
    if suffix == ".md":
        if find_front_matter(Source.read(path)) is None and path.stem.lower() == "readme":
            return Form.README_FILE
        return Form.SINGLE_FILE
    problem = "is neither a YAML nor a Markdown file"
    raise InputError(str(path), problem, "give a KEP directory, a kep.yaml or a .md file")


def _in_directory(path: Path) -> Found:
    names = _names(path)
    if METADATA_NAME in names:
        return Found([Location(path, Form.DIRECTORY)])
    found = Found()
    _walk(path, names, "keps" in path.absolute().parts, found)
    if not found.locations and README_NAME in names:
        readme = path / README_NAME
        if _has_kep_front_matter(readme):
            return Found([Location(readme, Form.SINGLE_FILE)])
        return Found([Location(path, Form.DIRECTORY)], found.unreadable)
    if not found.locations and not found.unreadable:
        raise InputError(str(path), "holds no KEP", "give a folder that holds a kep.yaml below it")
    return found


def _walk(path: Path, names: set[str], below_keps: bool, found: Found) -> None:
    """Look through one folder that is no KEP itself; symbolic links are not followed."""
    for entry in sorted(_entries(path), key=lambda entry: entry.name):
        child = path / entry.name
        if entry.is_dir(follow_symlinks=False):
            if not entry.name.startswith(".") and entry.name != PROD_READINESS:
                _enter(child, below_keps, found)
        elif child.suffix == ".md" and not entry.is_symlink() and _has_kep_front_matter(child):
            found.locations.append(Location(child, Form.SINGLE_FILE))


def _enter(path: Path, below_keps: bool, found: Found) -> None:
    try:
        names = _names(path)
        readme_alone = below_keps and README_NAME in names
        if METADATA_NAME in names or (
            readme_alone and not _has_kep_front_matter(path / README_NAME)
        ):
            found.locations.append(Location(path, Form.DIRECTORY))
        if METADATA_NAME not in names:
            _walk(path, names, below_keps or path.name == "keps", found)
    except OSError as error:
        found.unreadable.append(Unreadable(str(path), error.strerror or type(error).__name__))


def _has_kep_front_matter(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            start = file.read(_PEEK)
    except OSError:
        return False
    return start.lstrip(b"\xef\xbb\xbf\r\n ").startswith(b"---") and b"owning-sig:" in start


def _entries(path: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(path) as entries:
        yield from entries


def _names(path: Path) -> set[str]:
    return {entry.name for entry in _entries(path)}


def _unreadable(path: Path, error: OSError) -> InputError:
    reason = error.strerror or type(error).__name__
    return InputError(str(path), f"cannot be read: {reason}", "check the path and its permissions")
