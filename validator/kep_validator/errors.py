"""Errors that carry the place, the problem and the remedy."""

from __future__ import annotations


class KepValidateError(Exception):
    """A failure that is not a finding about a KEP: wrong usage, or an input that cannot be read.

    `place` names the file (with the line where known) or the option, `problem` says what is
    wrong, and `remedy` what the user can do about it.
    """

    def __init__(self, place: str, problem: str, remedy: str) -> None:
        self.place = place
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{place}: {problem} ({remedy})")


class UsageError(KepValidateError):
    """The command line or the configuration asks for something that does not exist."""


class InputError(KepValidateError):
    """A path is missing or cannot be read."""
