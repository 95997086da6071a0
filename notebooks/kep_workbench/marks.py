"""Find the places in a KEP's README that results are written into.

A block, each marker alone on its line (`show` may be left out and then means all):

    <!-- evidence:begin id="edge-10" run="default/edge-10" show="table:latency" -->
    <!-- evidence:end -->

A value in prose, within one line: `<!-- fact:latency-p50 run="default/edge-10" --><!-- /fact -->`.
The tool adds a `digest` to both. Markers inside code are text.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class MarkKind(StrEnum):
    """What a mark is filled with."""

    BLOCK = "block"
    FACT = "fact"


@dataclass(frozen=True, slots=True)
class Mark:
    """One marked place. Lines count from 1; `opening` and `content` are offsets into the text.

    `run` is `batch/run`; `newline` is the line end that the file uses there.
    """

    kind: MarkKind
    id: str
    run: str
    show: str
    digest: str
    line: int
    opening: tuple[int, int]
    content: tuple[int, int]
    newline: str = "\n"

    @property
    def name(self) -> str:
        """How messages name it."""
        return f"{self.kind.value} {self.id!r}"

    @property
    def batch(self) -> str:
        """The batch that the run belongs to."""
        return self.run.partition("/")[0]


@dataclass(frozen=True, slots=True)
class MarkProblem:
    """Something wrong with a marker."""

    line: int
    problem: str
    remedy: str


@dataclass(frozen=True)
class MarkedText:
    """A README with its marks in the order of the text, and what is wrong with its markers."""

    text: str
    marks: tuple[Mark, ...]
    problems: tuple[MarkProblem, ...]

    def content(self, mark: Mark) -> str:
        """What stands in `mark` now."""
        return self.text[slice(*mark.content)]
