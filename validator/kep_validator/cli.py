"""The command `kep-validate`, which `kepler validate` mounts."""

from __future__ import annotations

import argparse
import atexit
import gc
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kep_validator import __version__
from kep_validator.console import prepare_streams, shows_all, write_output
from kep_validator.errors import KepValidateError

if TYPE_CHECKING:
    from kep_validator.diagnostics import Report

EXIT_CLEAN, EXIT_FINDINGS, EXIT_USAGE, EXIT_INTERNAL = range(4)
EXIT_INTERRUPTED = 130
DESCRIPTION = "Check Kubernetes Enhancement Proposals against a release's guidelines."
EPILOG = """\
PATH is a KEP directory, a kep.yaml, a README.md, a single .md file with front matter, or a folder
with KEPs somewhere below it. `kep-validate rules` lists all rules, `kep-validate explain CODE`
explains one.

exit codes:
  0  no errors (warnings and infos may be there)
  1  errors were found
  2  wrong usage, or a path that cannot be read
  3  a rule crashed: a fault of kep-validate (finding KEP900; -v prints the traceback)
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    if argv is None:
        _spare_the_collector()
    prepare_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] in (["rules"], ["explain"]):
        return _show_rules(arguments)
    parser = argparse.ArgumentParser(
        prog="kep-validate",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"kep-validate {__version__}")
    add_arguments(parser)
    return run(parser.parse_args(arguments))


def _spare_the_collector() -> None:
    """Collect garbage seldom, and not at exit: a tenth of the time of a run on one KEP."""
    gc.set_threshold(50_000, 20, 20)
    atexit.register(gc.freeze)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that `run` reads to a parser, ours or the umbrella command's."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="what to check")
    parser.add_argument(
        "--k8s-version",
        default=None,
        metavar="1.34",
        help="release whose guidelines apply, as 1.34 or v1.34 (default: 1.34)",
    )
    parser.add_argument("--output", choices=("text", "json"), default="text", help="report format")
    parser.add_argument(
        "--select", action="append", default=[], metavar="CODE", help="report only these codes"
    )
    parser.add_argument(
        "--ignore", action="append", default=[], metavar="CODE", help="leave out these codes"
    )
    parser.add_argument(
        "--jobs", type=_positive, default=None, metavar="N", help="processes (default: one a CPU)"
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="list checks that did not run; print tracebacks of crashes",
    )


def run(args: argparse.Namespace) -> int:
    """Check the paths, print the report, and return the exit code."""
    try:
        report = _check(args)
        write_output(_rendered(report, args))
    except KepValidateError as error:
        return _report(error, args.verbose)
    except KeyboardInterrupt:
        print("kep-validate: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    return _exit_code(report, args)


def _show_rules(arguments: Sequence[str]) -> int:
    from kep_validator.rules_command import main as rules_main

    try:
        return rules_main(arguments)
    except KepValidateError as error:
        return _report(error, verbose=False)


def _report(error: KepValidateError, verbose: bool) -> int:
    if verbose:
        import traceback

        traceback.print_exception(error)
    print(f"kep-validate: {error.place}: {error.problem}", file=sys.stderr)
    print(f"  help: {error.remedy}", file=sys.stderr)
    return EXIT_USAGE


def _check(args: argparse.Namespace) -> Report:
    from kep_validator.api import DEFAULT_RELEASE, validate_paths
    from kep_validator.policy import Policy, make_policy

    policy = Policy()
    if args.select or args.ignore:
        from kep_validator.rules import all_metas

        policy = make_policy(args.select, args.ignore, [meta.code for meta in all_metas()])
    progress = _Progress() if sys.stderr.isatty() and args.output == "text" else None
    try:
        return validate_paths(
            args.paths,
            DEFAULT_RELEASE if args.k8s_version is None else args.k8s_version,
            policy=policy,
            workers=args.jobs or os.cpu_count() or 1,
            progress=progress,
        )
    finally:
        if progress:
            progress.clear()


def _rendered(report: Report, args: argparse.Namespace) -> str:
    if args.output == "json":
        from kep_validator.reporters import json

        return json.render(report, ascii_only=not shows_all(sys.stdout))
    from functools import lru_cache

    from kep_validator.reporters.text import TextReporter
    from kep_validator.source import read_if_possible

    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    reader = lru_cache(maxsize=1)(read_if_possible)
    return TextReporter(reader, colour, list_skipped=args.verbose).render(report)


def _exit_code(report: Report, args: argparse.Namespace) -> int:
    from kep_validator.diagnostics import Severity

    if report.internal_errors:
        if args.verbose:
            for text in report.internal_errors:
                print(text, file=sys.stderr)
        return EXIT_INTERNAL
    return EXIT_FINDINGS if report.count(Severity.ERROR) else EXIT_CLEAN


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no positive number")
    return number


class _Progress:
    """One line on a terminal's stderr, for runs over more than a few KEPs."""

    _few = 20

    def __init__(self) -> None:
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        if total > self._few:
            self._shown = True
            sys.stderr.write(f"\rchecked {done:,} of {total:,} KEPs")
            sys.stderr.flush()

    def clear(self) -> None:
        """Wipe the line."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
