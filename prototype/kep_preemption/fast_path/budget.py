"""How long a search may go on."""

from __future__ import annotations

import time
from collections.abc import Callable

DEFAULT_BUDGET_SECONDS = 0.5
"""The bound the fast path puts on one search: 500 ms."""


class Budget:
    """A span of time that starts when it is made.

    It stands for the `context.WithTimeout` of the fast path's proposal. Nothing is interrupted:
    whoever searches asks between two steps, so a search ends at most one step late.

    Args:
        seconds: the span; None never ends, 0 has ended at once.
        clock: a monotonic clock in seconds.

    Raises:
        ValueError: `seconds` is negative or not a number.
    """

    def __init__(self, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        if seconds is not None and not seconds >= 0:
            raise ValueError(f"a budget cannot be negative: {seconds} s")
        self.seconds = seconds
        self._clock = clock
        self._start = clock()

    @property
    def elapsed(self) -> float:
        """Seconds since the budget was made."""
        return self._clock() - self._start

    @property
    def expired(self) -> bool:
        """True once the span is over (at its very end too)."""
        return self.seconds is not None and self.elapsed >= self.seconds
