"""The command `kepler export`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kep_workbench.workspace import folder_argument

_FORM = """\
The metadata stand between two lines of ---, the README.md follows. Upstream's reader of this form
takes every line that holds --- anywhere for a separator and drops it. So none is left in the
metadata: dashes in comments are shortened, and a value that holds --- is refused. Behind the
second separator such lines do no harm; rules and tables in the body stay as they are. Relative
links are adjusted to where the file stands.

exit codes: 0 written or up to date, 1 refused or (--check) not up to date, 2 wrong usage or
unreadable input"""


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kepler export`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _FORM
    parser.add_argument(
        "kep", type=folder_argument, help="the KEP's folder, with kep.yaml and README.md"
    )
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="the file to write (default: kep-NUMBER.md here); - prints it",
    )
    parser.add_argument(
        "--force", action="store_true", help="replace a file that is no export, or was edited"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; 1 when the file is not up to date"
    )


def run_export(args: argparse.Namespace) -> int:
    """Export a KEP as one file; 1 when that is refused or `--check` finds it out of date.

    Raises:
        WorkbenchError: a file is missing or broken, or cannot be written.
    """
    from kep_workbench.evidence_records import RefusedError
    from kep_workbench.export import make_export, write_export

    printed = args.output == "-"
    try:
        export = make_export(args.kep, None if printed or not args.output else Path(args.output))
        if printed:
            sys.stdout.buffer.write(export.data)
            return 0
        current = export.is_current
        if args.check:
            words = "is up to date" if current else "is not up to date: kepler export writes it"
            sys.stdout.write(f"{export.path}: {words}\n")
            return int(not current)
        if not current:
            write_export(export, args.force)
    except RefusedError as error:
        for refusal in error.refusals:
            sys.stderr.write(f"error: {refusal.place}: {refusal.problem}\n")
            sys.stderr.write(f"  help: {refusal.remedy}\n")
        return 1
    if export.known_errors:
        sys.stderr.write(
            f"note: the KEP has errors of its own ({export.known_errors}): "
            f"kepler validate {args.kep}\n"
        )
    verb = "is up to date" if current else "written"
    lines = export.data.count(b"\n")
    sys.stdout.write(f"{export.path}: {verb} ({lines} lines, validated in this form)\n")
    return 0
