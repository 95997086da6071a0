"""The command `kepler evidence`."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from kep_workbench.errors import UsageError
from kep_workbench.workspace import Workspace, find_workspace, folder_argument

if TYPE_CHECKING:
    from kep_workbench.evidence_check import Check
    from kep_workbench.evidence_plan import Update
    from kep_workbench.evidence_records import RefusedError

SCHEMA_VERSION = "1"
_MARKS = """\
Where results go is marked in the KEP's README.md. A block, each marker alone on its line:

  <!-- evidence:begin id="edge-10" run="default/edge-10" show="table:latency" -->
  <!-- evidence:end -->

and a value in prose, within one line:

  ... takes <!-- fact:latency-p50 run="default/edge-10" --><!-- /fact --> on ten nodes.

run is BATCH/RUN of notebooks/batches.yaml. show lists what the block shows: table:ID, figure:ID,
fact:ID, tables, figures, facts, provenance, all (which is also meant when it is left out). The
tool writes between the markers and puts a digest into the first, by which it knows edits.

exit codes: 0 done or fresh, 1 refused or not fresh, 2 wrong usage or unreadable input"""


def add_evidence_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kepler evidence`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _MARKS
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    update = actions.add_parser("update", help="write a batch's results into the KEP")
    _add_common(update)
    update.add_argument("--batch", default="default", help="the batch (default: default)")
    update.add_argument(
        "--out",
        type=folder_argument,
        metavar="FOLDER",
        help="where kepler run put its outputs (default: out)",
    )
    update.add_argument(
        "--accepted",
        action="store_true",
        help="render again from the evidence that the KEP holds, without outputs of runs",
    )
    update.add_argument(
        "--overwrite-edited",
        action="store_true",
        help="replace hand-edited text by the measured one, after showing the difference",
    )
    update.add_argument(
        "--dry-run", action="store_true", help="show what would change, write nothing"
    )
    check = actions.add_parser("check", help="say whether the evidence still holds")
    _add_common(check)
    check.add_argument("--output", choices=("text", "json"), default="text", help="how to report")


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--kep",
        type=folder_argument,
        default=Path("kep"),
        metavar="FOLDER",
        help="the KEP (default: kep)",
    )
    parser.add_argument(
        "--workspace",
        type=folder_argument,
        metavar="FOLDER",
        help="the checkout with the notebooks",
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        default=argparse.SUPPRESS,
        help="show tracebacks of errors",
    )


def run_evidence(args: argparse.Namespace) -> int:
    """Update or check evidence; 1 when an update is refused or a check fails.

    Raises:
        WorkbenchError: a path or a batch does not exist, or a file cannot be read or written.
    """
    return _update(args) if args.action == "update" else _check(args)


def _workspace(args: argparse.Namespace) -> Workspace:
    """The workspace named, else the one that the KEP lies in, else the one here."""
    if args.workspace is None:
        try:
            return find_workspace(args.kep)
        except UsageError:
            pass
    return find_workspace(given=args.workspace)


def _update(args: argparse.Namespace) -> int:
    from kep_workbench.batch import plan
    from kep_workbench.evidence import Options, update
    from kep_workbench.evidence_records import RefusedError

    workspace = _workspace(args)
    batch = plan(workspace, args.batch)
    options = Options(args.out or workspace.out, args.accepted, args.overwrite_edited, args.dry_run)
    try:
        done = update(args.kep, workspace, batch, options)
    except RefusedError as error:
        _print_refused(error)
        return 1
    _print_update(done, args)
    return 0


def _print_update(done: Update, args: argparse.Namespace) -> None:
    sys.stdout.write(done.diff if args.dry_run else done.edits)
    for note in done.notes:
        sys.stderr.write(f"note: {note}\n")
    if not done.steps:
        sys.stdout.write(f"{args.kep}: the evidence is up to date\n")
        return
    lead = "would " if args.dry_run else ""
    for change in done.changes:
        sys.stdout.write(f"{lead}{change}\n")
    if args.dry_run:
        sys.stdout.write("Nothing is written.\n")


def _print_refused(error: RefusedError) -> None:
    if error.diff:
        sys.stdout.write(error.diff)
    remedies = [refusal.remedy for refusal in error.refusals]
    for number, refusal in enumerate(error.refusals):
        sys.stderr.write(f"error: {refusal.place}: {refusal.problem}\n")
        # The same remedy for many stands once, behind the last.
        if refusal.remedy not in remedies[number + 1 :]:
            sys.stderr.write(f"  help: {refusal.remedy}\n")
    sys.stderr.write("The KEP is left as it was.\n")


def _check(args: argparse.Namespace) -> int:
    from kep_workbench.evidence_check import check_evidence

    try:
        workspace: Workspace | None = _workspace(args)
    except UsageError:
        if args.workspace is not None:
            raise
        workspace = None
    check = check_evidence(args.kep, workspace)
    if args.output == "json":
        _print_json(check, args.kep)
    else:
        _print_text(check, args.kep)
    return int(bool(check.findings))


def _print_json(check: Check, kep: Path) -> None:
    value = {
        "schema_version": SCHEMA_VERSION,
        "kep": str(kep),
        "fresh": not check.findings,
        **asdict(check),
    }
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def _print_text(check: Check, kep: Path) -> None:
    for finding in check.findings:
        sys.stdout.write(f"{finding.place}: {finding.message} [{finding.kind}]\n")
        sys.stdout.write(f"  help: {finding.help}\n")
    for words in check.notes:
        sys.stderr.write(f"note: {words}\n")
    for words in check.not_checked:
        sys.stderr.write(f"note: not checked: {words}\n")
    counts = f"{check.marks} marked places, evidence of {len(check.runs)} runs"
    if not check.marks and not check.runs:
        sys.stdout.write(f"{kep}: the KEP holds no evidence and no marks for it\n")
    elif check.findings:
        sys.stdout.write(
            f"{kep}: {len(check.findings)} finding{'s'[: len(check.findings) != 1]} in {counts}\n"
        )
    else:
        sys.stdout.write(f"{kep}: the evidence holds ({counts})\n")
