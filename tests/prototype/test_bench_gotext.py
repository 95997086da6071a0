"""Lines as Go's testing package prints them."""

import re

import pytest

from kep_preemption.bench.allocations import Allocations
from kep_preemption.bench.gotext import BenchmarkLine, benchmark_name, footer, header


# What Go 1.26 printed for these values (`testing.BenchmarkResult.String` and `MemString`).
@pytest.mark.parametrize(
    ("nanoseconds", "printed"),
    [
        (0.00012345, "         0.0001234 ns/op"),
        (0.0123456, "         0.01235 ns/op"),
        (0.5, "         0.5000 ns/op"),
        (1.23456, "         1.235 ns/op"),
        (12.3456, "        12.35 ns/op"),
        (123.456, "       123.5 ns/op"),
        (999.94, "       999.9 ns/op"),
        (999.96, "      1000 ns/op"),
        (456789.6, "    456790 ns/op"),
    ],
)
def test_numbers_are_printed_as_go_does(nanoseconds: float, printed: str) -> None:
    line = BenchmarkLine("BenchmarkX", 1, nanoseconds).format()
    assert line == f"BenchmarkX\t       1\t{printed}"


def test_a_whole_line() -> None:
    line = BenchmarkLine(
        "BenchmarkX/a=1-2", 123, 456.0, Allocations(789, 12), {"victims/op": 3.0, "a/op": 1.5}
    )
    assert line.format(18) == (
        "BenchmarkX/a=1-2  \t     123\t       456.0 ns/op\t         1.500 a/op"
        "\t         3.000 victims/op\t     789 B/op\t      12 allocs/op"
    )


def test_header_and_footer() -> None:
    lines = header({"python": "3.11.7"})
    assert [line.partition(":")[0] for line in lines if not line.startswith("cpu")] == [
        "goos",
        "goarch",
        "pkg",
        "python",
    ]
    assert all(re.fullmatch(r"[a-z]+: \S.*", line) for line in lines)
    assert footer(1.2345) == ["PASS", "ok  \tkep_preemption\t1.234s"]


def test_names_carry_parameters_and_cpus() -> None:
    name = benchmark_name(strategy="fast-path", nodes=10, pods=5)
    assert re.fullmatch(
        r"BenchmarkPreemption/strategy=fast-path/nodes=10/pods=5(-([2-9]|\d\d+))?", name
    )
