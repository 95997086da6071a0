"""Sharing out work on many KEPs among processes."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from kep_validator.errors import KepValidateError

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_processes(
    work: Callable[[Item], Result], items: Sequence[Item], workers: int, chunk: int
) -> Iterator[Result]:
    """Yield what `work` returns for each item, in their order, from `workers` processes.

    Items go out `chunk` at a time; `work`, items and results have to be picklable.

    Raises:
        KepValidateError: a process was killed, most likely for want of memory.
    """
    with ProcessPoolExecutor(workers, mp_context=_context(), initializer=_ignore_ctrl_c) as pool:
        try:
            yield from pool.map(work, items, chunksize=chunk)
        except BrokenProcessPool as error:
            problem = "ended before its work was done"
            raise KepValidateError(
                "a worker process", problem, "try again with --jobs 1"
            ) from error
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _ignore_ctrl_c() -> None:
    """Leave Ctrl-C to the parent, which stops its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _context() -> multiprocessing.context.BaseContext:
    """Fork where it is safe: a forked worker need not import everything again."""
    can_fork = "fork" in multiprocessing.get_all_start_methods()
    alone = threading.active_count() == 1
    return multiprocessing.get_context("fork" if can_fork and alone else "spawn")
