"""Reading releases as upstream does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kep_validator.milestone import any_milestone, parse_tolerant, written_milestone


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("v1.34", (1, 34)),
        ("1.34", (1, 34)),
        (" v1.34\t", (1, 34)),
        ("v1.34.0", (1, 34)),
        ("v1.034", (1, 34)),
        ("v01.34", (1, 34)),
        ("v1", (1, 0)),
        ("0.0", (0, 0)),
        ("v1.34.0-alpha.1+b.7", (1, 34)),
        ("1.3", (1, 3)),
    ],
)
def test_accepted(text: str, release: tuple[int, int]) -> None:
    assert parse_tolerant(text).release == release
    assert any_milestone(text) == release


REFUSED = [
    "V1.34",
    "TBD",
    "N/A",
    "v1.x",
    "v.1.34",
    "vv1.34",
    "v1.34,v1.35",
    "v1.34-alpha.1",
    "v1.34+b",
    "1.34.1.2",
    "v-1.34",
    "v1.",
    "1.34.0-01",
    "1.34.0-",
    "1.34.0+",
    "99999999999999999999.1",
    "v1.³",
    "1.34.0-a_b",
]


@pytest.mark.parametrize("text", ["", *REFUSED])
def test_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_tolerant(text)
    assert any_milestone(text) is None


@pytest.mark.parametrize(
    ("text", "before"),
    [("v1.20", True), ("v1.21.0-rc.0", True), ("v1.21", False), ("v1.21.1-a", False), ("2", False)],
)
def test_before_the_first_release_with_approvals(text: str, before: bool) -> None:
    assert parse_tolerant(text).before(1, 21) is before


@pytest.mark.parametrize(
    ("text", "release"), [("v1.34", (1, 34)), ("1.34", None), ("v1.34.0", None), ("v1.34\n", None)]
)
def test_written_form(text: str, release: tuple[int, int] | None) -> None:
    assert written_milestone(text) == release


@given(st.text(max_size=20))
def test_any_text_is_a_version_or_a_value_error(text: str) -> None:
    try:
        version = parse_tolerant(text)
    except ValueError:
        return
    assert version.major >= 0


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_both_forms_agree(major: int, minor: int) -> None:
    assert written_milestone(f"v{major}.{minor}") == any_milestone(f"{major}.{minor}")
