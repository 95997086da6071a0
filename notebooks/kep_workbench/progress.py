"""Tell how a batch goes: a living line on a terminal, one line per run in a pipe."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TextIO

from kep_workbench.record import RunRecord, RunStatus

if TYPE_CHECKING:
    from kep_workbench.execute import CellProgress

_MARKS = {
    RunStatus.OK: "ok",
    RunStatus.FAILED: "FAILED",
    RunStatus.TIMEOUT: "TIMEOUT",
    RunStatus.ERROR: "ERROR",
    RunStatus.NOT_RUN: "not run",
}
_REDRAW = 0.2  # seconds between two drawings of the living line


class Progress:
    """Reports on a batch: finished runs to `out`, the living line to `live` when a terminal."""

    def __init__(
        self,
        total: int,
        out: TextIO | None = None,
        live: TextIO | None = None,
        verbose: bool = False,
    ) -> None:
        self._total = total
        self._verbose = verbose
        self._out = out or sys.stdout
        self._live = live or sys.stderr
        self._is_terminal = self._live.isatty()
        self._number = 0
        self._run = ""
        self._cell = ""
        self._started = 0.0
        self._drawn = 0.0

    def start(self, run: str) -> None:
        """A run begins."""
        self._number += 1
        self._run, self._cell, self._started = run, "starting the kernel", time.monotonic()
        self.tick()

    def cell(self, cell: CellProgress) -> None:
        """A cell begins; may come from another thread, and only notes it."""
        self._cell = f"cell {cell.number}/{cell.total} {cell.name}"

    def tick(self) -> None:
        """Redraw the living line, if there is one and it is time."""
        now = time.monotonic()
        if not self._is_terminal or now - self._drawn < _REDRAW:
            return
        self._drawn = now
        seconds = now - self._started
        line = f"[{self._number}/{self._total}] {self._run}  {seconds:4.0f} s  {self._cell}"
        self._live.write(f"\r\x1b[2K{line[:100]}")
        self._live.flush()

    def finish(self, record: RunRecord, where: str, traceback: str = "") -> None:
        """A run has ended; `traceback` is what a cell that raised printed."""
        self.clear()
        mark = _MARKS[record.run_status]
        self._say(f"{mark:<8} {record.run:<18} {record.provenance.seconds:6.1f} s  {where}")
        if record.error:
            self._say(f"         {record.error}")
            if self._verbose and traceback:
                self._say(traceback)
        elif record.run_status is RunStatus.NOT_RUN and record.result:
            self._say(f"         {record.result.reason}")

    def keep(self, record: RunRecord, where: str) -> None:
        """A run is kept from before."""
        self._number += 1
        self._say(f"{'kept':<8} {record.run:<18} {'':>8}  {where} (nothing changed since)")

    def clear(self) -> None:
        """Wipe the living line."""
        if self._is_terminal:
            self._live.write("\r\x1b[2K")
            self._live.flush()
        self._drawn = 0.0

    def _say(self, line: str) -> None:
        self._out.write(f"{line}\n")
        self._out.flush()
