"""Telling an author's own text from the template's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from zlib import crc32

from kep_validator.markdown_source import says_something
from kep_validator.releases.model import ReleaseGuide

_OTHER = re.compile(r"[^a-z0-9]+")
_SHORTEST = 4
_PUT_OFF = re.compile(r"(?:tbd|todo|to be (?:done|determined|decided|added|filled in))\.?\Z", re.I)
_MARKS = "-*+> \t_`.:[](){}|"


class Content(StrEnum):
    """What a stretch of a README holds."""

    OWN = "text of its own"
    EMPTY = "nothing"
    COMMENT = "only comments"
    TEMPLATE = "only text of the template"
    PUT_OFF = "only a note that it is to be done"


def line_digest(line: str) -> str:
    """Return the digest under which release data list a line of the template; '' for a short one.

    Blanks, punctuation and case do not count.
    """
    plain = _OTHER.sub(" ", line.lower()).strip()
    if len(plain) < _SHORTEST:
        return ""
    # Chance decides here, no attacker; and hashlib takes longer to import than all lines to check.
    return f"{crc32(plain.encode()):08x}"


def content_of(visible: Sequence[str], written: Sequence[str], guide: ReleaseGuide) -> Content:
    """Tell what lines hold, given as a reader sees them and as they are written."""
    said = [line for line in visible if says_something(line)]
    if not said:
        return Content.COMMENT if any(says_something(line) for line in written) else Content.EMPTY
    if len(said) == 1 and _PUT_OFF.match(said[0].strip(_MARKS)):
        return Content.PUT_OFF
    if all(_is_of_template(line, guide) for line in said):
        return Content.TEMPLATE
    return Content.OWN


def _is_of_template(line: str, guide: ReleaseGuide) -> bool:
    digest = line_digest(line)
    return digest in guide.template_lines if digest else not any(map(str.isalnum, line))
