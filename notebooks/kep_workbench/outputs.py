"""Where a run's outputs lie, and how they take their place as a whole."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kep_workbench.errors import InputError, UsageError

RECORD = "result.json"
NOTEBOOK = "notebook.ipynb"
_PREFIX = ".unfinished-"


@dataclass(frozen=True)
class Outputs:
    """The folder `out/<batch>` of a workspace."""

    folder: Path

    def record(self, run: str) -> Path:
        """The run's record."""
        return self.folder / run / RECORD

    def notebook(self, run: str) -> Path:
        """The run's executed notebook."""
        return self.folder / run / NOTEBOOK

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes out of this batch, and clear away what a killed one left.

        Raises:
            UsageError: another process is running this batch.
            InputError: the folder cannot be made.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = (self.folder / ".lock").open("a")
        except OSError as error:
            reason = error.strerror or type(error).__name__
            place, problem = str(self.folder), f"cannot be written: {reason}"
            raise InputError(place, problem, "check the folder's permissions") from error
        with lock:
            _lock(lock.fileno(), self.folder)
            for left in self.folder.glob(f"{_PREFIX}*"):
                shutil.rmtree(left, ignore_errors=True)
            yield

    @contextlib.contextmanager
    def unfinished(self) -> Iterator[Path]:
        """A scratch folder beside the results; gone afterwards unless `finish` took it."""
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self.folder))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def finish(self, folder: Path, run: str) -> None:
        """Move a scratch folder to the run's place.

        A process killed within finds the run missing, never half there, and runs it again.
        """
        folder.chmod(0o755)
        place = self.folder / run
        if place.exists():
            old = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self.folder))
            place.rename(old / run)
            folder.rename(place)
            shutil.rmtree(old, ignore_errors=True)
        else:
            folder.rename(place)


def _lock(descriptor: int, folder: Path) -> None:
    if os.name != "posix":
        return
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        problem = "another kepler run is working on this batch"
        raise UsageError(str(folder), problem, "wait for it to end, or stop it") from error
