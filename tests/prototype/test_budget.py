"""The time bound, with a clock that the test turns."""

import pytest

from kep_preemption.fast_path.budget import DEFAULT_BUDGET_SECONDS, Budget


class FakeClock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("seconds", "passed", "expired"),
    [
        (0.5, 0.0, False),
        (0.5, 0.499, False),
        (0.5, 0.5, True),
        (0.5, 9.0, True),
        (0.0, 0.0, True),
        (None, 1e9, False),
    ],
)
def test_expires_at_its_end(seconds: float | None, passed: float, expired: bool) -> None:
    clock = FakeClock()
    budget = Budget(seconds, clock)
    clock.now += passed
    assert budget.expired is expired
    assert budget.elapsed == pytest.approx(passed)


def test_the_default_is_the_proposals_500_ms() -> None:
    assert DEFAULT_BUDGET_SECONDS == 0.5


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be negative: -1 s"):
        Budget(-1)
