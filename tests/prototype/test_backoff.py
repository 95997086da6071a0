"""Attempts and pauses, against what k8s.io/apimachinery v0.34.1 `wait.ExponentialBackoff` did."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kep_preemption.fast_path.backoff import Backoff, retry


def failing_course(backoff: Backoff, seed: int = 0) -> tuple[int, list[float]]:
    """Return the attempts and pauses of a retry that never succeeds."""
    attempts, pauses = 0, []

    def attempt() -> bool:
        nonlocal attempts
        attempts += 1
        return False

    assert retry(attempt, backoff, pauses.append, random.Random(seed)) is False
    return attempts, pauses


@pytest.mark.parametrize(
    ("backoff", "attempts", "pauses"),
    [
        (Backoff(0.1, 2.0, 0.0, 3), 3, [0.1, 0.2]),
        (Backoff(0.01, 0.0, 0.0, 4), 4, [0.01, 0.01, 0.01]),
        (Backoff(0.01, 2.0, 0.0, 0), 0, []),
        (Backoff(0.01, 2.0, 0.0, 1), 1, []),
        (Backoff(0.01, 3.0, 0.0, 6, cap=0.05), 2, [0.01, 0.03]),
        (Backoff(0.01, 3.0, 0.0, 6, cap=0.03), 2, [0.01, 0.03]),
    ],
)
def test_attempts_and_pauses_are_upstreams(
    backoff: Backoff, attempts: int, pauses: list[float]
) -> None:
    seen_attempts, seen_pauses = failing_course(backoff)
    assert seen_attempts == attempts
    assert seen_pauses == pytest.approx(pauses)


@given(st.integers())
def test_jitter_only_lengthens_and_does_not_add_up(seed: int) -> None:
    attempts, (first, second) = failing_course(Backoff(), seed)
    assert attempts == 3
    assert 0.1 <= first < 0.11
    assert 0.2 <= second < 0.22


def test_success_ends_the_retries() -> None:
    answers, pauses = iter([False, True, False]), []
    assert retry(lambda: next(answers), Backoff(jitter=0), pauses.append, random.Random(0))
    assert pauses == [0.1]
    assert next(answers) is False


def test_an_error_is_passed_on_without_a_further_attempt() -> None:
    pauses: list[float] = []

    def attempt() -> bool:
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        retry(attempt, Backoff(), pauses.append, random.Random(0))
    assert pauses == []


@pytest.mark.parametrize("name", ["duration", "factor", "jitter", "steps", "cap"])
def test_negative_values_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} of a backoff cannot be negative"):
        Backoff(**{name: -1})
