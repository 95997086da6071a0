"""What becomes of the output: pipes that close, closed streams, full disks, odd encodings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from kep_samples import METADATA, write_tree

from kep_validator.cli import EXIT_CLEAN, EXIT_FINDINGS, EXIT_USAGE

COMMANDS = {"kep-validate": "-m kep_validator.cli", "kepler": "-m kep_workbench.cli validate"}
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")


@pytest.fixture(params=COMMANDS.values(), ids=COMMANDS)
def command(request: pytest.FixtureRequest) -> str:
    return f"{sys.executable} {request.param}"


@pytest.fixture
def clean(tmp_path: Path) -> str:
    write_tree(tmp_path)
    return f"{tmp_path}/keps/sig-node/9999-sample/kep.yaml --select KEP1"


@pytest.fixture
def faulty(tmp_path: Path, clean: str) -> str:
    text = METADATA.replace("stage:", "stäge😀: x\nstage:")
    (tmp_path / "keps/sig-node/9999-sample/kep.yaml").write_text(text, encoding="utf-8")
    return clean


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, check=False, env={**os.environ, **environment}
    )


def test_a_reader_that_goes_away_leaves_the_verdict(command: str, faulty: str) -> None:
    done = shell(f"{command} {faulty} | true; exit ${{PIPESTATUS[0]}}")
    assert (done.returncode, done.stderr) == (EXIT_FINDINGS, b"")


@pytest.mark.parametrize("words", ["rules", "explain KEP001", "rules --output json"])
def test_a_reader_of_the_rules_that_goes_away(words: str) -> None:
    line = f"{sys.executable} -m kep_validator.cli {words} | true; exit ${{PIPESTATUS[0]}}"
    done = shell(line)
    assert (done.returncode, done.stderr) == (0, b"")


def test_closed_streams_leave_the_exit_code(command: str, faulty: str) -> None:
    for closing in (">&-", "2>&-", ">&- 2>&-"):
        assert shell(f"{command} {faulty} {closing}").returncode == EXIT_FINDINGS


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs /dev/full")
@pytest.mark.parametrize("output", ["text", "json"])
def test_a_full_disk_is_an_error_with_a_message(command: str, clean: str, output: str) -> None:
    done = shell(f"{command} {clean} --output {output} > /dev/full")
    assert done.returncode == EXIT_USAGE
    assert b"standard output: cannot be written: No space left" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_json_is_json_in_any_encoding(command: str, faulty: str, encoding: str) -> None:
    done = shell(f"{command} {faulty} --output json", PYTHONIOENCODING=encoding)
    report = json.loads(done.stdout.decode("utf-8"))
    assert [found["message"] for found in report["diagnostics"]] == ["unknown key `stäge😀`"]


def test_names_that_are_not_utf8(command: str, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"n\xff")
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("the file system has only names in UTF-8")
    (folder / "kep.yaml").write_text("title: x\n", encoding="utf-8")
    for output in ("text", "json"):
        line = f"cd {tmp_path} && {command} n* --output {output}"
        done = shell(line, PYTHONIOENCODING="utf-8")
        assert done.returncode == EXIT_FINDINGS
        assert "n\\udcff/kep.yaml" in done.stdout.decode("utf-8")
    json.loads(done.stdout)


def test_clean_is_clean(command: str, clean: str) -> None:
    assert shell(f"{command} {clean}").returncode == EXIT_CLEAN
