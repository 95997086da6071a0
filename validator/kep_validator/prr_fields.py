"""Options and fields within an answer: `- [x] Metrics` and below it `- Metric name:`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from kep_validator.markdown_source import says_something

if TYPE_CHECKING:
    from kep_validator.prr_answers import Answer
    from kep_validator.releases.model import ReleaseGuide

_BOX = re.compile(r"\s*(?:[-*+]\s+)?\[([ xX]?)\](?![(\[])")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s")


@dataclass(frozen=True, slots=True)
class BlankFields:
    """Blank fields of one option: `index` is the first one's line within the answer.

    `option_ticked` is None when the fields stand below no option.
    """

    index: int
    names: tuple[str, ...]
    option_ticked: bool | None


def is_ticked(line: str) -> bool | None:
    """Whether the box at the start of a line is ticked, None when there is no box."""
    match = _BOX.match(line)
    return match[1].lower() == "x" if match else None


def blank_fields(answer: Answer, guide: ReleaseGuide) -> list[BlankFields]:
    """Return the fields of the template that have nothing behind them, grouped by option."""
    pattern = _pattern(guide.blank_fields)
    groups: dict[int, list[tuple[int, str]]] = {}
    ticked: dict[int, bool | None] = {-1: None}
    option = -1
    for index, line in enumerate(answer.visible):
        box = is_ticked(line)
        if box is not None:
            option = index
            ticked[index] = box
        match = pattern.match(line) if ":" in line else None
        if match and not _goes_on(answer.visible, index):
            groups.setdefault(option, []).append((index, match[1]))
    return [
        BlankFields(found[0][0], tuple(name for _, name in found), ticked[option])
        for option, found in groups.items()
    ]


def _goes_on(lines: Sequence[str], index: int) -> bool:
    """Whether the field's value follows on the next line: text, or a deeper list item."""
    indent = _indent(lines[index])
    for line in lines[index + 1 :]:
        if says_something(line):
            return _indent(line) > indent or not (_ITEM.match(line) or _BOX.match(line))
    return False


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


@lru_cache(maxsize=4)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    any_name = "|".join(re.escape(name) for name in names)
    return re.compile(rf"\s*(?:[-*+]\s+)?(?:\[[ xX]?\]\s+)?[*_`]*({any_name})\s*:[*_`\s]*\Z", re.I)
