"""Problems of an input, gathered so that one reading shows them all."""

from __future__ import annotations

from collections.abc import Sequence

from kep_preemption.errors import InputError
from kep_preemption.loading.fields import FieldError

MOST_SHOWN = 20


class InputProblemsError(InputError):
    """Several problems of an input; `problems` holds each, `total` counts those left out too."""

    def __init__(self, problems: Sequence[InputError], total: int) -> None:
        lines = [f"{total} problems"]
        lines += [f"  {p.place}: {p.problem}\n    help: {p.remedy}" for p in problems]
        if total > len(problems):
            lines.append(f"  and {total - len(problems)} more")
        place = problems[0].place.partition(": ")[0]
        super().__init__(place, "\n".join(lines), "mend these and read the input again")
        self.problems = tuple(problems)
        self.total = total


class Problems:
    """Collects problems; keeps the first `MOST_SHOWN` and counts the rest."""

    def __init__(self) -> None:
        self._kept: list[InputError] = []
        self._total = 0

    def add(self, place: str, problem: str, remedy: str) -> None:
        """Note a problem at `place` (file, object and field)."""
        self._total += 1
        if len(self._kept) < MOST_SHOWN:
            self._kept.append(InputError(place, problem, remedy))

    def add_field(self, place: str, error: FieldError) -> None:
        """Note a field's error in the object at `place`."""
        self.add(f"{place}: {error.field}", error.problem, error.remedy)

    def raise_if_any(self) -> None:
        """Raise what was noted.

        Raises:
            InputError: one problem was noted.
            InputProblemsError: several were.
        """
        if self._total == 1:
            raise self._kept[0]
        if self._total:
            raise InputProblemsError(self._kept, self._total)
