"""Files and arguments that no careful hand made get an answer, and harm nothing."""

import os

import pytest
import yaml

from builders.evidence_case import EvidenceCase
from kep_workbench.cli import main
from kep_workbench.errors import InputError, ResultError, UsageError
from kep_workbench.files import write_atomically
from kep_workbench.parameters import Parameter, parse_override
from kep_workbench.record import read_record
from kep_workbench.strict_json import load_json
from kep_workbench.strict_yaml import load_yaml

NESTED = b"[" * 100_000


@pytest.fixture
def case(tmp_path):
    return EvidenceCase(tmp_path / "w")


@pytest.mark.parametrize(
    "text",
    ["a: 2020-13-45", f"a: {'9' * 5_000}", "a: !!int x", "a: !!timestamp x", "[" * 5_000],
    ids=["date", "digits", "int", "timestamp", "nested"],
)
def test_yaml_values_that_cannot_be_made(text):
    with pytest.raises(yaml.YAMLError):
        load_yaml(text)
    with pytest.raises(UsageError, match="not YAML"):
        parse_override(f"nodes={text.removeprefix('a: ')}", {"nodes": Parameter("nodes", "int", 0)})


def test_json_nested_without_end(tmp_path):
    with pytest.raises(ValueError, match="nested too deeply"):
        load_json(NESTED)
    (tmp_path / "result.json").write_bytes(NESTED)
    with pytest.raises(ResultError, match="is not JSON: it is nested too deeply"):
        read_record(tmp_path / "result.json")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_is_no_file_is_never_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for target in (pipe, tmp_path):
        with pytest.raises(InputError, match="no regular file"):
            write_atomically(target, b"data")
    assert pipe.is_fifo()


def _manifest(case):
    (case.kep / "evidence").mkdir(exist_ok=True)
    (case.kep / "evidence/manifest.json").write_bytes(NESTED)


def _result(case):
    (case.workspace.out / "default/edge-10/result.json").write_bytes(NESTED)


def _pipe(case):
    (case.kep / "README.md").unlink()
    os.mkfifo(case.kep / "README.md")


@pytest.mark.parametrize("spoil", [_manifest, _result, _pipe])
def test_evidence_is_no_internal_error(case, capsys, spoil):
    spoil(case)
    common = ["--kep", str(case.kep), "--workspace", str(case.workspace.root)]
    for action in ("update", "check"):
        assert main(["evidence", action, *common]) != 3
    assert "internal error" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["evidence", "check", "--kep", ""], ["export", ""], ["run", "--workspace", ""]]
)
def test_an_empty_path_is_not_the_working_directory(arguments, capsys):
    assert main(arguments) == 2
    assert "an empty text is no path" in capsys.readouterr().err


@pytest.mark.parametrize("number", ['"x/../../elsewhere"', "/elsewhere", "9" * 300, "NNNN"])
def test_the_number_names_no_file_elsewhere(case, capsys, monkeypatch, number):
    metadata = case.kep / "kep.yaml"
    metadata.write_text(metadata.read_text().replace("number: 4389", f"number: {number}"))
    folder = case.kep.parent / "one/two"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    before = sorted(case.kep.parent.rglob("*"))
    assert main(["export", str(case.kep)]) == 2
    assert "no kep-number to name the file by" in capsys.readouterr().err
    assert sorted(case.kep.parent.rglob("*")) == before


def test_links_too_long_for_a_file_stay(case, capsys, tmp_path):
    readme = case.kep / "README.md"
    link = f"[a]({'x' * 5_000}) [b](%00)\n"
    readme.write_text(readme.read_text() + link)
    assert main(["export", str(case.kep), "--output", str(tmp_path / "one.md")]) == 0
    assert link in (tmp_path / "one.md").read_text()


def test_metadata_nested_without_end_are_refused_at_once(case, capsys):
    metadata = case.kep / "kep.yaml"
    metadata.write_text(metadata.read_text() + f"x: {'[' * 100_000}\n")
    assert main(["export", str(case.kep), "--output", "-"]) == 2
    assert "is not YAML" in capsys.readouterr().err
