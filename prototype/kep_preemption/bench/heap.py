"""The garbage collector during a measurement."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def steady_heap() -> Iterator[None]:
    """Keep the collector from running unasked, and from walking the cluster when asked.

    Everything alive on entry is frozen (`gc.freeze`); callers collect between measurements.
    """
    was_enabled = gc.isenabled()
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if was_enabled:
            gc.enable()
