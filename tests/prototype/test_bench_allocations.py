"""Allocation figures against calls whose allocations are known."""

import gc
import sys
from itertools import repeat

import numpy as np
import pytest

from kep_preemption.bench.allocations import can_count_allocations, count_allocations

pytestmark = pytest.mark.skipif(
    not can_count_allocations(), reason="memray is not installed on this platform"
)


def test_numpy_buffers_are_counted() -> None:
    found = count_allocations(lambda: np.empty(1_000_000, dtype=np.int64), iterations=3)
    assert 8_000_000 <= found.bytes < 8_010_000
    assert 1 <= found.count < 10


def test_python_objects_are_counted() -> None:
    found = count_allocations(lambda: [bytes(100) for _ in repeat(None, 500)], iterations=2)
    size = sys.getsizeof(bytes(100))
    growth_of_the_list = 8 * 500 * 9
    assert 500 <= found.count < 560
    assert 500 * size <= found.bytes < 500 * size + growth_of_the_list


def test_doing_nothing_allocates_nothing() -> None:
    found = count_allocations(lambda: None, iterations=50)
    assert found.count <= 1
    assert found.bytes < 200  # the frame of the call itself


def test_an_error_leaves_the_collector_on() -> None:
    def fail() -> None:
        raise LookupError

    assert gc.isenabled()
    with pytest.raises(ValueError, match="at least one iteration"):
        count_allocations(fail, iterations=0)
    with pytest.raises(LookupError):
        count_allocations(fail)
    assert gc.isenabled()
