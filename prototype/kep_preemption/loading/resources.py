"""Resource lists: names with quantities, as requests, limits and allocatable hold them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from kep_preemption.loading.fields import FieldError, Fields, indexed, mapping, wrong_type
from kep_preemption.objects import CPU, EPHEMERAL_STORAGE, MEMORY, PODS
from kep_preemption.quantity import milli, quantity_of, whole

# Nanos by resource name. Read-only by convention: lists that read alike share one object.
ResourceList = Mapping[str, int]

_NO_RESOURCES: ResourceList = {}
# Lists read before, by their names and texts: most pods of a cluster share a few.
_KNOWN: dict[tuple[tuple[str, object], ...], ResourceList] = {}
_MOST_KNOWN = 65536
_ONLY_TEXT = {str}
_NATIVE = frozenset({CPU, MEMORY, EPHEMERAL_STORAGE})
_QUALIFIED = re.compile(r"[a-z0-9.-]+/[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?")


def resource_list(owner: Fields, key: str) -> ResourceList:
    """Return the resources in a field in nanos, empty when it is missing or null."""
    values = owner.get(key)
    if values is None:
        return _NO_RESOURCES
    try:
        known = _KNOWN.get(tuple(values.items()))
    except (AttributeError, TypeError):
        known = None
    return known if known is not None else _parse(mapping(owner, key), key)


def _parse(values: Fields, key: str) -> ResourceList:
    try:
        parsed = {name: _quantity(name, value) for name, value in values.items()}
    except FieldError as error:
        raise error.within(key) from None
    # Only text is kept: 1 and True would be one key.
    if len(_KNOWN) < _MOST_KNOWN and {*map(type, values.values())} <= _ONLY_TEXT:
        _KNOWN[tuple(values.items())] = parsed
    return parsed


def rounded(resources: ResourceList) -> Mapping[str, int]:
    """Return what the scheduler counts: CPU in millicores, all else in units, rounded up.

    Names the scheduler does not count (`Resource.Add` of pkg/scheduler/framework), such as
    `storage`, are left out.
    """
    return _rounded(tuple(resources.items()))


@lru_cache(maxsize=65536)
def _rounded(items: tuple[tuple[str, int], ...]) -> Mapping[str, int]:
    return {
        name: milli(nanos) if name == CPU else whole(nanos)
        for name, nanos in items
        if is_counted(name)
    }


@lru_cache(maxsize=4096)
def is_counted(name: str) -> bool:
    """Tell whether the scheduler counts a resource of this name (`IsScalarResourceName`)."""
    if name in _NATIVE or name.startswith(("hugepages-", "attachable-volumes-")):
        return True
    return _QUALIFIED.fullmatch(name) is not None and not name.startswith("requests.")


def _quantity(name: object, value: object) -> int:
    if type(name) is not str:
        raise wrong_type(f"[{name}]", name, "text as the resource's name")
    try:
        nanos = quantity_of(value)
    except ValueError as error:
        raise FieldError(
            indexed(name), str(error), 'write a quantity such as "250m", "2" or "1.5Gi"'
        ) from None
    if nanos < 0:
        raise FieldError(indexed(name), f"is negative: {value}", "use zero or more")
    return nanos


def is_allocatable(name: str) -> bool:
    """Tell whether a node's amount of it counts: what pods can ask for, and `pods`."""
    return name == PODS or is_counted(name)
