"""What the guidelines of one Kubernetes release ask of a KEP, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

PHASES = ("provisional", "alpha", "beta", "stable")
"""The steps of a KEP's life in the order in which the template asks for more content."""


class Need(StrEnum):
    """How much a section or an answer is asked for in one phase.

    Something required stops a KEP; something expected is asked for, but KEPs pass without it.
    """

    REQUIRED = "required"
    EXPECTED = "expected"
    ENCOURAGED = "encouraged"
    OPTIONAL = "optional"


@dataclass(frozen=True)
class Provenance:
    """Where a datum was read: a file of a repository at a commit.

    `date` is the day of the state that was read (ISO 8601); `note` says what the file alone
    does not.
    """

    repository: str
    file: str
    commit: str
    date: str
    note: str = ""


@dataclass(frozen=True)
class Demand:
    """From which phase on something is encouraged, expected or required; '' means never."""

    required_from: str = ""
    expected_from: str = ""
    encouraged_from: str = ""

    def at(self, phase: str) -> Need:
        """Return what is asked in `phase`, which is one of PHASES."""
        if _reached(self.required_from, phase):
            return Need.REQUIRED
        if _reached(self.expected_from, phase):
            return Need.EXPECTED
        return Need.ENCOURAGED if _reached(self.encouraged_from, phase) else Need.OPTIONAL


def _reached(start: str, phase: str) -> bool:
    return bool(start) and PHASES.index(phase) >= PHASES.index(start)


@dataclass(frozen=True)
class TemplateSection:
    """One heading of the README template.

    `parent` is the title of the heading above it ('' at the top), `aliases` are other wordings
    that reviewers accept, and `prr` marks the parts of the production readiness questionnaire.
    `content` says from when the section may not be left empty; `keeps_template_text` marks a
    section whose text in the template is meant to stay, and `container` one that only holds
    others.
    """

    title: str
    level: int
    parent: str
    heading: Demand
    content: Demand
    provenance: Provenance
    aliases: tuple[str, ...] = ()
    prr: bool = False
    container: bool = False
    keeps_template_text: bool = False


@dataclass(frozen=True)
class PrrQuestion:
    """One question of the production readiness questionnaire.

    `section` is the title of the template section that asks it; `aliases` are wordings of older
    templates.
    """

    id: str
    section: str
    text: str
    answer: Demand
    provenance: Provenance
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Placeholder:
    """Something of the template that an author has to replace.

    It is a line that holds `literal` and matches the regular expression `pattern` without the
    blanks around it; `remedy` says what to write instead.
    """

    literal: str
    pattern: str
    remedy: str
    provenance: Provenance


@dataclass(frozen=True)
class PrrApprovers:
    """Handles (without `@`) that may approve production readiness."""

    active: frozenset[str]
    emeritus: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        """Active and emeritus approvers: both keep an approval valid."""
        return self.active | self.emeritus


@dataclass(frozen=True)
class Freezes:
    """The release's calendar: ISO 8601 days, or times in UTC; '' when not set.

    `prr_freeze_hard` tells whether missing the production readiness freeze needs an exception.
    """

    cycle_start: str
    prr_freeze: str
    prr_freeze_hard: bool
    enhancements_freeze: str
    code_freeze: str
    test_freeze: str
    docs_freeze: str
    released: str


@dataclass(frozen=True, eq=False)
class ReleaseGuide:
    """All that the rules know of one release; a guide is equal only to itself.

    `groups` may own or take part in a KEP; `retired_groups` once could, and
    `group_corrections` maps a name seen in KEPs to the group that was meant. `template_values`
    maps a key of kep.yaml to the values the template ships, none of which may stay.
    `template_lines` holds digests of the README template's lines, and `provenance` names the
    source of each datum that carries none itself.
    """

    release: str
    statuses: tuple[str, ...]
    stages: tuple[str, ...]
    groups: frozenset[str]
    retired_groups: frozenset[str]
    group_corrections: Mapping[str, str]
    prr_approvers: PrrApprovers
    sections: tuple[TemplateSection, ...]
    prr_questions: tuple[PrrQuestion, ...]
    placeholders: tuple[Placeholder, ...]
    blank_fields: tuple[str, ...]
    template_values: Mapping[str, tuple[str, ...]]
    template_lines: frozenset[str]
    freezes: Freezes
    provenance: Mapping[str, Provenance]

    @property
    def version(self) -> tuple[int, int]:
        """The release as numbers, such as (1, 34)."""
        major, _, minor = self.release.partition(".")
        return int(major), int(minor)
