"""Execute one notebook through papermill, with a deadline and with no kernel left behind.

papermill runs in a thread of its own: the main thread keeps the clock and the signals, and can
end the kernel's process group at any moment, even while a cell hangs in compiled code. (nbclient
would install signal handlers of its own, but only does so in the main thread.)
"""

# ruff: noqa: E402 - the line on rfc3987_syntax must come before the imports it speeds up
from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# papermill and nbformat import jsonschema, whose format extra compiles grammars at import.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

import nbformat
import papermill
from ipykernel.kernelspec import RESOURCES, get_kernel_dict
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from jupyter_core.utils import ensure_event_loop

from kep_workbench.record import RunStatus
from kep_workbench.results import MEDIA_TYPE

# What papermill logs is told in the run's record.
logging.getLogger("papermill").addHandler(logging.NullHandler())

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_GRACE = 10.0  # seconds that papermill gets to save the notebook once its kernel is gone
_INTERRUPT_GRACE = 10.0  # seconds that an interrupted cell gets to clean up
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


@dataclass(frozen=True)
class CellProgress:
    """Which code cell is running: `number` of `total`, both counted from 1 over all cells."""

    number: int
    total: int
    name: str


OnCell = Callable[[CellProgress], None]
OnTick = Callable[[], None]


@dataclass(frozen=True)
class Execution:
    """How an execution ended; `error` is one sentence, `traceback` what the cell printed."""

    status: RunStatus
    seconds: float
    error: str = ""
    traceback: str = ""


@dataclass
class _Session:
    """What the two threads share."""

    on_cell: OnCell
    manager: AsyncKernelManager | None = None
    cell: CellProgress | None = None
    failure: BaseException | None = None
    finished: threading.Event = field(default_factory=threading.Event)


def execute(
    notebook: Path,
    output: Path,
    parameters: Mapping[str, Any],
    cwd: Path,
    timeout: float,
    on_cell: OnCell = lambda _: None,
    on_tick: OnTick = lambda: None,
) -> Execution:
    """Run `notebook` with `parameters` in `cwd` and write it, executed, to `output`.

    `timeout` is in seconds and counts for the whole run. `on_cell` hears of each cell as it
    begins (in another thread), `on_tick` is called about ten times a second. Whatever ends this
    call, also an exception such as KeyboardInterrupt, the kernel's processes are gone after it.
    Must be called in the main thread for signals to reach it.
    """
    session = _Session(on_cell)
    worker = threading.Thread(
        target=_run_papermill,
        args=(session, notebook, output, dict(parameters), cwd),
        name="papermill",
        daemon=True,
    )
    started = time.monotonic()
    worker.start()
    try:
        while not session.finished.wait(0.1):
            on_tick()
            if time.monotonic() - started > timeout:
                _stop(session)
                seconds = time.monotonic() - started
                return Execution(RunStatus.TIMEOUT, seconds, _timeout_words(session, timeout))
    finally:
        _stop(session)
    return _judge(session, time.monotonic() - started)


def published(output: Path) -> list[dict[str, Any]]:
    """Return the results that an executed notebook shows, in order."""
    notebook = nbformat.read(output, as_version=4)  # type: ignore[no-untyped-call]
    return [
        item["data"][MEDIA_TYPE]
        for cell in notebook.cells
        for item in cell.get("outputs", [])
        if MEDIA_TYPE in item.get("data", {})
    ]


def _run_papermill(
    session: _Session, notebook: Path, output: Path, parameters: dict[str, Any], cwd: Path
) -> None:
    loop = ensure_event_loop()
    try:
        papermill.execute_notebook(
            notebook,
            output,
            parameters=parameters,
            kernel_name="python3",
            progress_bar=False,
            cwd=cwd,
            start_timeout=120,
            kernel_manager_class=_manager_class(session),
            shutdown_kernel="immediate",
            on_cell_start=_cell_hook(session, notebook),
        )
    except BaseException as error:  # noqa: BLE001 - handed to the main thread, which judges it
        session.failure = error
    finally:
        _close(loop)
        session.finished.set()


def _close(loop: asyncio.AbstractEventLoop) -> None:
    """Close this thread's event loop, after what papermill left waiting in it."""
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


def _manager_class(session: _Session) -> type[AsyncKernelManager]:
    """Make a kernel manager that tells the session about itself.

    The kernel is this very interpreter, whatever a user's own `python3` kernel may be, and
    talks over encrypted sockets where jupyter_client can do that.
    """

    class Manager(AsyncKernelManager):
        def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - jupyter_client's own
            if "transport_encryption" in self.class_traits():
                settings.setdefault("transport_encryption", "auto")
            super().__init__(**settings)
            session.manager = self

        @property
        def kernel_spec(self) -> KernelSpec:
            return KernelSpec(resource_dir=RESOURCES, **get_kernel_dict())

    return Manager


def _cell_hook(session: _Session, notebook: Path) -> Callable[..., None]:
    def on_cell_start(cell: Mapping[str, Any], cell_index: int) -> None:
        name = cell.get("id", "") or f"cell {cell_index + 1}"
        session.cell = CellProgress(cell_index + 1, total, name)
        session.on_cell(session.cell)

    # papermill inserts one cell for the parameters.
    total = len(json.loads(notebook.read_bytes())["cells"]) + 1
    return on_cell_start


def _stop(session: _Session) -> None:
    """End the kernel and wait for papermill to notice; harmless when both are gone.

    A cell gets the chance to remove what it has made elsewhere, such as objects on a cluster.
    """
    try:
        if session.cell is not None and not session.finished.is_set():
            _signal_kernel(session, signal.SIGINT)
            session.finished.wait(_INTERRUPT_GRACE)
        deadline = time.monotonic() + _GRACE
        while not session.finished.wait(0.05) and time.monotonic() < deadline:
            _signal_kernel(session, _KILL)
    finally:
        _signal_kernel(session, _KILL)


def _signal_kernel(session: _Session, number: int) -> None:
    provisioner = getattr(session.manager, "provisioner", None)
    process = getattr(provisioner, "process", None)
    if process is None or process.poll() is not None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            # A kernel leads a process group of its own, so its children go with it.
            os.killpg(process.pid, number)
        elif number == _KILL:
            process.kill()


def _judge(session: _Session, seconds: float) -> Execution:
    failure = session.failure
    if failure is None:
        return Execution(RunStatus.OK, seconds)
    if isinstance(failure, papermill.PapermillExecutionError):
        name = session.cell.name if session.cell else "?"
        error = f"cell {name!r} raised {failure.ename}: {failure.evalue}"
        return Execution(
            RunStatus.FAILED, seconds, error, _COLOURS.sub("", "\n".join(failure.traceback))
        )
    where = f" in cell {session.cell.name!r}" if session.cell else ""
    words = f"{type(failure).__name__}{where}: {failure}".strip()
    if type(failure).__name__ == "DeadKernelError":
        words = f"the kernel died{where}; it may have run out of memory"
    return Execution(RunStatus.ERROR, seconds, words)


def _timeout_words(session: _Session, timeout: float) -> str:
    where = f"cell {session.cell.name!r}" if session.cell else "the kernel's start"
    return f"time was up after {timeout:g} s, in {where}; raise 'timeout' in batches.yaml"
