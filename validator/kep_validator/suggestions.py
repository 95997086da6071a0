"""The nearest known name to one that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that `name` was most likely meant to be, None without a likely one."""
    by_folded = {_folded(candidate): candidate for candidate in known}
    matches = get_close_matches(_folded(name), list(by_folded), n=1, cutoff=0.6)
    return by_folded[matches[0]] if matches else None


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return help that names the nearest known name, or `otherwise` without a likely one."""
    match = nearest(name, known)
    return f"did you mean `{match}`?" if match else otherwise


def _folded(name: str) -> str:
    return name.strip().casefold().replace("_", "-")
