"""Release numbers as KEP metadata writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LARGEST = 2**64 - 1
_DIGITS = re.compile(r"[0-9]*\Z")
_IDENTIFIER = re.compile(r"[0-9A-Za-z-]+\Z")
_WRITTEN = re.compile(r"v([0-9]{1,9})\.([0-9]{1,9})\Z")


@dataclass(frozen=True, slots=True)
class Version:
    """A semantic version; `prerelease` is '' for a release."""

    major: int
    minor: int
    patch: int = 0
    prerelease: str = ""

    @property
    def release(self) -> tuple[int, int]:
        """The Kubernetes release, such as (1, 34)."""
        return (self.major, self.minor)

    def before(self, major: int, minor: int) -> bool:
        """Whether this version sorts before `major.minor.0`."""
        mine = (self.major, self.minor, self.patch)
        return mine < (major, minor, 0) or (mine == (major, minor, 0) and bool(self.prerelease))


def parse_tolerant(text: str) -> Version:
    """Read a version as upstream's milestone check does.

    Follows ParseTolerant of github.com/blang/semver/v4: blanks around, one leading `v`, leading
    zeros and missing parts are forgiven.

    Raises:
        ValueError: upstream would not accept the text.
    """
    parts = text.strip().removeprefix("v").split(".", 2)
    parts = [_without_leading_zeros(part) for part in parts]
    if len(parts) < 3:
        if any(mark in parts[-1] for mark in "+-"):
            raise ValueError("a short version cannot have a suffix")
        parts += ["0"] * (3 - len(parts))
    patch, plus, build = parts[2].partition("+")
    patch, dash, prerelease = patch.partition("-")
    for given, suffix, numeric in ((dash, prerelease, True), (plus, build, False)):
        if given:
            _check_suffix(suffix, zeros_matter=numeric)
    return Version(_number(parts[0]), _number(parts[1]), _number(patch), prerelease)


def written_milestone(text: str) -> tuple[int, int] | None:
    """Return (1, 34) for `v1.34`, the only form the KEP template uses; None for another form."""
    match = _WRITTEN.match(text)
    return (int(match[1]), int(match[2])) if match else None


def any_milestone(text: str | None) -> tuple[int, int] | None:
    """Return the release of any text that upstream's check accepts; None for another text."""
    try:
        return parse_tolerant(text).release if text else None
    except ValueError:
        return None


def _without_leading_zeros(part: str) -> str:
    if len(part) < 2:
        return part
    rest = part.lstrip("0")
    return rest if rest[:1] in tuple("0123456789") else "0" + rest


def _number(text: str) -> int:
    if not text or not _DIGITS.match(text) or (len(text) > 1 and text[0] == "0"):
        raise ValueError(f"{text!r} is no number")
    if len(text) > 20 or int(text) > _LARGEST:
        raise ValueError(f"{text} is too large")
    return int(text)


def _check_suffix(suffix: str, *, zeros_matter: bool) -> None:
    for part in suffix.split("."):
        if not _IDENTIFIER.match(part):
            raise ValueError(f"suffix {suffix!r} is malformed")
        if zeros_matter and _DIGITS.match(part):
            _number(part)
