"""The command `kepler run`."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from kep_workbench.batch import Batch, load_batches, plan
from kep_workbench.errors import UsageError
from kep_workbench.workspace import Workspace, find_workspace, folder_argument

if TYPE_CHECKING:
    from kep_workbench.record import RunRecord


class Terminated(BaseException):
    """The process was asked to end (SIGTERM, SIGHUP); `code` is its exit code."""

    def __init__(self, number: int) -> None:
        self.code = 128 + number
        super().__init__(f"ended by {signal.Signals(number).name}")


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kepler run`."""
    parser.add_argument("batch", nargs="?", default="default", help="the batch (default: default)")
    parser.add_argument("--list", action="store_true", help="list batches and runs, run nothing")
    parser.add_argument("--only", action="append", default=[], metavar="RUN", help="only this run")
    parser.add_argument(
        "-p",
        action="append",
        default=[],
        dest="overrides",
        metavar="NAME=VALUE",
        help="set a parameter of the one run chosen with --only",
    )
    parser.add_argument("--force", action="store_true", help="run again what is already done")
    parser.add_argument(
        "--workspace", type=folder_argument, metavar="FOLDER", help="the checkout to work in"
    )


def run_run(args: argparse.Namespace) -> int:
    """Run a batch; 1 when a run failed.

    Raises:
        WorkbenchError: the batch, a run or a parameter does not exist, or a file is broken.
    """
    workspace = find_workspace(given=args.workspace)
    if args.list:
        return _list(workspace)
    batch = plan(workspace, args.batch, args.only, args.overrides)
    _need_notebook_packages()
    from kep_workbench.progress import Progress
    from kep_workbench.run import run_batch

    with _signals():
        progress = Progress(len(batch.runs), verbose=getattr(args, "verbose", False))
        records = run_batch(workspace, batch, progress, args.force)
    sys.stderr.write(f"{_summary(batch, records)}\n")
    return int(any(record.run_status.is_failure for record in records))


def _list(workspace: Workspace) -> int:
    for name, batch in load_batches(workspace).items():
        sys.stdout.write(f"{name}: {batch['description']}\n")
        for run in plan(workspace, name).runs:
            sys.stdout.write(f"  {run.id:<18} {workspace.shown(run.notebook)}\n")
    return 0


def _summary(batch: Batch, records: list[RunRecord]) -> str:
    counts: dict[str, int] = {}
    for record in records:
        counts[record.run_status.value] = counts.get(record.run_status.value, 0) + 1
    words = ", ".join(f"{count} {status}" for status, count in counts.items())
    seconds = sum(record.provenance.seconds for record in records)
    runs = "1 run" if len(records) == 1 else f"{len(records)} runs"
    return f"Batch {batch.name}: {runs} ({words}), {seconds:.0f} s of notebooks"


def _need_notebook_packages() -> None:
    from importlib.util import find_spec

    missing = [name for name in ("papermill", "ipykernel") if find_spec(name) is None]
    if missing:
        remedy = "install them: pip install '.[notebooks]' in a checkout of kep-workbench"
        raise UsageError("kepler run", f"needs {' and '.join(missing)}", remedy)


@contextmanager
def _signals() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into an exception, so that kernels and scratch files go."""

    def on_signal(number: int, _: FrameType | None) -> None:
        # Whoever asks twice must not cut the cleaning short.
        for name in numbers:
            signal.signal(name, signal.SIG_IGN)
        raise Terminated(number)

    numbers = [signal.SIGTERM]
    if hasattr(signal, "SIGHUP"):
        numbers.append(signal.SIGHUP)
    before = {number: signal.signal(number, on_signal) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
