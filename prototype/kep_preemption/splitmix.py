"""A small random generator of our own, so that a seed means the same on every Python.

SplitMix64 (Steele, Lea, Flood 2014): the state grows by a constant, and each output is the state
mixed by two multiplications. The standard library promises that only for `random()` itself.
"""

from __future__ import annotations

from collections.abc import Sequence

_MASK = 2**64 - 1
_STEP = 0x9E3779B97F4A7C15


class SplitMix64:
    """A stream of 64-bit numbers, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def next(self) -> int:
        """Return the next number, from 0 to 2^64 - 1."""
        self._state = (self._state + _STEP) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, bound: int) -> int:
        """Return a number from 0 to `bound` - 1 (the high bits of a product, so almost even)."""
        return (self.next() * bound) >> 64

    def pick(self, weights: Sequence[int]) -> int:
        """Return an index of `weights`, each as often as its weight says."""
        left = self.below(sum(weights))
        for index, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return index
        raise AssertionError("the weights sum up to more than was drawn from")
