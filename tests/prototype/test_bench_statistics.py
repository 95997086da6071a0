"""Percentiles and comparisons that admit what they cannot tell."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kep_preemption.bench.statistics import Verdict, compare, percentile


@pytest.mark.parametrize(
    ("count", "percent", "answered"),
    [
        (99, 99, False),
        (100, 99, True),
        (19, 95, False),
        (20, 95, True),
        (1, 50, True),
        (0, 50, False),
        (9, 90, False),
        (10, 90, True),
        (1, 0, True),
        (1, 100, True),
        (3, 25, False),
    ],
)
def test_a_percentile_needs_samples_beyond_it(count: int, percent: float, answered: bool) -> None:
    assert (percentile(list(range(count)), percent) is not None) is answered


def test_percentiles_interpolate() -> None:
    values = [float(i) for i in range(101)]
    assert percentile(values, 50) == 50.0
    assert percentile(values, 99) == 99.0
    assert percentile([1.0, 2.0], 50) == 1.5


@pytest.mark.parametrize("percent", [-1, 101])
def test_a_percentile_outside_the_range_is_refused(percent: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 100"):
        percentile([1.0], percent)


def noisy(median: float, count: int, seed: int) -> list[float]:
    rng = random.Random(seed)
    return [median * rng.lognormvariate(0, 0.3) for _ in range(count)]


@pytest.mark.parametrize(
    ("subject", "verdict"),
    [(50.0, Verdict.FASTER), (100.0, Verdict.INCONCLUSIVE), (200.0, Verdict.SLOWER)],
)
def test_verdicts_on_noisy_arms(subject: float, verdict: Verdict) -> None:
    comparison = compare(noisy(subject, 60, 1), noisy(100.0, 60, 2))
    assert comparison.verdict is verdict
    assert comparison.low is not None
    assert comparison.high is not None
    assert comparison.low <= comparison.ratio <= comparison.high


def test_a_difference_within_the_margin_is_inconclusive() -> None:
    subject, baseline = noisy(97.0, 4000, 1), noisy(100.0, 4000, 2)
    assert compare(subject, baseline, resamples=300).verdict is Verdict.FASTER
    within = compare(subject, baseline, resamples=300, margin=0.1)
    assert within.verdict is Verdict.INCONCLUSIVE


def test_few_samples_are_inconclusive_however_far_apart() -> None:
    comparison = compare([1.0] * 4, [100.0] * 50)
    assert comparison.verdict is Verdict.INCONCLUSIVE
    assert comparison.low is None


def test_an_empty_arm_is_refused() -> None:
    with pytest.raises(ValueError, match="samples of both arms"):
        compare([], [1.0])


def test_equal_arms_are_called_different_about_as_rarely_as_promised() -> None:
    wrong = sum(
        compare(noisy(1.0, 30, 2 * i), noisy(1.0, 30, 2 * i + 1), resamples=300).verdict
        is not Verdict.INCONCLUSIVE
        for i in range(200)
    )
    assert wrong <= 20  # 5 % of 200 are expected


@given(st.lists(st.floats(1, 1e6), min_size=5, max_size=40), st.floats(1.5, 100))
def test_swapping_the_arms_inverts_the_ratio(values: list[float], factor: float) -> None:
    scaled = [factor * value for value in values]
    there, back = compare(scaled, values, resamples=50), compare(values, scaled, resamples=50)
    assert there.ratio == pytest.approx(factor)
    assert there.ratio * back.ratio == pytest.approx(1)
    assert there.verdict is not Verdict.FASTER
