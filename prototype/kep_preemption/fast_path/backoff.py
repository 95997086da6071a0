"""Retries with growing pauses, as k8s.io/apimachinery `wait.ExponentialBackoff` makes them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """The parameters of `wait.Backoff`, with the fast path's values as defaults.

    `steps` counts attempts, the first included: 3 steps are 3 attempts and 2 pauses, and no
    pause follows the last. A pause is `duration` plus a random part in [0, `jitter` · duration);
    then `duration` is multiplied by `factor`, unless that is 0. Jitter does not add up from step
    to step. Once the multiplied duration would exceed a positive `cap`, the pause before that is
    still made, but no attempt follows it: upstream's `Backoff.Step` sets the steps to 0. A
    `jitter` of 0 means none. All durations are seconds.

    Raises:
        ValueError: a value is negative.
    """

    duration: float = 0.1
    factor: float = 2.0
    jitter: float = 0.1
    steps: int = 3
    cap: float = 0.0

    def __post_init__(self) -> None:
        for name in ("duration", "factor", "jitter", "steps", "cap"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} of a backoff cannot be negative: {getattr(self, name)}")

    def pause(self, duration: float, rng: random.Random) -> float:
        """Return `duration` with its jitter, in seconds (`wait.Jitter`)."""
        return duration + rng.random() * self.jitter * duration


def retry(
    attempt: Callable[[], bool],
    backoff: Backoff,
    sleep: Callable[[float], None],
    rng: random.Random,
) -> bool:
    """Call `attempt` until it returns True or the steps are used up (`ExponentialBackoff`).

    An exception of `attempt` ends the retries and is passed on, as an error returned by
    upstream's condition does.

    Returns:
        True if an attempt succeeded, False when the steps are used up.
    """
    duration, steps = backoff.duration, backoff.steps
    while steps > 0:
        if attempt():
            return True
        if steps == 1:
            break
        steps -= 1
        pause = backoff.pause(duration, rng)
        if backoff.factor:
            duration *= backoff.factor
            if 0 < backoff.cap < duration:
                duration, steps = backoff.cap, 0
        sleep(pause)
    return False
