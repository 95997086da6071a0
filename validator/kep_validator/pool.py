"""Sharing out work on many KEPs among processes."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_processes(
    work: Callable[[Item], Result], items: Sequence[Item], workers: int, chunk: int
) -> Iterator[Result]:
    """Yield what `work` returns for each item, in their order, from `workers` processes.

    Items go out `chunk` at a time; `work`, items and results have to be picklable.
    """
    with ProcessPoolExecutor(workers, mp_context=_context()) as executor:
        yield from executor.map(work, items, chunksize=chunk)


def _context() -> multiprocessing.context.BaseContext:
    """Fork where it is safe: a forked worker need not import everything again."""
    can_fork = "fork" in multiprocessing.get_all_start_methods()
    alone = threading.active_count() == 1
    return multiprocessing.get_context("fork" if can_fork and alone else "spawn")
