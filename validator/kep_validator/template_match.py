"""Which headings of a README are which sections and questions of the template."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from kep_validator.markdown_source import MarkdownDocument, Section
from kep_validator.releases.model import PrrQuestion, ReleaseGuide, TemplateSection
from kep_validator.titles import plain_title, same_but_for_typos, title_key

# Long enough that no other question begins alike (checked besides).
_SHORTEST_BEGINNING = 25
_SEPARATORS = re.compile(r"\s+(?:and|for|of)\s+|\s*[&:/,]\s*|\s+-\s+", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class TemplateMatch:
    """The sections of a README by the template's titles and the questions' ids.

    Each tuple is in the order of the text, but the section that stands where the template has it
    comes first. `strangers` are the sections that are neither, and `nested` the keys of headings
    inside lists and quotations.
    """

    sections: dict[str, tuple[Section, ...]]
    questions: dict[str, tuple[Section, ...]]
    strangers: tuple[Section, ...]
    nested: frozenset[str] = field(default=frozenset())

    def section(self, title: str) -> Section | None:
        """Return the README's section of this template title, None when it is missing."""
        return next(iter(self.sections.get(title, ())), None)

    def lines_of_template(self) -> frozenset[int]:
        """Return the lines of all headings that the template has too."""
        groups = (*self.sections.values(), *self.questions.values())
        return frozenset(section.heading.span.line for group in groups for section in group)


@lru_cache(maxsize=4)
def match_template(document: MarkdownDocument, guide: ReleaseGuide) -> TemplateMatch:
    """Match the headings of a README with the template of a release.

    Levels do not count. A title counts when it is the template's but for case, punctuation and
    '(Optional)'; where none does, one of its other wordings counts, then one with a slip, and at
    last a title that says more: `Summary and Motivation`, `Proposal for snapshots`.
    """
    by_key: dict[str, list[Section]] = {}
    for section in document.sections:
        by_key.setdefault(section.key, []).append(section)
    taken: set[str] = set()
    sections = _exact(guide.sections, by_key, taken)
    questions = _exact(guide.prr_questions, by_key, taken)
    _other_wordings(guide.sections, sections, by_key, taken)
    _other_wordings(guide.prr_questions, questions, by_key, taken)
    _slips(guide.sections, sections, by_key, taken)
    _slips(guide.prr_questions, questions, by_key, taken)
    _beginnings(guide.prr_questions, questions, by_key, taken)
    _wider_titles(guide.sections, sections, document.sections, taken)
    parents = {item.title: item.parent for item in guide.sections}
    for title, found in sections.items():
        sections[title] = _in_place_first(found, parents[title])
    strangers = tuple(section for section in document.sections if section.key not in taken)
    nested = frozenset(heading.key for heading in document.headings if heading.nested)
    return TemplateMatch(sections, questions, strangers, nested)


_Item = TemplateSection | PrrQuestion
_Found = dict[str, tuple[Section, ...]]


def _name(item: _Item) -> str:
    return item.id if isinstance(item, PrrQuestion) else item.title


def item_key(item: _Item) -> str:
    """Return the key of a template section's or question's own wording."""
    return title_key(item.text if isinstance(item, PrrQuestion) else item.title)


def _exact(items: Iterable[_Item], by_key: dict[str, list[Section]], taken: set[str]) -> _Found:
    found = {}
    for item in items:
        key = item_key(item)
        if key in by_key:
            taken.add(key)
            found[_name(item)] = tuple(by_key[key])
    return found


def _other_wordings(
    items: Iterable[_Item], found: _Found, by_key: dict[str, list[Section]], taken: set[str]
) -> None:
    for item in items:
        if _name(item) in found:
            continue
        for alias in item.aliases:
            key = title_key(alias)
            if key in by_key and key not in taken:
                taken.add(key)
                found[_name(item)] = tuple(by_key[key])
                break


def _slips(
    items: Iterable[_Item], found: _Found, by_key: dict[str, list[Section]], taken: set[str]
) -> None:
    for item in items:
        if _name(item) in found:
            continue
        wanted = item_key(item)
        for key, sections in by_key.items():
            if key not in taken and same_but_for_typos(wanted, key):
                taken.add(key)
                found[_name(item)] = tuple(sections)
                break


def _beginnings(
    items: Sequence[PrrQuestion], found: _Found, by_key: dict[str, list[Section]], taken: set[str]
) -> None:
    """Accept a question of which the end was cut off or to which something was added."""
    for key, sections in by_key.items():
        if key in taken or len(key) < _SHORTEST_BEGINNING:
            continue
        alike = [item for item in items if begins_alike(key, item_key(item))]
        if len(alike) == 1 and alike[0].id not in found:
            taken.add(key)
            found[alike[0].id] = tuple(sections)


def _wider_titles(
    items: Iterable[TemplateSection], found: _Found, sections: Sequence[Section], taken: set[str]
) -> None:
    missing = {title_key(item.title): item.title for item in items if item.title not in found}
    for section in sections if missing else ():
        if section.key in taken:
            continue
        parts = _SEPARATORS.split(plain_title(section.heading.markdown))
        keys = {title_key(part) for part in parts} if len(parts) > 1 else set()
        for key in keys & missing.keys():
            found.setdefault(missing[key], (section,))


def begins_alike(key: str, wanted: str) -> bool:
    """Whether one of two keys is the beginning of the other, and long enough to tell."""
    shortest = min(len(key), len(wanted))
    return shortest >= _SHORTEST_BEGINNING and key[:shortest] == wanted[:shortest]


def _in_place_first(found: tuple[Section, ...], parent: str) -> tuple[Section, ...]:
    if len(found) < 2 or not parent:
        return found
    wanted = title_key(parent)

    def is_elsewhere(section: Section) -> bool:
        above = section.parent
        while above and above.key != wanted:
            above = above.parent
        return above is None

    return tuple(sorted(found, key=is_elsewhere))
