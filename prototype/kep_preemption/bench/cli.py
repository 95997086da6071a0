"""`kepler bench`: benchmark the strategies, in the text that benchstat reads."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kep_preemption.errors import PreemptionError, UsageError

if TYPE_CHECKING:
    from kep_preemption.bench.gobench import BenchmarkPlan, Benchtime

INTERRUPTED = 130
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}


def add_bench_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `kepler bench` to `parser`."""
    parser.description = (
        "Benchmark the preemption strategies on synthetic clusters in memory and print the lines "
        "that `go test -bench -benchmem -count=N` prints, for benchstat."
    )
    add = parser.add_argument
    add("--count", type=int, default=10, metavar="N", help="lines for each benchmark (%(default)s)")
    add("--benchmem", action="store_true", help="count allocations too (with memray)")
    add(
        "--benchtime",
        default="50ms",
        metavar="T",
        help="time a line takes (300ms, 2s), or decisions (20x); default %(default)s",
    )
    add(
        "--workload",
        action="append",
        metavar="NAME",
        help="a workload or a label of workloads; repeatable (default: default)",
    )
    add("--strategy", action="append", metavar="NAME", help="repeatable (default: all)")
    add("--filter", metavar="REGEX", help="only benchmarks whose name matches")
    add("--metrics", action="store_true", help="add victims/op and violations/op")
    add("--seed", type=int, default=0, metavar="N", help="draws the preemptors (%(default)s)")
    add("--output", type=Path, metavar="FILE", help="write here instead of to standard output")
    add("--quick", action="store_true", help="few small workloads, 3 short lines each")
    add("--list", action="store_true", help="list workloads, strategies and benchmarks, run none")


def run_bench(args: argparse.Namespace) -> int:
    """Run `kepler bench`; returns 0, 2 for bad usage or output, 130 when interrupted."""
    try:
        return _run(args)
    except PreemptionError as error:
        print(f"error: {error.place}: {error.problem}\n  help: {error.remedy}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        where = f"; {args.output} is as it was" if args.output else ""
        print(f"\ninterrupted: the benchmark is incomplete{where}", file=sys.stderr)
        return INTERRUPTED


def parse_benchtime(text: str) -> Benchtime:
    """Read Go's -benchtime: a duration such as 300ms, or a number of iterations such as 20x.

    Raises:
        UsageError: it is neither, or not positive.
    """
    from kep_preemption.bench.gobench import Benchtime

    if match := re.fullmatch(r"([1-9]\d*)x", text):
        return Benchtime(iterations=int(match[1]))
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m)", text)
    if match and float(match[1]) > 0:
        return Benchtime(seconds=float(match[1]) * _UNITS[match[2]])
    raise UsageError(f"--benchtime {text}", "is no positive duration", "say 300ms, 2s or 20x")


def _run(args: argparse.Namespace) -> int:
    plan = _plan(args)
    if args.list:
        _list(plan)
        return 0
    if args.output and not args.output.resolve().parent.is_dir():
        raise UsageError(f"--output {args.output}", "its folder does not exist", "create it first")
    if args.output and args.output.is_dir():
        # Found out only when writing, it would cost the whole benchmark.
        raise UsageError(f"--output {args.output}", "is a folder", "name a file in it")
    lines: list[str] = []
    with _progress() as report:
        for line in _text(plan, report):
            lines.append(line)
            if not args.output:
                report("")
                print(line, flush=True)
    if args.output:
        from kep_preemption.bench.output import write_atomically

        write_atomically(args.output, "\n".join(lines) + "\n")
        print(f"wrote {args.output}; read it with: benchstat {args.output}", file=sys.stderr)
    return 0


def _plan(args: argparse.Namespace) -> BenchmarkPlan:
    from kep_preemption.bench.gobench import BenchmarkPlan
    from kep_preemption.bench.workload import select_workloads
    from kep_preemption.strategies import STRATEGY_NAMES

    if args.count < 1:
        raise UsageError(f"--count {args.count}", "makes no measurement", "give at least 1")
    for name in args.strategy or ():
        if name not in STRATEGY_NAMES:
            known = ", ".join(STRATEGY_NAMES)
            raise UsageError(f"--strategy {name}", "there is no such strategy", f"known: {known}")
    plan = BenchmarkPlan(
        strategies=list(dict.fromkeys(args.strategy or STRATEGY_NAMES)),
        workloads=select_workloads(args.workload or ["quick" if args.quick else "default"]),
        count=min(args.count, 3) if args.quick else args.count,
        benchtime=parse_benchtime("20ms" if args.quick else args.benchtime),
        allocations=args.benchmem and _memray_is_there(),
        metrics=args.metrics,
        pattern=_pattern(args.filter),
        seed=args.seed,
    )
    if not plan.names:
        raise UsageError(
            f"--filter {args.filter}", "no benchmark's name matches", "see kepler bench --list"
        )
    return plan


def _pattern(text: str | None) -> re.Pattern[str] | None:
    try:
        return re.compile(text) if text is not None else None
    except re.error as error:
        raise UsageError(
            f"--filter {text}", f"is no regular expression: {error}", "quote special characters"
        ) from error


def _memray_is_there() -> bool:
    from kep_preemption.bench.allocations import can_count_allocations

    there = can_count_allocations()
    if not there:
        print(
            "warning: memray is not installed (it does not exist for Windows): "
            "B/op and allocs/op are left out\n"
            "  help: pip install '.[bench]' in a checkout of kep-workbench",
            file=sys.stderr,
        )
    return there


def _list(plan: BenchmarkPlan) -> None:
    from kep_preemption.bench.workload import all_workloads

    print("Workloads (labels):")
    for workload in all_workloads():
        print(f"  {workload.name:16} {workload.description} ({', '.join(workload.labels)})")
    print("Benchmarks selected:")
    for name in plan.names:
        print(f"  {name}")


def _text(plan: BenchmarkPlan, report: _Report) -> Iterator[str]:
    from kep_preemption.bench.gobench import run_benchmarks
    from kep_preemption.bench.gotext import footer, header

    start = time.monotonic()
    python = ".".join(str(part) for part in sys.version_info[:3])
    yield from header({"python": python, "environment": "simulated cluster in memory"})
    width = max(len(name) for name in plan.names)
    for line in run_benchmarks(plan, report):
        yield line.format(width)
    yield from footer(time.monotonic() - start)


class _Report:
    """One line on the terminal that is written over; nothing in a pipe."""

    def __init__(self, terminal: bool) -> None:
        self._terminal = terminal

    def __call__(self, text: str) -> None:
        if self._terminal:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()


@contextmanager
def _progress() -> Iterator[_Report]:
    report = _Report(sys.stderr.isatty())
    try:
        yield report
    finally:
        report("")
