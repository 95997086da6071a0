"""The data of each release are complete, say where they come from, and load fast."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from kep_validator.errors import UsageError
from kep_validator.releases import loading
from kep_validator.releases.loading import known_releases, load_release
from kep_validator.releases.model import PHASES, Demand, Need, Provenance

RELEASES = known_releases()
PERSON = re.compile(r"[a-z0-9][a-z0-9-]*")


def test_known_releases() -> None:
    assert "1.34" in RELEASES
    assert list(RELEASES) == sorted(RELEASES, key=lambda name: [int(x) for x in name.split(".")])


@pytest.mark.parametrize("spelling", ["1.34", "v1.34", " 1.34 "])
def test_spellings(spelling: str) -> None:
    guide = load_release(spelling)
    assert (guide.release, guide.version) == ("1.34", (1, 34))


@pytest.mark.parametrize("unknown", ["1.99", "", "latest", "../1.34", "1.34/", "vv1.34"])
def test_an_unknown_release_names_the_known_ones(unknown: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_release(unknown)
    assert "1.34" in caught.value.remedy
    assert repr(unknown) in caught.value.place


@pytest.mark.parametrize("release", RELEASES)
def test_every_datum_has_a_source(release: str) -> None:
    guide = load_release(release)
    sources = [
        *guide.provenance.values(),
        *(item.provenance for item in guide.sections),
        *(item.provenance for item in guide.prr_questions),
        *(item.provenance for item in guide.placeholders),
    ]
    for source in sources:
        assert isinstance(source, Provenance)
        assert re.fullmatch(r"kubernetes/[a-z-]+", source.repository)
        assert source.file
        assert re.fullmatch(r"[0-9a-f]{8,40}", source.commit)
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", source.date)
    named = {
        "statuses", "stages", "freezes", "groups", "retired_groups", "group_corrections",
        "prr_approvers", "template_lines", "template_values", "blank_fields",
    }  # fmt: skip
    assert named <= guide.provenance.keys()


@pytest.mark.parametrize("release", RELEASES)
def test_data_hang_together(release: str) -> None:
    guide = load_release(release)
    titles = [section.title for section in guide.sections]
    assert len(set(titles)) == len(titles)
    for section in guide.sections:
        assert section.parent == "" or titles.index(section.parent) < titles.index(section.title)
        assert 2 <= section.level <= 6
    assert {question.section for question in guide.prr_questions} == {
        section.title for section in guide.sections if section.prr
    }
    assert len({question.id for question in guide.prr_questions}) == len(guide.prr_questions)
    assert set(guide.group_corrections.values()) <= guide.groups
    assert not guide.retired_groups & guide.groups
    assert guide.prr_approvers.active and not (
        guide.prr_approvers.active & guide.prr_approvers.emeritus
    )
    assert all(PERSON.fullmatch(name) for name in guide.prr_approvers.all)
    for placeholder in guide.placeholders:
        re.compile(placeholder.pattern)
    days = guide.freezes
    order = [days.cycle_start, days.prr_freeze, days.enhancements_freeze, days.code_freeze]
    assert order == sorted(order) and days.code_freeze < days.released


def test_what_1_34_asks() -> None:
    guide = load_release("1.34")
    required = {
        phase: [s.title for s in guide.sections if s.heading.at(phase) is Need.REQUIRED]
        for phase in PHASES
    }
    assert required["provisional"] == ["Summary", "Motivation"]
    assert [len(required[phase]) for phase in PHASES] == [2, 21, 26, 26]
    asked = {
        phase: sum(q.answer.at(phase) is Need.REQUIRED for q in guide.prr_questions)
        for phase in PHASES
    }
    assert asked == {"provisional": 0, "alpha": 5, "beta": 25, "stable": 25}
    assert guide.freezes.enhancements_freeze == "2025-06-20T21:00Z"
    assert "sig-scheduling" in guide.groups and "wg-multitenancy" in guide.retired_groups
    assert len(guide.template_lines) > 300


@pytest.mark.parametrize(
    ("demand", "needs"),
    [
        (Demand(), "oooo"),
        (Demand(required_from="provisional"), "rrrr"),
        (Demand(required_from="beta", encouraged_from="alpha"), "oerr"),
        (Demand(expected_from="alpha"), "oxxx"),
    ],
)
def test_demands_grow_with_the_phase(demand: Demand, needs: str) -> None:
    letters = {"r": Need.REQUIRED, "x": Need.EXPECTED, "e": Need.ENCOURAGED, "o": Need.OPTIONAL}
    assert [demand.at(phase) for phase in PHASES] == [letters[letter] for letter in needs]


def test_a_misspelt_phase_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "1.34"
    folder.mkdir()
    for file in (Path(loading.__file__).parent / "1.34").glob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        changed = text.replace("required_from: beta", "required_from: betta", 1)
        (folder / file.name).write_text(changed, encoding="utf-8")
    monkeypatch.setattr(loading, "_FOLDER", tmp_path)
    load_release.cache_clear()
    try:
        with pytest.raises(ValueError, match="betta"):
            load_release("1.34")
    finally:
        load_release.cache_clear()


def test_loading_is_fast() -> None:
    def seconds() -> float:
        load_release.cache_clear()
        start = time.process_time()
        load_release("1.34")
        return time.process_time() - start

    assert min(seconds() for _ in range(5)) < 0.03  # 5 ms on an idle machine
    assert load_release("1.34") is load_release("1.34")
