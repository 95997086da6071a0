"""Which findings a run reports, whatever the rules found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kep_validator.diagnostics import Diagnostic, Skipped
from kep_validator.errors import UsageError


@dataclass(frozen=True, slots=True)
class Policy:
    """Codes to report, given as codes or their beginnings (`KEP2` is all of KEP200 to KEP299).

    An empty `select` means all. `ignore` wins over `select`. The code of an internal error is
    always reported: hiding it would pass a check that did not run.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def reports(self, code: str) -> bool:
        """Whether findings with this code are reported."""
        if code.startswith("KEP9"):
            return True
        selected = not self.select or code.startswith(self.select)
        return selected and not (self.ignore and code.startswith(self.ignore))

    def apply(self, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Return the reported ones once each, in the order of their places."""
        kept = {found for found in diagnostics if self.reports(found.code)}
        return tuple(sorted(kept, key=lambda found: found.sort_key))

    def apply_to_skipped(self, skipped: Iterable[Skipped]) -> tuple[Skipped, ...]:
        """Return the skipped checks whose findings would be reported."""
        return tuple(entry for entry in skipped if self.reports(entry.code))


def make_policy(select: Iterable[str], ignore: Iterable[str], known: Iterable[str]) -> Policy:
    """Return a policy from lists as a user types them (comma-separated, in any case).

    Raises:
        UsageError: an entry is the beginning of no code.
    """
    codes = tuple(known)
    return Policy(_codes(select, codes, "--select"), _codes(ignore, codes, "--ignore"))


def _codes(given: Iterable[str], known: tuple[str, ...], option: str) -> tuple[str, ...]:
    wanted = [part.strip().upper() for entry in given for part in entry.split(",") if part.strip()]
    for code in wanted:
        if not any(name.startswith(code) for name in known):
            remedy = "`kep-validate rules` lists all codes"
            raise UsageError(option, f"no rule has the code {code}", remedy)
    return tuple(wanted)
