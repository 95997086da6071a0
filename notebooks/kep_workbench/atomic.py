"""Replace several files so that a process killed at any moment leaves each of them whole."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kep_workbench.errors import InputError, UsageError
from kep_workbench.files import write_atomically

Writer = Callable[[Path, bytes], None]


@dataclass(frozen=True)
class Step:
    """Put `data` at `path`, or remove the file when `data` is None."""

    path: Path
    data: bytes | None


def changing(steps: Iterable[Step]) -> list[Step]:
    """Return the steps that change what is on the disk."""
    return [step for step in steps if _now(step.path) != step.data]


def apply_steps(steps: Sequence[Step], write: Writer = write_atomically) -> None:
    """Carry out `steps` in this order, each as a whole; `write` replaces one file.

    Raises:
        InputError: a file cannot be written or removed; the steps before it are done.
    """
    for step in steps:
        try:
            if step.data is None:
                step.path.unlink(missing_ok=True)
                continue
            step.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            remedy = "check the folder and its permissions"
            raise InputError(str(step.path), f"cannot be changed: {reason}", remedy) from error
        write(step.path, step.data)


def clear_unfinished(paths: Iterable[Path]) -> None:
    """Remove what writers of `paths` left when they were killed; call it under the lock."""
    for path in paths:
        for left in path.parent.glob(f".{path.name}.*.tmp"):
            left.unlink(missing_ok=True)


@contextlib.contextmanager
def locked(folder: Path, command: str) -> Iterator[None]:
    """Let one process at a time change `folder`.

    The lock is the system's on the open folder: it leaves no file behind and goes with its
    process, so that no stale lock can remain. Systems without such locks go without.

    Raises:
        UsageError: another process holds it.
        InputError: the folder cannot be opened.
    """
    if os.name != "posix":
        yield
        return
    import fcntl

    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(str(folder), f"cannot be opened: {reason}", "check the path") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        problem = f"another {command} is changing it"
        raise UsageError(str(folder), problem, "wait for it to end, or stop it") from error
    except OSError:
        # Some network file systems have no locks; working without one beats not working.
        pass
    try:
        yield
    finally:
        os.close(handle)


def _now(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        remedy = "check the path and its permissions"
        raise InputError(str(path), f"cannot be read: {reason}", remedy) from error
