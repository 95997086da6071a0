"""Replace files as a whole, so that a reader never sees half of one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from kep_workbench.errors import InputError


def write_atomically(path: Path, data: bytes) -> None:
    """Put `data` at `path`: all of it or nothing, whenever the process dies.

    An existing file keeps its permissions; a symbolic link is followed.

    Raises:
        InputError: the folder cannot be written, or something there is no file.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        # Replacing would take away a device or a pipe that others use.
        problem = "is there and is no regular file"
        raise InputError(str(path), problem, "give the path of a file, or of none")
    try:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        handle, temporary = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name}.", suffix=".tmp"
        )
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            Path(temporary).chmod(mode)
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(
            str(path), f"cannot be written: {reason}", "check the folder and its permissions"
        ) from error


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current
