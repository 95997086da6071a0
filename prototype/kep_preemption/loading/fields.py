"""Typed access to the fields of an object; a wrong type becomes an error that names the field.

A mapping is never copied. An error starts with the field it was found in, and every caller on the
way up puts its own name in front, so that the way down costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

Fields = Mapping[str, Any]
T = TypeVar("T")

_NOTHING: Fields = {}
_MAPPINGS = {dict}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A time in nanoseconds fits until the year 2262; so much later no pod has started.
_INT64 = 2**63 - 1
_INT32 = range(-(2**31), 2**31)
_TYPES = {
    dict: "a mapping",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    type(None): "null",
}
_KEY = re.compile(r"[A-Za-z0-9_-]+")


class FieldError(Exception):
    """A field that makes no sense, with the way to mend it."""

    def __init__(self, field: str, problem: str, remedy: str) -> None:
        super().__init__(field, problem, remedy)
        self.field = field
        self.problem = problem
        self.remedy = remedy

    def within(self, prefix: str) -> FieldError:
        """Return the same error seen from the object that has `prefix` as a field."""
        joint = "" if not self.field or self.field.startswith("[") else "."
        return FieldError(f"{prefix}{joint}{self.field}", self.problem, self.remedy)


def wrong_type(field: str, value: object, wanted: str) -> FieldError:
    """Return the error for a field that holds something else than `wanted`."""
    found = _TYPES.get(type(value), type(value).__name__)
    return FieldError(field, f"is {found}, expected {wanted}", f"make it {wanted}")


def indexed(key: str) -> str:
    """Return how a map's key is written behind the map's name: `.cpu` or `["a.b/c"]`."""
    return key if _KEY.fullmatch(key) else f'["{key}"]'


def mapping(owner: Fields, key: str) -> Fields:
    """Return a mapping, empty when it is missing or null."""
    value = owner.get(key)
    if type(value) is dict:
        return value
    if value is None:
        return _NOTHING
    raise wrong_type(key, value, "a mapping")


def each(owner: Fields, key: str, parse: Callable[[Fields], T]) -> list[T]:
    """Return what `parse` makes of each mapping in a list, which may be missing or null."""
    values = owner.get(key)
    if values is None:
        return []
    if type(values) is not list:
        raise wrong_type(key, values, "a list")
    if {*map(type, values)} <= _MAPPINGS:
        try:
            return list(map(parse, values))
        except FieldError:
            pass  # once more, to find out where
    return [_parse_at(value, f"{key}[{index}]", parse) for index, value in enumerate(values)]


def _parse_at(value: object, place: str, parse: Callable[[Fields], T]) -> T:
    if type(value) is not dict:
        raise wrong_type(place, value, "a mapping")
    try:
        return parse(value)
    except FieldError as error:
        raise error.within(place) from None


def text(owner: Fields, key: str, default: str = "") -> str:
    """Return a text, `default` when it is missing or null."""
    value = owner.get(key)
    if type(value) is str:
        return value
    if value is None:
        return default
    raise wrong_type(key, value, "text")


def required_text(owner: Fields, key: str, remedy: str) -> str:
    """Return a text that must be there and not be empty."""
    value = text(owner, key)
    if not value:
        raise FieldError(key, "is missing", remedy)
    return value


def texts(owner: Fields, key: str) -> tuple[str, ...]:
    """Return a list of texts, empty when it is missing or null."""
    values = owner.get(key)
    if values is None:
        return ()
    if type(values) is not list:
        raise wrong_type(key, values, "a list of texts")
    for index, value in enumerate(values):
        if type(value) is not str:
            raise wrong_type(f"{key}[{index}]", value, "text")
    return tuple(values)


def text_map(owner: Fields, key: str) -> Mapping[str, str]:
    """Return a mapping from text to text, such as labels; empty when missing or null."""
    values = mapping(owner, key)
    for name, value in values.items():
        if type(value) is not str or type(name) is not str:
            raise wrong_type(f"{key}.{name}", value, "text (in YAML: put it in quotes)")
    return values


def integer(owner: Fields, key: str, default: int | None = None) -> int | None:
    """Return a whole number that an int32 can hold, `default` when it is missing or null."""
    value = owner.get(key)
    if value is None:
        return default
    if type(value) is not int:
        raise wrong_type(key, value, "a whole number")
    if value not in _INT32:
        raise FieldError(key, f"is {value}, beyond 32 bits", "use a number that fits an int32")
    return value


def boolean(owner: Fields, key: str) -> bool:
    """Return a boolean, False when it is missing or null."""
    value = owner.get(key)
    if value is None:
        return False
    if type(value) is not bool:
        raise wrong_type(key, value, "true or false")
    return value


def choice(owner: Fields, key: str, allowed: tuple[str, ...], default: str) -> str:
    """Return one of `allowed`, `default` when it is missing, null or empty."""
    value = text(owner, key) or default
    if value not in allowed:
        raise FieldError(key, f"is {value[:40]!r}", f"use one of {', '.join(allowed)}")
    return value


def timestamp(owner: Fields, key: str) -> int | None:
    """Return an RFC 3339 time in nanoseconds since the epoch, None when missing or null."""
    value = text(owner, key)
    if not value:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        problem = f"is {value[:40]!r}, no time"
        raise FieldError(key, problem, "write it like 2026-01-31T12:00:00Z") from None
    since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH
    nanos = (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1000
    if not -_INT64 <= nanos < _INT64:
        raise FieldError(key, f"is {value[:40]!r}, beyond any cluster", "use a time of this age")
    return nanos
