"""The umbrella command: quick, helpful, and with the right exit codes."""

import subprocess
import sys
import types

import pytest

from kep_workbench import __version__, cli
from kep_workbench.cli import main
from kep_workbench.errors import InputError

HEAVY = "numpy pandas matplotlib yaml jsonschema markdown_it papermill nbformat kubernetes IPython"


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from kep_workbench.cli import main; main(['--help']); "
        f"print([m for m in {HEAVY.split()!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    for name in ("validate", "preempt", "bench", "run", "evidence", "export", "lab"):
        assert f"    {name} " in done.stdout


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"kepler {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rum"], "did you mean run?"),
        (["xyzzy"], "kepler --help"),
        (["run", "--frce"], "did you mean --force?"),
        (["run", "a", "b"], "kepler run --help"),
        (["run", "--workspace", "/nowhere"], "change to a checkout"),
    ],
)
def test_wrong_usage_is_exit_code_2_with_a_remedy(arguments, words, capsys):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert words in err


def test_no_command_prints_help(capsys):
    assert main([]) == 2
    assert "COMMAND" in capsys.readouterr().out


@pytest.fixture
def command(monkeypatch):
    """A subcommand `probe` whose run does what the test says."""
    module = types.ModuleType("probe_command")
    module.add = lambda parser: parser.add_argument("--number", type=int, default=0)
    monkeypatch.setitem(sys.modules, "probe_command", module)
    made = cli._Command("probe something", "probe_command", "add", "go", "bench")
    monkeypatch.setitem(cli._COMMANDS, "probe", made)
    return module


def raising(error):
    def go(args):
        raise error

    return go


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (InputError("file.yaml", "is broken", "mend it"), 2, "error: file.yaml: is broken"),
        (FileNotFoundError(2, "No such file or directory", "x.yaml"), 2, "x.yaml"),
        (RuntimeError("oops"), 3, "internal error: RuntimeError: oops"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (SystemExit(7), 7, ""),
    ],
)
def test_errors_become_words_and_exit_codes(command, error, code, words, capsys):
    command.go = raising(error)
    assert main(["probe"]) == code
    err = capsys.readouterr().err
    assert words in err
    assert "Traceback" not in err


@pytest.mark.parametrize("arguments", [["-v", "probe"], ["probe", "-v"]])
def test_verbose_adds_the_traceback(command, arguments, capsys):
    command.go = raising(RuntimeError("oops"))
    assert main(arguments) == 3
    assert "Traceback" in capsys.readouterr().err


def test_a_result_and_arguments_pass_through(command):
    command.go = lambda args: args.number
    assert main(["probe", "--number", "1"]) == 1


def test_a_missing_extra_is_named(command, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "probe_command", None)
    made = cli._Command("probe something", "nonexistent_package", "add", "go", "bench")
    monkeypatch.setitem(cli._COMMANDS, "probe", made)
    assert main(["probe"]) == 2
    assert "'.[bench]'" in capsys.readouterr().err


def test_an_extra_that_only_the_work_misses_is_named(command, monkeypatch, capsys):
    def go(_):
        raise ModuleNotFoundError("No module named 'nonexistent'", name="nonexistent")

    monkeypatch.setattr(sys.modules["probe_command"], "go", go, raising=False)
    made = cli._Command("probe something", "probe_command", "add", "go", "bench")
    monkeypatch.setitem(cli._COMMANDS, "probe", made)
    assert main(["probe"]) == 2
    assert "needs the package nonexistent" in capsys.readouterr().err


@pytest.mark.parametrize("name", list(cli._COMMANDS))
def test_every_command_has_help(name, capsys):
    assert main([name, "--help"]) == 0
    assert f"usage: kepler {name}" in capsys.readouterr().out


def test_lab_stays_on_this_machine(tiny, monkeypatch, capsys):
    tiny.write(
        {"b": {"description": "d", "runs": {"r": {"notebook": "n.ipynb", "publishes": "k"}}}}
    )
    monkeypatch.chdir(tiny.root)
    assert main(["lab", "--no-browser", "--port", "9123", "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert "--ServerApp.ip=127.0.0.1" in printed
    assert "--ServerApp.port=9123" in printed
    assert f"--ServerApp.root_dir={tiny.root}" in printed
    assert "--no-browser" in printed
    assert "token" not in printed  # jupyter_server draws its own; none may be on the command line


def test_run_list_names_batches_and_runs(tiny, publish_cell, monkeypatch, capsys):
    tiny.run("first", publish_cell)
    deep = tiny.root / "deep"
    deep.mkdir()
    monkeypatch.chdir(deep)
    assert main(["run", "--list"]) == 0
    assert capsys.readouterr().out.startswith("b: A batch\n  first ")
