"""Validate a KEP's text before it is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from kep_validator.diagnostics import Diagnostic, Severity

# Validates the README given as bytes (or the one on the disk, for None) of the KEP at a path.
Validate = Callable[[Path, bytes | None], list[Diagnostic]]


def validate_with_readme(kep: Path, readme: bytes | None = None) -> list[Diagnostic]:
    """Return the errors of the KEP in the folder `kep`, with `readme` in its README's place.

    Raises:
        KepValidateError: nothing there is a KEP.
    """
    from kep_validator.api import DEFAULT_RELEASE
    from kep_validator.document import Form
    from kep_validator.engine import check_kep
    from kep_validator.finding import Location
    from kep_validator.loading import load_kep
    from kep_validator.markdown_source import MarkdownDocument
    from kep_validator.releases.loading import load_release
    from kep_validator.source import Source

    loaded = load_kep(Location(kep, Form.DIRECTORY))
    if readme is not None:
        source = Source.from_bytes(str(kep / "README.md"), readme)
        loaded = replace(loaded, readme=MarkdownDocument.parse(source))
    outcome = check_kep(loaded, load_release(DEFAULT_RELEASE))
    return [found for found in outcome.diagnostics if found.severity is Severity.ERROR]


def validate_single_file(path: Path, data: bytes) -> list[Diagnostic]:
    """Return the errors of a KEP in one file, whose content `data` is to stand at `path`."""
    from kep_validator.api import DEFAULT_RELEASE
    from kep_validator.document import Form, Kep
    from kep_validator.engine import check_kep
    from kep_validator.front_matter import find_front_matter
    from kep_validator.markdown_source import MarkdownDocument
    from kep_validator.releases.loading import load_release
    from kep_validator.source import Source
    from kep_validator.yaml_source import YamlDocument

    source = Source.from_bytes(str(path), data)
    block = find_front_matter(source)
    assert block is not None, "an export begins with its front matter"
    kep = Kep(
        name=str(path),
        form=Form.SINGLE_FILE,
        metadata=YamlDocument.parse(source, block.first_line, block.last_line),
        readme=MarkdownDocument.parse(source, block.body_line),
        metadata_path=str(path),
        readme_path=str(path),
    )
    outcome = check_kep(kep, load_release(DEFAULT_RELEASE))
    return [found for found in outcome.diagnostics if found.severity is Severity.ERROR]


def new_errors(before: list[Diagnostic], after: list[Diagnostic]) -> list[Diagnostic]:
    """Return the errors that `before` does not have; lines may have moved and do not count."""
    known = Counter((found.code, found.message) for found in before)
    fresh = []
    for found in after:
        key = (found.code, found.message)
        if known[key]:
            known[key] -= 1
        else:
            fresh.append(found)
    return fresh
