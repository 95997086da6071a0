"""Reading a release's guide from the folder of its number beside this module."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from kep_validator.errors import UsageError
from kep_validator.releases.model import (
    PHASES,
    Demand,
    Freezes,
    Placeholder,
    Provenance,
    PrrApprovers,
    PrrQuestion,
    ReleaseGuide,
    TemplateSection,
)

_FOLDER = Path(__file__).parent
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FILES = ("release", "groups", "sections", "prr_questions", "placeholders")

_Data = dict[str, Any]


def known_releases() -> tuple[str, ...]:
    """Return the releases that have a guide, oldest first."""
    found = [folder.name for folder in _FOLDER.iterdir() if (folder / "release.yaml").is_file()]
    return tuple(sorted(found, key=lambda name: [int(part) for part in name.split(".")]))


@cache
def load_release(release: str) -> ReleaseGuide:
    """Return the guide of a release, given as `1.34` or `v1.34`.

    Raises:
        UsageError: no guide of this release is known.
    """
    name = release.strip().removeprefix("v")
    known = known_releases()
    if name not in known:
        remedy = f"use one of: {', '.join(known)}"
        raise UsageError(f"release {release!r}", "has no guideline data here", remedy)
    return _guide(name, {file: _read(_FOLDER / name / f"{file}.yaml") for file in _FILES})


def _read(path: Path) -> _Data:
    data = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 -- a safe loader
    if not isinstance(data, dict):
        raise ValueError(f"{path}: holds no mapping")
    return data


def _guide(name: str, files: Mapping[str, _Data]) -> ReleaseGuide:
    release, groups = files["release"], files["groups"]
    sections, questions, marks = files["sections"], files["prr_questions"], files["placeholders"]
    parts = _sections(sections)
    return ReleaseGuide(
        release=name,
        statuses=tuple(release["statuses"]),
        stages=tuple(release["stages"]),
        groups=frozenset(groups["groups"]),
        retired_groups=frozenset(groups["retired_groups"]),
        group_corrections=groups["group_corrections"],
        prr_approvers=PrrApprovers(
            frozenset(groups["prr_approvers"]["active"]),
            frozenset(groups["prr_approvers"]["emeritus"]),
        ),
        sections=parts,
        prr_questions=_questions(questions, parts),
        placeholders=_placeholders(marks),
        blank_fields=tuple(marks["blank_fields"]),
        template_values={key: tuple(values) for key, values in marks["template_values"].items()},
        template_lines=frozenset(marks["template_lines"].split()),
        freezes=Freezes(**release["freezes"]),
        provenance={
            datum: source for data in files.values() for datum, source in _sources(data).items()
        },
    )


def _sources(data: _Data) -> dict[str, Provenance]:
    return {datum: Provenance(**source) for datum, source in data["provenance"].items()}


def _demand(data: _Data) -> Demand:
    names = ("required_from", "expected_from", "encouraged_from")
    demand = Demand(**{name: data.get(name, "") for name in names})
    for phase in (demand.required_from, demand.expected_from, demand.encouraged_from):
        if phase and phase not in PHASES:
            raise ValueError(f"phase {phase!r} is none of {', '.join(PHASES)}")
    return demand


def _sections(data: _Data) -> tuple[TemplateSection, ...]:
    source = _sources(data)["sections"]
    return tuple(
        TemplateSection(
            title=item["title"],
            level=item["level"],
            parent=item.get("parent", ""),
            heading=_demand(item),
            content=_demand(item.get("content", item)),
            provenance=source,
            aliases=tuple(item.get("aliases", ())),
            prr=item.get("prr", False),
            container=item.get("container", False),
            keeps_template_text=item.get("keeps_template_text", False),
        )
        for item in data["sections"]
    )


def _questions(data: _Data, sections: tuple[TemplateSection, ...]) -> tuple[PrrQuestion, ...]:
    source = _sources(data)["prr_questions"]
    demands = {section.title: section.content for section in sections}
    return tuple(
        PrrQuestion(
            id=item["id"],
            section=item["section"],
            text=item["text"],
            answer=demands[item["section"]],
            provenance=source,
            aliases=tuple(item.get("aliases", ())),
        )
        for item in data["prr_questions"]
    )


def _placeholders(data: _Data) -> tuple[Placeholder, ...]:
    source = _sources(data)["placeholders"]
    return tuple(
        Placeholder(item["literal"], item.get("pattern", ".*"), item["remedy"], source)
        for item in data["placeholders"]
    )
