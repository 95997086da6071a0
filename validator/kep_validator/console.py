"""The standard streams of a command, whatever the shell has done with them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TextIO

from kep_validator.errors import KepValidateError


def prepare_streams() -> None:
    """Make stdout and stderr fit to write to.

    A stream that was closed (`>&-`) swallows what it gets, and a character that the stream's
    encoding lacks is written as an escape.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            # Whoever reads the exit code alone may close the streams.
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def shows_all(stream: TextIO) -> bool:
    """Whether the stream's encoding has all characters; JSON needs its own escapes otherwise."""
    return (stream.encoding or "utf-8").lower().replace("-", "").startswith("utf8")


def write_output(text: str) -> None:
    """Write to stdout and flush; a reader (such as `head`) that has seen enough is no error.

    Raises:
        KepValidateError: the output cannot be written, for example to a full disk.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
    except OSError as error:
        discard_output()
        raise output_error(error) from error


def output_error(error: OSError) -> KepValidateError:
    """Say that stdout cannot be written."""
    problem = f"cannot be written: {error.strerror or type(error).__name__}"
    return KepValidateError("standard output", problem, "check where it goes: the report is lost")


def discard_output() -> None:
    """Let go of what stdout still holds, so that Python does not complain of it at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
