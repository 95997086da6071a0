"""How much a call allocates, counted by memray.

The figures are the calls of the allocators: Python's own (`PyMem_*`, `PyObject_*`) and the C
library's (numpy's buffers among them). Two things are not seen: objects that CPython takes from
its free lists and arrays that numpy takes from its small cache, as neither asks an allocator.
Mapped arenas are left out, as the objects inside them are already counted.
"""

from __future__ import annotations

import gc
import importlib.util
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Allocations:
    """What one call allocates on average: bytes and allocations, rounded down as Go does."""

    bytes: int
    count: int


def can_count_allocations() -> bool:
    """Tell whether memray is installed; it does not exist for Windows."""
    return importlib.util.find_spec("memray") is not None


def count_allocations(action: Callable[[], object], iterations: int = 1) -> Allocations:
    """Run `action` `iterations` times under memray, apart from any timing.

    What the tracker itself costs is measured on an empty run and taken off.

    Raises:
        ImportError: memray is not installed.
        ValueError: `iterations` is below 1.
    """
    if iterations < 1:
        raise ValueError(f"at least one iteration is needed, not {iterations}")
    with tempfile.TemporaryDirectory(prefix="kepler-bench-") as folder:
        _record(Path(folder) / "warm.bin", action, 0)
        idle = _record(Path(folder) / "idle.bin", action, 0)
        busy = _record(Path(folder) / "busy.bin", action, iterations)
    return Allocations(
        max(0, busy.bytes - idle.bytes) // iterations, max(0, busy.count - idle.count) // iterations
    )


def _record(path: Path, action: Callable[[], object], iterations: int) -> Allocations:
    import memray

    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        with memray.Tracker(path, trace_python_allocators=True):
            for _ in range(iterations):
                action()
    finally:
        if was_enabled:
            gc.enable()
    ignored = {
        memray.AllocatorType.FREE,
        memray.AllocatorType.PYMALLOC_FREE,
        memray.AllocatorType.MMAP,
        memray.AllocatorType.MUNMAP,
    }
    total = count = 0
    with memray.FileReader(path) as reader:
        for record in reader.get_allocation_records():
            if record.allocator not in ignored:
                total += record.size
                count += 1
    return Allocations(total, count)
