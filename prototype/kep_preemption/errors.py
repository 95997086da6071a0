"""Errors that carry the place, the problem and the remedy."""

from __future__ import annotations


class PreemptionError(Exception):
    """A failure the user can mend: `place` names the file, object and field."""

    def __init__(self, place: str, problem: str, remedy: str) -> None:
        self.place = place
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{place}: {problem} ({remedy})")


class InputError(PreemptionError):
    """An input is missing, cannot be read, or holds an object that makes no sense."""


class UsageError(PreemptionError):
    """A command or a parameter asks for something that does not exist."""


class RetryableError(PreemptionError):
    """An attempt failed in a way that a later attempt may not."""
