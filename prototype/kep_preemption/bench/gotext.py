"""The text format of Go benchmarks, as `go test -bench` prints it and benchstat reads it.

The format is golang.org/design/14313-benchmark-format; the padding is that of Go's
`testing.BenchmarkResult`.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kep_preemption.bench.allocations import Allocations

PACKAGE = "kep_preemption"
_ARCHITECTURES = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64"}


@dataclass(frozen=True, slots=True)
class BenchmarkLine:
    """One result: `iterations` runs that took `nanoseconds` each on average.

    `name` has its parameters as `/key=value` parts; `metrics` are further values by unit, such
    as `victims/op`.
    """

    name: str
    iterations: int
    nanoseconds: float
    allocations: Allocations | None = None
    metrics: Mapping[str, float] | None = None

    def format(self, width: int = 0) -> str:
        """Return the line without a line end; names are padded to `width`."""
        values = [f"{self.iterations:8d}", _pretty(self.nanoseconds, "ns/op")]
        values += [_pretty(value, unit) for unit, value in sorted((self.metrics or {}).items())]
        if self.allocations is not None:
            values.append(f"{self.allocations.bytes:8d} B/op")
            values.append(f"{self.allocations.count:8d} allocs/op")
        return "\t".join([self.name.ljust(width), *values])


def benchmark_name(**parameters: object) -> str:
    """Return the full name: parameters in order and the number of CPUs, as Go appends it."""
    parts = "".join(f"/{key}={value}" for key, value in parameters.items())
    cpus = os.cpu_count() or 1
    return f"BenchmarkPreemption{parts}" + (f"-{cpus}" if cpus > 1 else "")


def header(extra: Mapping[str, str] | None = None) -> list[str]:
    """Return the configuration lines: goos, goarch, pkg, cpu and `extra` (keys in lower case)."""
    machine = platform.machine()
    lines = {
        "goos": platform.system().lower(),
        "goarch": _ARCHITECTURES.get(machine, machine),
        "pkg": PACKAGE,
        "cpu": _cpu(),
        **(extra or {}),
    }
    return [f"{key}: {value}" for key, value in lines.items() if value]


def footer(seconds: float) -> list[str]:
    """Return the closing lines of a run that took `seconds`."""
    return ["PASS", f"ok  \t{PACKAGE}\t{seconds:.3f}s"]


def _pretty(value: float, unit: str) -> str:
    """Format like Go's `prettyPrint`: about four significant digits, points in one column."""
    size = abs(value)
    for bound, width, digits in (
        (999.95, 10, 0),
        (99.995, 12, 1),
        (9.9995, 13, 2),
        (0.99995, 14, 3),
        (0.099995, 15, 4),
        (0.0099995, 16, 5),
        (0.00099995, 17, 6),
    ):
        if size == 0 or size >= bound:
            return f"{value:{width}.{digits}f} {unit}"
    return f"{value:18.7f} {unit}"


def _cpu() -> str:
    """Return the processor's model as Linux names it, else what Python knows ('' if nothing)."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor()
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return platform.processor()
