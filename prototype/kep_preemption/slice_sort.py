"""The order in which Go's `sort.Slice` leaves a list.

Up to 12 elements are sorted by insertion, which keeps equal elements in their order. Longer lists
are sorted by a pattern-defeating quicksort (Orson Peters' algorithm, in Go since 1.19), which
does not; but it draws nothing at random, so the order it leaves is a matter of fact, also where
`less` contradicts itself. Here is that algorithm with the same decisions in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

_SHORT = 12  # sorted by insertion
_NINTHER_FROM = 50  # the pivot is a median of medians from this length on
_MOST_SWAPS = 12  # as many swaps in choosing the pivot mean: the list runs backwards
_PATIENCE = 5  # pairs out of order that are mended before quicksort goes on
_WORD = 2**64 - 1


def slice_sort(items: list[T], less: Callable[[T, T], bool]) -> None:
    """Sort `items` in place as `sort.Slice(items, less)` does."""
    _SliceSort(items, less).sort(0, len(items), len(items).bit_length())


class _SliceSort(Generic[T]):
    def __init__(self, items: list[T], less: Callable[[T, T], bool]) -> None:
        self._items = items
        self._less = less

    def sort(self, low: int, high: int, bad_choices_left: int) -> None:
        """Sort the elements `low:high`."""
        balanced = in_place = True
        while high - low > _SHORT:
            if not bad_choices_left:
                self._heap_sort(low, high)
                return
            if not balanced:
                self._break_patterns(low, high)
                bad_choices_left -= 1
            pivot, swaps = self._choose_pivot(low, high)
            if swaps == _MOST_SWAPS:
                self._items[low:high] = self._items[low:high][::-1]
                pivot = high - 1 - (pivot - low)
            likely_sorted = balanced and in_place and swaps in (0, _MOST_SWAPS)
            if likely_sorted and self._finish_nearly_sorted(low, high):
                return
            if low > 0 and not self._before(low - 1, pivot):
                low = self._split_off_equal(low, high, pivot)
                continue
            middle, in_place = self._partition(low, high, pivot)
            balanced = min(middle - low, high - middle) >= (high - low) // 8
            if middle - low < high - middle:
                self.sort(low, middle, bad_choices_left)
                low = middle + 1
            else:
                self.sort(middle + 1, high, bad_choices_left)
                high = middle
        self._insertion_sort(low, high)

    def _before(self, left: int, right: int) -> bool:
        return self._less(self._items[left], self._items[right])

    def _swap(self, left: int, right: int) -> None:
        items = self._items
        items[left], items[right] = items[right], items[left]

    def _insertion_sort(self, low: int, high: int) -> None:
        for end in range(low + 1, high):
            self._sink_left(end, low)

    def _sink_left(self, place: int, low: int) -> None:
        while place > low and self._before(place, place - 1):
            self._swap(place, place - 1)
            place -= 1

    def _choose_pivot(self, low: int, high: int) -> tuple[int, int]:
        """Return the pivot's place and how many pairs were found out of order."""
        quarter = (high - low) // 4
        places = [low + quarter, low + 2 * quarter, low + 3 * quarter]
        swaps = 0
        if high - low >= _NINTHER_FROM:
            for i, place in enumerate(places):
                places[i], more = self._median(place - 1, place, place + 1)
                swaps += more
        pivot, more = self._median(*places)
        return pivot, swaps + more

    def _median(self, first: int, second: int, third: int) -> tuple[int, int]:
        swaps = 0
        if self._before(second, first):
            first, second, swaps = second, first, swaps + 1
        if self._before(third, second):
            second, third, swaps = third, second, swaps + 1
        if self._before(second, first):
            first, second, swaps = second, first, swaps + 1
        return second, swaps

    def _partition(self, low: int, high: int, pivot: int) -> tuple[int, bool]:
        """Put smaller elements before the pivot; return its place, and if all were so already."""
        self._swap(low, pivot)
        left, right, in_place = low + 1, high - 1, True
        while True:
            while left <= right and self._before(left, low):
                left += 1
            while left <= right and not self._before(right, low):
                right -= 1
            if left > right:
                break
            self._swap(left, right)
            left, right, in_place = left + 1, right - 1, False
        self._swap(right, low)
        return right, in_place

    def _split_off_equal(self, low: int, high: int, pivot: int) -> int:
        """Put elements that equal the pivot (none is smaller) first; return where others begin."""
        self._swap(low, pivot)
        left, right = low + 1, high - 1
        while True:
            while left <= right and not self._before(low, left):
                left += 1
            while left <= right and self._before(low, right):
                right -= 1
            if left > right:
                return left
            self._swap(left, right)
            left, right = left + 1, right - 1

    def _finish_nearly_sorted(self, low: int, high: int) -> bool:
        """Mend a few pairs out of order; tell whether the elements are sorted then."""
        place = low + 1
        for _ in range(_PATIENCE):
            while place < high and not self._before(place, place - 1):
                place += 1
            if place == high:
                return True
            if high - low < _NINTHER_FROM:
                return False
            self._swap(place, place - 1)
            if place - low >= 2:
                self._sink_left(place - 1, 0)
            if high - place >= 2:
                self._rise_right(place + 1, high)
        return False

    def _rise_right(self, place: int, high: int) -> None:
        while place < high and self._before(place, place - 1):
            self._swap(place, place - 1)
            place += 1

    def _break_patterns(self, low: int, high: int) -> None:
        """Swap three elements at the middle with others, chosen by a xorshift of the length."""
        length = state = high - low
        mask = (1 << length.bit_length()) - 1
        middle = low + length // 4 * 2
        for place in (middle - 1, middle, middle + 1):
            state ^= state << 13 & _WORD
            state ^= state >> 7
            state ^= state << 17 & _WORD
            other = state & mask
            self._swap(place, low + (other - length if other >= length else other))

    def _heap_sort(self, low: int, high: int) -> None:
        length = high - low
        for root in range((length - 1) // 2, -1, -1):
            self._sift_down(root, length, low)
        for end in range(length - 1, -1, -1):
            self._swap(low, low + end)
            self._sift_down(0, end, low)

    def _sift_down(self, root: int, end: int, low: int) -> None:
        while (child := 2 * root + 1) < end:
            if child + 1 < end and self._before(low + child, low + child + 1):
                child += 1
            if not self._before(low + root, low + child):
                return
            self._swap(low + root, low + child)
            root = child
