"""Results in a file: all of them or the file as it was."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from kep_preemption.errors import InputError


def write_atomically(path: Path, text: str) -> None:
    """Put `text` at `path` in one step; a symbolic link is followed, permissions are kept.

    Raises:
        InputError: the folder or the file cannot be written.
    """
    target = path.resolve()
    try:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.chmod(mode)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(
            str(path),
            f"cannot be written: {error.strerror or type(error).__name__}",
            "check that its folder exists and is yours to write",
        ) from error
