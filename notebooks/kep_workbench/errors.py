"""Errors that carry the place, the problem and the remedy."""

from __future__ import annotations


class WorkbenchError(Exception):
    """A failure the user can mend: `place` names the file, field or option."""

    def __init__(self, place: str, problem: str, remedy: str) -> None:
        self.place = place
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{place}: {problem} ({remedy})")


class UsageError(WorkbenchError):
    """A command, a batch or a parameter asks for something that does not exist."""


class InputError(WorkbenchError):
    """A file is missing, cannot be read, or does not hold what it should."""


class ResultError(WorkbenchError):
    """A published result does not have the form that evidence is made from."""
