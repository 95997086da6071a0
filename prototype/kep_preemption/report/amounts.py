"""Amounts and times as people write them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from kep_preemption.objects import CPU, EPHEMERAL_STORAGE, MEMORY
from kep_preemption.quantity import format_bytes, format_milli


def amount(resource: str, value: int) -> str:
    """Return an amount with its unit: `400m`, `2Gi`, `3`."""
    if resource == CPU:
        return format_milli(value)
    if resource in (MEMORY, EPHEMERAL_STORAGE) or resource.startswith("hugepages-"):
        exact = format_bytes(value)
        return exact if len(exact) <= 7 else _about(value)
    return str(value)


def _about(value: int) -> str:
    for power, suffix in ((6, "Ei"), (5, "Pi"), (4, "Ti"), (3, "Gi"), (2, "Mi")):
        if value >= 1024**power:
            return f"~{value / 1024**power:.1f}{suffix}"
    return str(value)


def requests_text(requests: Mapping[str, int]) -> str:
    """Return requests in one line, CPU and memory first; `nothing` if there are none."""
    first = [name for name in (CPU, MEMORY) if name in requests]
    names = first + sorted(set(requests) - set(first))
    return ", ".join(f"{name} {amount(name, requests[name])}" for name in names) or "nothing"


def time_text(nanos: int | None) -> str:
    """Return a time as RFC 3339 to the second, `not started` for None."""
    if nanos is None:
        return "not started"
    try:
        moment = datetime.fromtimestamp(nanos // 10**9, UTC)
    except (ValueError, OverflowError, OSError):
        return f"{nanos} ns"
    return moment.isoformat().replace("+00:00", "Z")
