"""Percentiles and comparisons that say when the data do not tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

MIN_SAMPLES_FOR_P99 = 100
MIN_SAMPLES_TO_COMPARE = 5


def percentile(values: Sequence[float], percent: float) -> float | None:
    """Return the percentile by linear interpolation, or None where the samples cannot tell.

    Outside the median, as many samples are needed as put one beyond the percentile: 100 for
    p99, 20 for p95, 4 for p25. The median, minimum and maximum need one.

    Raises:
        ValueError: `percent` is outside 0 to 100.
    """
    if not 0 <= percent <= 100:
        raise ValueError(f"a percentile lies between 0 and 100, not at {percent}")
    tail = min(percent, 100 - percent) / 100 if percent not in (0, 100) else 0.0
    needed = round(1 / tail) if tail and percent != 50 else 1
    if len(values) < needed:
        return None
    return float(np.percentile(np.asarray(values, dtype=np.float64), percent))


class Verdict(StrEnum):
    """What a comparison shows."""

    FASTER = "faster"
    SLOWER = "slower"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The ratio of two medians, `subject` / `baseline`, with its confidence interval.

    Below 1 the subject is faster. `low` and `high` are None, and the verdict is INCONCLUSIVE,
    when an arm has fewer than 5 samples.
    """

    ratio: float
    low: float | None
    high: float | None
    confidence: float
    verdict: Verdict


def compare(
    subject: Sequence[float],
    baseline: Sequence[float],
    *,
    confidence: float = 0.95,
    resamples: int = 2000,
    margin: float = 0.0,
    seed: int = 0,
) -> Comparison:
    """Compare two arms by the bootstrap (percentile method) of the ratio of their medians.

    Args:
        subject: the samples in question, all positive.
        baseline: the samples they are set against, all positive.
        confidence: of the interval.
        resamples: how often both arms are drawn anew.
        margin: a ratio within 1 ± margin is no difference that matters.
        seed: of the resampling.

    Raises:
        ValueError: an arm is empty.
    """
    if not subject or not baseline:
        raise ValueError("a comparison needs samples of both arms")
    left, right = np.asarray(subject, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    ratio = float(np.median(left) / np.median(right))
    if min(len(left), len(right)) < MIN_SAMPLES_TO_COMPARE:
        return Comparison(ratio, None, None, confidence, Verdict.INCONCLUSIVE)
    rng = np.random.default_rng(seed)
    ratios = _medians(left, resamples, rng) / _medians(right, resamples, rng)
    tail = (1 - confidence) / 2
    low, high = (float(q) for q in np.quantile(ratios, [tail, 1 - tail]))
    if high < 1 - margin:
        verdict = Verdict.FASTER
    elif low > 1 + margin:
        verdict = Verdict.SLOWER
    else:
        verdict = Verdict.INCONCLUSIVE
    return Comparison(ratio, low, high, confidence, verdict)


def _medians(
    values: np.ndarray[tuple[int], np.dtype[np.float64]], count: int, rng: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    medians = np.empty(count)
    for start in range(0, count, 256):  # bounds the memory for long arms
        rows = min(256, count - start)
        draws = values[rng.integers(0, len(values), size=(rows, len(values)))]
        medians[start : start + rows] = np.median(draws, axis=1)
    return medians
