"""Importance, and the order that Go's sort leaves."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.scheduling import cluster, node, pod
from kep_preemption.importance import more_important_pod, sort_by_importance
from kep_preemption.objects import Pod
from kep_preemption.slice_sort import slice_sort
from kep_preemption.snapshot import Snapshot

OLD, YOUNG = pod("old", start_time=1), pod("young", start_time=2)
WAITING = pod("waiting")


@pytest.mark.parametrize(
    ("left", "right", "more"),
    [
        (pod("a", priority=2), pod("b", priority=1, start_time=0), True),
        (pod("a", priority=-2), pod("b", priority=-1), False),
        (OLD, YOUNG, True),
        (YOUNG, OLD, False),
        (OLD, OLD, False),
        (OLD, WAITING, True),
        (WAITING, OLD, False),
        (WAITING, WAITING, True),
    ],
)
def test_more_important(left: Pod, right: Pod, more: bool) -> None:
    assert more_important_pod(left, right) is more


def test_pods_without_start_time_are_turned_round_and_equal_ones_are_not() -> None:
    names = list("abcdefghijkl")
    waiting = [pod(name) for name in names]
    started = [pod(name, start_time=7) for name in names]
    assert [p.name for p in sort_by_importance(waiting)] == names[::-1]
    assert [p.name for p in sort_by_importance(started)] == names


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([None, 1, 2])), max_size=12))
def test_the_snapshot_keeps_the_order_of_short_lists(shapes) -> None:
    pods = [
        pod(f"p{i}", "n", priority, start_time=start) for i, (priority, start) in enumerate(shapes)
    ]
    snapshot = Snapshot.of(cluster([node("n")], pods))
    assert list(snapshot.pods.pods) == sort_by_importance(pods)


@given(st.lists(st.integers(), max_size=200))
def test_slice_sort_sorts(numbers: list[int]) -> None:
    result = list(numbers)
    slice_sort(result, lambda left, right: left < right)
    assert result == sorted(numbers)


@pytest.mark.parametrize("length", [13, 49, 50, 51, 300, 3000])
@pytest.mark.parametrize("values", [1, 2, 7, 10**6])
def test_slice_sort_sorts_patterns(length: int, values: int) -> None:
    draw = random.Random(length * values)
    shuffled = [draw.randrange(values) for _ in range(length)]
    organ_pipe = [min(i, length - i) % values for i in range(length)]
    nearly = sorted(shuffled)
    nearly[3], nearly[-3] = nearly[-3], nearly[3]
    for numbers in (shuffled, organ_pipe, nearly, sorted(shuffled), sorted(shuffled)[::-1]):
        result = list(numbers)
        slice_sort(result, lambda left, right: left < right)
        assert result == sorted(numbers)


def test_slice_sort_survives_an_adversary() -> None:
    """A `less` that makes every pivot bad (McIlroy's killer) ends in the heap sort, sorted."""
    solid: dict[int, int] = {}
    candidate = 0

    def less(left: int, right: int) -> bool:
        nonlocal candidate
        if left not in solid and right not in solid:
            solid[left if left == candidate else right] = len(solid)
        if left not in solid:
            candidate = left
        elif right not in solid:
            candidate = right
        return solid.get(left, 10**9) < solid.get(right, 10**9)

    items = list(range(500))
    slice_sort(items, less)
    assert sorted(items) == list(range(500))
    assert [solid.get(i, 10**9) for i in items] == sorted(solid.get(i, 10**9) for i in items)


def test_a_less_that_contradicts_itself_loses_nothing() -> None:
    for length in (12, 13, 40, 200):
        items = list(range(length))
        slice_sort(items, lambda left, right: True)
        assert sorted(items) == list(range(length))
