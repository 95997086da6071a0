"""The base of filters that no pod on the node can change."""

from __future__ import annotations

from abc import abstractmethod
from typing import Self

import numpy as np

from kep_preemption.columns import BoolArray, IntArray, Positions


class StaticFilter:
    """Refusals that hold whatever runs on the node, so none can be lifted by preemption."""

    follows_pods = False
    name: str

    def __init__(self, refusals: IntArray) -> None:
        self._refusals = refusals

    def select(self, positions: IntArray) -> Self:
        """Return the refusals of these nodes alone."""
        chosen = object.__new__(type(self))
        chosen.__dict__.update(self.__dict__)
        chosen._refusals = self._refusals[positions]
        return chosen

    def filter(self, at: Positions) -> IntArray:
        """Return the refusals."""
        return self._refusals[at]

    def unresolvable(self, refusal: IntArray, at: Positions) -> BoolArray:
        """Return True for each refusal."""
        refused: BoolArray = refusal != 0
        return refused

    @abstractmethod
    def reasons(self, refusal: int, node: int) -> tuple[str, ...]:
        """Put a refusal into upstream's words."""

    def add_pods(self, at: Positions, pods: IntArray) -> None:
        """Change nothing."""

    def remove_pods(self, at: Positions, pods: IntArray) -> None:
        """Change nothing."""


def refusals_where(refused: BoolArray) -> IntArray:
    """Return refusal 1 where `refused`."""
    return refused.astype(np.int64)
