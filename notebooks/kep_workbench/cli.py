"""The umbrella command `kepler`; each subcommand is imported when it is asked for."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import errno
import importlib
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from kep_validator.console import discard_output, output_error, prepare_streams
from kep_workbench import __version__

_EXIT_CODES = """\
exit codes: 0 ok, 1 findings, a failed run or a negative answer, 2 wrong usage or unreadable
input, 3 internal error, 130 interrupted"""


@dataclass(frozen=True)
class _Command:
    """A subcommand: where its two functions are, and the extra that installs what it needs."""

    summary: str
    module: str
    add_arguments: str
    run: str
    extra: str = ""


_COMMANDS = {
    "validate": _Command(
        "check KEPs against a release's guidelines", "kep_validator.cli", "add_arguments", "run"
    ),
    "preempt": _Command(
        "say who would be preempted, where, and why not elsewhere",
        "kep_preemption.cli",
        "add_preempt_arguments",
        "run_preempt",
        "prototype",
    ),
    "bench": _Command(
        "benchmark the strategies in the format of go test -bench",
        "kep_preemption.bench.cli",
        "add_bench_arguments",
        "run_bench",
        "bench",
    ),
    "run": _Command(
        "run a batch of notebooks and collect their results",
        "kep_workbench.run_cli",
        "add_run_arguments",
        "run_run",
        "notebooks",
    ),
    "evidence": _Command(
        "write results into a KEP, or check that they still hold",
        "kep_workbench.evidence_cli",
        "add_evidence_arguments",
        "run_evidence",
        "notebooks",
    ),
    "export": _Command(
        "write a KEP as one file with front matter",
        "kep_workbench.export_cli",
        "add_export_arguments",
        "run_export",
    ),
    "lab": _Command(
        "open JupyterLab on the notebooks",
        "kep_workbench.lab_cli",
        "add_lab_arguments",
        "run_lab",
        "lab",
    ),
}


class _Parser(argparse.ArgumentParser):
    """A parser whose errors have the form of all others."""

    def error(self, message: str) -> NoReturn:
        _print_error(self.prog, message, f"see {self.prog} --help")
        raise SystemExit(2)


def main(argv: Sequence[str] | None = None) -> int:
    """Run `kepler` with `argv` (the process's arguments by default); return the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    verbose = False
    prepare_streams()
    try:
        parser, asked, command = _make_parser(arguments)
        args, rest = parser.parse_known_args(arguments)
        if rest:
            _refuse(asked, rest[0])
        verbose = bool(getattr(args, "verbose", False) or getattr(args, "traceback", False))
        if command is None:
            parser.print_help()
            return 2
        run = _load(command, command.run)
        with _packages_of(command):
            code = run(args)
        sys.stdout.flush()
        return code
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 2
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    except BaseException as error:  # noqa: BLE001 - the last place that can speak to the user
        return _report(error, verbose)


def _make_parser(arguments: list[str]) -> tuple[_Parser, _Parser, _Command | None]:
    """Build the parser, and the full one of the command that was asked for."""
    parser = _Parser(
        prog="kepler",
        description="Write, check and prove a Kubernetes Enhancement Proposal.",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"kepler {__version__}")
    _add_verbose(parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    wanted = next((word for word in arguments if not word.startswith("-")), "")
    if wanted and wanted not in _COMMANDS:
        close = difflib.get_close_matches(wanted, _COMMANDS, 1)
        remedy = f"did you mean {close[0]}?" if close else "see kepler --help"
        _print_error(f"kepler {wanted}", "no such command", remedy)
        raise SystemExit(2)
    asked = parser
    for name, command in _COMMANDS.items():
        child = commands.add_parser(name, help=command.summary, description=_sentence(command))
        if name == wanted:
            _load(command, command.add_arguments)(child)
            _add_verbose(child)
            asked = child
    return parser, asked, _COMMANDS.get(wanted)


def _refuse(parser: _Parser, word: str) -> NoReturn:
    close = difflib.get_close_matches(word, parser._option_string_actions, 1)
    remedy = f"did you mean {close[0]}?" if close else f"see {parser.prog} --help"
    _print_error(f"{parser.prog} {word}", "no such argument", remedy)
    raise SystemExit(2)


def _add_verbose(parser: argparse.ArgumentParser) -> None:
    if "-v" not in parser._option_string_actions:
        parser.add_argument(
            "-v",
            "--verbose",
            action="store_true",
            # A subcommand must not set back what stood before its name.
            default=argparse.SUPPRESS,
            help="show tracebacks of errors",
        )


@contextlib.contextmanager
def _packages_of(command: _Command) -> Iterator[None]:
    """Say which extra brings a package that is not installed, whenever it is asked for."""
    try:
        yield
    except ModuleNotFoundError as error:
        if not command.extra or (error.name or "").startswith("kep_"):
            raise
        remedy = f"install it: pip install '.[{command.extra}]' in a checkout of kep-workbench"
        _print_error(f"kepler: {command.summary}", f"needs the package {error.name}", remedy)
        raise SystemExit(2) from None


def _load(command: _Command, function: str) -> Callable[..., int]:
    """Import a command's function.

    Raises:
        SystemExit: a package it needs is not installed; says which extra brings it.
    """
    with _packages_of(command):
        module = importlib.import_module(command.module)
    loaded: Callable[..., int] = getattr(module, function)
    return loaded


def _report(error: BaseException, verbose: bool) -> int:
    """Say what went wrong, and return the exit code for it."""
    if verbose:
        traceback.print_exception(error)
    if isinstance(error, BrokenPipeError):
        discard_output()
        return 2
    if isinstance(error, OSError) and error.filename is None and _is_output_full(error):
        discard_output()
        error = output_error(error)
    place = getattr(error, "place", None)
    if isinstance(place, str):
        _print_error(place, getattr(error, "problem", str(error)), getattr(error, "remedy", ""))
        return 2
    if isinstance(error, OSError):
        name = str(error.filename or "kepler")
        _print_error(name, error.strerror or str(error), "check the path and its permissions")
        return 2
    code = getattr(error, "code", None)
    if isinstance(code, int) and not isinstance(error, Exception):
        print(str(error), file=sys.stderr)
        return code
    remedy = "this is a fault of kepler; run it again with -v for the traceback, and report it"
    _print_error("internal error", f"{type(error).__name__}: {error}", remedy)
    return 3


def _is_output_full(error: OSError) -> bool:
    """Whether writing to stdout failed; errors of files carry the file's name."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def _print_error(place: str, problem: str, remedy: str) -> None:
    print(f"error: {place}: {problem}", file=sys.stderr)
    if remedy:
        print(f"  help: {remedy}", file=sys.stderr)


def _sentence(command: _Command) -> str:
    return f"{command.summary[0].upper()}{command.summary[1:]}."


if __name__ == "__main__":
    sys.exit(main())
