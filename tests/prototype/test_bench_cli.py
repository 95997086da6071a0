"""`kepler bench`: its text, as benchstat parses it, and its errors."""

import argparse
import re
from pathlib import Path

import pytest

from kep_preemption.bench import gobench
from kep_preemption.bench.allocations import can_count_allocations
from kep_preemption.bench.cli import add_bench_arguments, parse_benchtime, run_bench
from kep_preemption.errors import UsageError
from kep_preemption.strategies import STRATEGY_NAMES

# The grammar of golang.org/design/14313-benchmark-format.
CONFIGURATION = re.compile(r"^([a-z][^\sA-Z]*): *(\S.*)$")
RESULT = re.compile(r"^(Benchmark[A-Z]\S*)\s+([1-9]\d*)((?:\s+[0-9.eE+-]+ \S+)+)\s*$")
ONE_DECISION = ["--workload", "edge-10", "--benchtime", "1x"]


def bench(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    add_bench_arguments(parser)
    return run_bench(parser.parse_args(arguments))


def parse(text: str) -> tuple[dict[str, str], list[tuple[str, int, dict[str, float]]]]:
    """Read configuration and results; any other line must be go test's last ones."""
    configuration, results, rest = {}, [], []
    for line in text.splitlines():
        if match := CONFIGURATION.match(line):
            configuration[match[1]] = match[2]
        elif match := RESULT.match(line):
            words = match[3].split()
            values = dict(zip(words[1::2], map(float, words[::2]), strict=True))
            results.append((match[1], int(match[2]), values))
        else:
            rest.append(line)
    assert rest[0] == "PASS"
    assert re.fullmatch(r"ok  \tkep_preemption\t\d+\.\d{3}s", rest[1])
    assert len(rest) == 2
    return configuration, results


def test_every_line_parses_and_carries_its_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("--count", "2", "--metrics", *ONE_DECISION) == 0
    out, err = capsys.readouterr()
    configuration, results = parse(out)
    assert {"goos", "goarch", "pkg"} <= set(configuration)
    assert "simulated" in configuration["environment"]
    assert len(results) == 2 * len(STRATEGY_NAMES)
    for name, iterations, values in results:
        parts = dict(part.split("=") for part in re.sub(r"-\d+$", "", name).split("/")[1:])
        assert parts["strategy"] in STRATEGY_NAMES
        assert (parts["nodes"], parts["pods"], parts["pdbs"]) == ("10", "5", "0")
        assert iterations == 1
        assert list(values) == ["ns/op", "victims/op", "violations/op"]
        assert values["ns/op"] > 1000
        assert values["victims/op"] >= 1
    assert err == ""


@pytest.mark.skipif(not can_count_allocations(), reason="memray is not installed here")
def test_allocations_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("--count", "1", "--benchmem", "--strategy", "original", *ONE_DECISION) == 0
    ((_, _, values),) = parse(capsys.readouterr().out)[1]
    assert 1_000 < values["allocs/op"] < 20_000
    assert 10_000 < values["B/op"] < 10_000_000


def test_without_memray_the_columns_are_left_out_with_a_warning(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert bench("--count", "1", "--benchmem", "--strategy", "upstream", *ONE_DECISION) == 0
    out, err = capsys.readouterr()
    assert list(parse(out)[1][0][2]) == ["ns/op"]
    assert "memray is not installed" in err


def test_output_goes_to_the_file_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.txt"
    arguments = ["--count", "1", "--filter", "fast-path", "--output", str(path), *ONE_DECISION]
    assert bench(*arguments) == 0
    assert len(parse(path.read_text())[1]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert f"benchstat {path}" in err


def test_an_interrupt_leaves_the_file_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "results.txt"
    path.write_text("old")
    monkeypatch.setattr(gobench._Run, "line", interrupted)
    assert bench("--output", str(path), *ONE_DECISION) == 130
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--strategy", "nope"], "--strategy nope: there is no such strategy"),
        (["--workload", "nope"], "workload nope: there is no such workload or label"),
        (["--count", "0"], "--count 0: makes no measurement"),
        (["--benchtime", "soon"], "--benchtime soon: is no positive duration"),
        (["--filter", "("], "--filter (: is no regular expression"),
        (["--filter", "nothing"], "--filter nothing: no benchmark's name matches"),
        (["--output", "/nonexistent/x.txt"], "its folder does not exist"),
        (["--output", "/"], "--output /: is a folder"),
    ],
)
def test_bad_usage_is_explained(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(*arguments) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert "help: " in err
    assert out == ""


def test_the_list_names_benchmarks_without_running_any(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("--list", "--workload", "edge-10", "--filter", "original") == 0
    out = capsys.readouterr().out
    assert "BenchmarkPreemption/strategy=original/nodes=10" in out
    assert "strategy=fast-path" not in out
    assert "5000x30-pdb" in out


@pytest.mark.parametrize(
    ("text", "seconds", "iterations"),
    [("300ms", 0.3, None), ("2s", 2.0, None), ("1.5m", 90.0, None), ("250us", 250e-6, None)],
)
def test_durations(text: str, seconds: float, iterations: int | None) -> None:
    assert parse_benchtime(text).seconds == pytest.approx(seconds)
    assert parse_benchtime(text).iterations is iterations


def test_iterations_are_exact_and_timed_runs_take_whole_turns() -> None:
    assert parse_benchtime("20x").count(123.0) == 20
    assert parse_benchtime("1s").count(0.03) == 40
    assert parse_benchtime("1s").count(99.0) == gobench.POOL


@pytest.mark.parametrize("text", ["0s", "0x", "-1s", "5", "x"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_benchtime(text)
