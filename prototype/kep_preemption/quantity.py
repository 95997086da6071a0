"""Kubernetes quantities, exactly (k8s.io/apimachinery/pkg/api/resource, `ParseQuantity`).

A quantity is held as an integer number of nanos (10^-9), the finest that upstream keeps: sums are
exact, and rounding happens once, at the end, away from zero as `MilliValue` and `Value` do.
Results beyond an int64 saturate (upstream caps binary suffixes so and lets others wrap).
"""

from __future__ import annotations

import re
from functools import lru_cache

NANO = 10**9
INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)

_QUANTITY = re.compile(
    r"([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?[0-9]+))?", re.ASCII
)
_MULTIPLIERS = {
    "n": (1, NANO),
    "u": (1, 10**6),
    "m": (1, 10**3),
    **{suffix: (10 ** (3 * i), 1) for i, suffix in enumerate(("", "k", *"MGTPE"))},
    **{f"{suffix}i": (1024**i, 1) for i, suffix in enumerate("KMGTPE", 1)},
}
# Beyond these a value is saturated or rounded to a nano whatever its digits are.
_MOST_DIGITS = 200
_MOST_EXPONENT = 400


@lru_cache(maxsize=65536)
def parse_quantity(text: str) -> int:
    """Return the value of `text`, such as `250m`, `1.5Gi` or `12e6`, in nanos.

    What is finer than a nano is rounded away from zero, so that whoever asks for some gets some.

    Raises:
        ValueError: it is no quantity; says what is wrong with it.
    """
    match = _QUANTITY.fullmatch(text)
    if match is None or len(text) > _MOST_DIGITS:
        raise ValueError(_fault(text))
    sign, number, suffix, exponent = match.groups()
    whole, _, fraction = number.partition(".")
    digits = int(whole + fraction)
    numerator, denominator = _MULTIPLIERS[suffix or ""]
    power = max(-_MOST_EXPONENT, min(_MOST_EXPONENT, int(exponent or 0))) - len(fraction)
    numerator *= digits * NANO * 10 ** max(power, 0)
    denominator *= 10 ** max(-power, 0)
    nanos: int = -(-numerator // denominator)
    return -nanos if sign == "-" else nanos


def quantity_of(value: object) -> int:
    """Return the nanos of a quantity as JSON or YAML gives it: text, a number, or null for 0.

    Raises:
        ValueError: it is no quantity.
    """
    if type(value) is str:
        return parse_quantity(value)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"a {_json_type(value)} is no quantity")
    return parse_quantity(repr(value))


def whole(nanos: int) -> int:
    """Return a quantity in units, rounded away from zero (`Quantity.Value`), within an int64."""
    return _scaled(nanos, NANO)


def milli(nanos: int) -> int:
    """Return a quantity in thousandths, rounded away from zero (`Quantity.MilliValue`)."""
    return _scaled(nanos, 10**6)


def format_milli(value: int) -> str:
    """Return millicores as people write them: `2` or `250m`."""
    return f"{value}m" if value % 1000 else str(value // 1000)


def format_bytes(value: int) -> str:
    """Return bytes with the largest binary suffix that keeps them exact: `4Gi`, `1000`."""
    for power, suffix in ((6, "Ei"), (5, "Pi"), (4, "Ti"), (3, "Gi"), (2, "Mi"), (1, "Ki")):
        if value and value % 1024**power == 0:
            return f"{value // 1024**power}{suffix}"
    return str(value)


def _scaled(nanos: int, unit: int) -> int:
    scaled = -(-nanos // unit) if nanos >= 0 else nanos // unit
    return max(INT64_MIN, min(INT64_MAX, scaled))


def _fault(text: str) -> str:
    shown = repr(text if len(text) <= 40 else text[:37] + "...")
    if not text:
        return "the quantity is empty"
    if len(text) > _MOST_DIGITS:
        return f"{shown} is longer than {_MOST_DIGITS} characters"
    if text != text.strip():
        return f"{shown} has space around it"
    number = re.match(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)", text)
    if number is None:
        return f"{shown} does not begin with a number"
    return f"{shown} has no unit that Kubernetes knows: {text[number.end() :][:20]!r}"


def _json_type(value: object) -> str:
    return {bool: "boolean", list: "list", dict: "mapping"}.get(type(value), type(value).__name__)
