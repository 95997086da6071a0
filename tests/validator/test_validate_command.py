"""The command as a user types it: output, exit codes, errors."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from kep_samples import METADATA, write_tree

from kep_validator import __version__, api, cli
from kep_validator.cli import EXIT_CLEAN, EXIT_FINDINGS, EXIT_USAGE, add_arguments, main, run

ONLY = ["--select", "KEP0,KEP1,KEP35"]


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_tree(tmp_path)
    monkeypatch.chdir(tmp_path)
    return Path("keps/sig-node/9999-sample")


@pytest.fixture
def faulty(directory: Path) -> Path:
    text = METADATA.replace("status: implementable", "status: imlpementable")
    (directory / "kep.yaml").write_text(text, encoding="utf-8")
    return directory


def test_clean(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(directory), *ONLY]) == EXIT_CLEAN
    printed = capsys.readouterr()
    assert printed.out == "1 KEP checked for 1.34: no findings\n"
    assert printed.err == ""


def test_text_shows_place_help_and_excerpt(
    faulty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(faulty), "--select", "KEP110"]) == EXIT_FINDINGS
    assert capsys.readouterr().out == (
        "keps/sig-node/9999-sample/kep.yaml\n"
        "  6:9 error KEP110 unknown status `imlpementable`\n"
        "    6 | status: imlpementable\n"
        "      |         ^^^^^^^^^^^^^\n"
        "      = help: did you mean `implementable`?\n"
        "\n"
        "1 KEP checked for 1.34: 1 error, 0 warnings, 0 info\n"
    )


def test_warnings_leave_the_exit_code_at_0(directory: Path) -> None:
    text = METADATA.replace("2024-01-15", "2024-14-05")
    (directory / "kep.yaml").write_text(text, encoding="utf-8")
    assert main([str(directory), "--select", "KEP140"]) == EXIT_CLEAN


def test_json(faulty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(faulty), "--output", "json", "--select", "KEP110"]) == EXIT_FINDINGS
    report = json.loads(capsys.readouterr().out)
    assert report["schema_version"] == "1"
    assert report["release"] == "1.34"
    assert report["summary"]["errors"] == 1
    (found,) = report["diagnostics"]
    assert (found["file"], found["line"], found["column"]) == (f"{faulty}/kep.yaml", 6, 9)


@pytest.mark.parametrize("release", ["1.34", "v1.34"])
def test_release_in_both_forms(directory: Path, release: str) -> None:
    assert main([str(directory), "--k8s-version", release, *ONLY]) == EXIT_CLEAN


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["gone"], ["gone: does not exist", "help:"]),
        (["keps", "--k8s-version", "1.2"], ["1.2", "1.34"]),
        (["keps", "--k8s-version", ""], ["1.34"]),
        (["keps", "--select", "KEP1O1"], ["--select: no rule has the code KEP1O1"]),
        ([""], ["is no path"]),
        (["keps", "--ignore", "X"], ["--ignore", "kep-validate rules"]),
        (["OWNERS_ALIASES"], ["neither a YAML nor a Markdown"]),
        (["keps/prod-readiness/sig-node/9999.yaml"], ["give the KEP's directory"]),
        (["a\0b"], ["help:"]),
    ],
)
@pytest.mark.usefixtures("directory")
def test_usage_errors(
    arguments: list[str], parts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == EXIT_USAGE
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "Traceback" not in printed.err
    for part in parts:
        assert part in printed.err


@pytest.mark.parametrize("arguments", [[], ["keps", "--output", "xml"], ["keps", "--jobs", "0"]])
@pytest.mark.usefixtures("directory")
def test_argparse_errors_are_usage_errors(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == EXIT_USAGE


def test_verbose_lists_what_did_not_run(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = METADATA.replace("implementable", "provisional")
    (directory / "kep.yaml").write_text(text, encoding="utf-8")
    main([str(directory), *ONLY])
    assert "did not run (-v lists them)" in capsys.readouterr().out
    main([str(directory), *ONLY, "-v"])
    assert f"  {directory}: KEP350: status is `provisional`" in capsys.readouterr().out


def test_colour_only_on_a_terminal(
    faulty: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    main([str(faulty)])
    assert "\x1b[31merror\x1b[0m" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    main([str(faulty)])
    assert "\x1b" not in capsys.readouterr().out


def test_progress_only_on_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(22):
        write_tree(tmp_path, name=f"{number}-sample")
    main([str(tmp_path), "--jobs", "1"])
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    main([str(tmp_path), "--jobs", "1"])
    assert "checked 22 of 22 KEPs" in capsys.readouterr().err


def test_text_that_the_terminal_cannot_show(faulty: Path) -> None:
    text = (faulty / "kep.yaml").read_text(encoding="utf-8").replace("imlp", "imłp")
    (faulty / "kep.yaml").write_text(text, encoding="utf-8")
    done = _process([str(faulty)], PYTHONIOENCODING="ascii")
    assert done.returncode == EXIT_FINDINGS
    assert b"im\\u0142p" in done.stdout


def test_reader_that_goes_away(directory: Path) -> None:
    command = f"{sys.executable} -m kep_validator.cli {directory} | true"
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=False)
    assert b"Traceback" not in done.stderr and b"BrokenPipe" not in done.stderr


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    for option, expected in (("--version", __version__), ("--help", "exit codes:")):
        with pytest.raises(SystemExit) as caught:
            main([option])
        assert caught.value.code == 0
        assert expected in capsys.readouterr().out


def test_the_umbrella_command_can_mount_it(
    faulty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser.add_subparsers().add_parser("validate"))
    mounted = run(parser.parse_args(["validate", str(faulty)]))
    printed = capsys.readouterr().out
    assert (mounted, printed) == (main([str(faulty)]), capsys.readouterr().out)


@pytest.mark.parametrize("output", ["text", "json"])
def test_rules_lists_every_rule(output: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--output", output]) == EXIT_CLEAN
    printed = capsys.readouterr().out
    for code in ("KEP001", "KEP101", "KEP355", "KEP401", "KEP900"):
        assert code in printed
    if output == "json":
        assert {"code", "name", "severity", "summary"} <= set(json.loads(printed)["rules"][0])


@pytest.mark.parametrize("wanted", ["KEP355", "kep355", "approver-unknown"])
def test_explain(wanted: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", wanted]) == EXIT_CLEAN
    printed = capsys.readouterr().out
    assert printed.startswith("KEP355 approver-unknown (error)\n")
    assert "Follows: kubernetes/enhancements" in printed


def test_explain_an_unknown_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "approver-unknwon"]) == EXIT_USAGE
    assert "did you mean `approver-unknown`?" in capsys.readouterr().err


def test_unexpected_failure_of_reading_is_no_traceback(
    directory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", fail)
    assert cli.main([str(directory)]) == EXIT_USAGE
    assert "cannot be read: Permission denied" in capsys.readouterr().err


def test_ctrl_c_stops_quietly(
    directory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(api, "validate_paths", interrupt)
    assert main([str(directory)]) == cli.EXIT_INTERRUPTED
    assert capsys.readouterr().err == "kep-validate: interrupted\n"


def _process(arguments: list[str], **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "kep_validator.cli", *arguments],
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )
