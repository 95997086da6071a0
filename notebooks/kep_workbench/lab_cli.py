"""The command `kepler lab`: JupyterLab on the notebooks, for this machine alone."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

from kep_workbench.errors import UsageError
from kep_workbench.workspace import find_workspace


def add_lab_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `kepler lab`."""
    parser.add_argument("--no-browser", action="store_true", help="print the address only")
    parser.add_argument(
        "--port", type=int, default=8888, help="the first port to try (default: 8888)"
    )
    parser.add_argument("--workspace", type=Path, metavar="FOLDER", help="the checkout to work in")
    parser.add_argument("--allow-root", action="store_true", help="run as root, as in a container")
    parser.add_argument(
        "--dry-run", action="store_true", help="print the command that would be run"
    )


def lab_command(args: argparse.Namespace) -> list[str]:
    """Return the command that starts JupyterLab.

    It listens on the loopback address only, and jupyter_server makes a fresh token at each start
    unless the user's own configuration sets one. The whole workspace can be browsed, so that the
    KEP can be edited beside its notebooks.

    Raises:
        UsageError: there is no workspace.
    """
    workspace = find_workspace(given=args.workspace)
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={workspace.root}",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={args.port}",
        f"--LabApp.default_url=/lab/tree/{workspace.notebooks.name}",
    ]
    if args.allow_root:
        command.append("--allow-root")
    if args.no_browser:
        command.append("--no-browser")
    return command


def run_lab(args: argparse.Namespace) -> int:
    """Become JupyterLab; only a dry run returns.

    Raises:
        UsageError: there is no workspace, or JupyterLab is not installed.
    """
    command = lab_command(args)
    if args.dry_run:
        sys.stdout.write(f"{shlex.join(command)}\n")
        return 0
    if find_spec("jupyterlab") is None:
        remedy = "install it: pip install '.[lab]' in a checkout of kep-workbench"
        raise UsageError("kepler lab", "needs the package jupyterlab", remedy)
    if hasattr(os, "geteuid") and os.geteuid() == 0 and not args.allow_root:
        problem = "as root, whoever reaches the page could do anything on this machine"
        remedy = "use an account of your own, or in a container add --allow-root"
        raise UsageError("kepler lab", problem, remedy)
    sys.stdout.flush()
    # Replacing this process leaves signals, and the ending of kernels, to Jupyter.
    return os.execv(command[0], command)  # noqa: S606 - built here, never by a shell
