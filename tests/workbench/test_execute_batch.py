"""Real kernels: statuses, resuming, time-outs, and no process left behind."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kep_workbench.cli import main
from kep_workbench.record import read_record

FAIL = "raise ValueError('no luck')"
PID = "import os, pathlib\npathlib.Path('pid').write_text(str(os.getpid()))\n"


def kepler(tiny, *arguments):
    return main(["run", "b", "--workspace", str(tiny.root), *arguments])


def test_each_run_has_its_status_and_the_batch_goes_on(tiny, publish_cell, capfd):
    not_run = publish_cell.replace('title="Tiny"', 'title="T", status="not-run", reason="no moon"')
    not_run = not_run.replace('facts=(Fact("amount", "The amount", amount),),', "")
    tiny.run("good", publish_cell, parameters={"amount": 4})
    tiny.run("bad", FAIL, publish_cell)
    tiny.run("slow", "import time\ntime.sleep(60)", timeout=5)
    tiny.run("silent", "1 + 1")
    tiny.run("twice", publish_cell, publish_cell)
    tiny.run("other-kind", publish_cell, publishes="huge")
    tiny.run("missing", not_run)
    tiny.run("dies", "import os\nos._exit(1)")
    assert kepler(tiny) == 1
    statuses = {run: tiny.record(run)["run_status"] for run in tiny.runs}
    assert statuses == {
        "good": "ok",
        "bad": "failed",
        "slow": "timeout",
        "silent": "error",
        "twice": "error",
        "other-kind": "error",
        "missing": "not-run",
        "dies": "error",
    }
    good = read_record(tiny.root / "out/b/good/result.json")
    assert good.result.facts[0].value == 4
    assert good.provenance.parameters == {"amount": 4, "words": ["a"]}
    assert good.provenance.notebook.startswith("notebooks/good-")
    assert good.provenance.seconds > 0
    errors = {run: tiny.record(run)["error"] for run in tiny.runs}
    assert "ValueError: no luck" in errors["bad"]
    assert "c1" in errors["bad"]
    assert "time was up after 5 s, in" in errors["slow"]
    assert "published.json" in errors["silent"]
    assert "publishes 2 results" in errors["twice"]
    assert "'tiny', but the batch declares 'huge'" in errors["other-kind"]
    assert "kernel died" in errors["dies"]
    out, err = capfd.readouterr()
    assert [line.split()[0] for line in out.splitlines() if not line.startswith(" ")] == (
        ["ok", "FAILED", "TIMEOUT", "ERROR", "ERROR", "ERROR", "not", "ERROR"]
    )
    assert "no moon" in out
    assert err.splitlines() == [err.strip()]  # the summary alone: no warnings of the stack
    assert sorted(p.name for p in (tiny.root / "out/b/good").iterdir()) == (
        ["notebook.ipynb", "result.json"]
    )


def test_a_run_is_kept_until_something_changes(tiny, publish_cell, capfd):
    tiny.run("r", publish_cell)
    marks = []

    def mark(*arguments):
        assert kepler(tiny, *arguments) == 0
        marks.append(capfd.readouterr().out.split()[0])

    mark()
    mark()
    mark("-p", "amount=2")
    assert tiny.record("r")["result"]["facts"][0]["value"] == 2
    mark("--force", "-p", "amount=2")
    (tiny.root / "out/b/r/result.json").write_text("{")
    mark("-p", "amount=2")
    (tiny.root / "out/b/r/notebook.ipynb").unlink()
    mark("-p", "amount=2")
    assert (tiny.root / "out/b/r/notebook.ipynb").is_file()
    assert marks == ["ok", "kept", "ok", "ok", "ok", "ok"]


def test_verbose_shows_the_cells_traceback(tiny, publish_cell, capfd):
    tiny.run("bad", FAIL, publish_cell)
    assert kepler(tiny, "-v") == 1
    assert "Traceback" in capfd.readouterr().out


def test_nothing_starts_when_a_parameter_is_unknown(tiny, publish_cell, capfd):
    tiny.run("first", publish_cell)
    tiny.run("second", publish_cell, parameters={"amuont": 2})
    assert kepler(tiny) == 2
    assert not (tiny.root / "out").exists()
    assert "did you mean amount?" in capfd.readouterr().err


@contextlib.contextmanager
def running_kepler(tiny, work="import time\ntime.sleep(300)"):
    """A `kepler run` in its own process, once its kernel is at work; yields both pids."""
    tiny.run("good", "1")
    tiny.run("hangs", PID + work)
    tiny.runs["good"]["notebook"] = tiny.notebook("good.ipynb", PUBLISH_EARLY).name
    tiny.run("hangs", notebook=tiny.runs["hangs"]["notebook"])
    command = [sys.executable, "-m", "kep_workbench.cli", "run", "b"]
    process = subprocess.Popen(
        command, cwd=tiny.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        wait_for(lambda: (tiny.root / "pid").exists() and (tiny.root / "pid").read_text())
        yield process, int((tiny.root / "pid").read_text())
    finally:
        process.kill()
        process.communicate()


PUBLISH_EARLY = """\
from kep_workbench.results import ResultSet, publish
publish(
    ResultSet("tiny", "T", "none", "Nothing is measured.", "1.34"), result_path
)"""


def wait_for(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A zombie that nobody reaps is dead all the same.
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return True


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(
    ("number", "code", "words"),
    [
        (signal.SIGTERM, 143, "SIGTERM"),
        (signal.SIGINT, 130, "interrupted"),
        (signal.SIGKILL, -9, ""),
    ],
)
def test_killing_kepler_takes_the_kernel_along_and_leaves_nothing_half(tiny, number, code, words):
    with running_kepler(tiny) as (process, kernel):
        assert is_alive(kernel)
        process.send_signal(number)
        _, err = process.communicate(timeout=20)
        assert process.returncode == code
        assert words in err
        assert "Traceback" not in err
        wait_for(lambda: not is_alive(kernel), 10)
    out = tiny.root / "out/b"
    assert tiny.record("good")["run_status"] == "ok"
    assert not (out / "hangs").exists()
    if number != signal.SIGKILL:
        assert sorted(p.name for p in out.iterdir()) == [".lock", "good"]
    # The next run keeps what was finished and clears away what a killed one left.
    tiny.notebook(tiny.runs["hangs"]["notebook"], PUBLISH_EARLY)
    assert kepler(tiny) == 0
    assert sorted(p.name for p in out.iterdir()) == [".lock", "good", "hangs"]


CLEANS = """\
import pathlib, time
try:
    time.sleep(300)
finally:
    pathlib.Path("cleaned").touch()"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_cell_whose_time_is_up_may_clean_up(tiny):
    tiny.run("slow", CLEANS, timeout=5)
    assert kepler(tiny) == 1
    assert tiny.record("slow")["run_status"] == "timeout"
    assert list(tiny.root.rglob("cleaned"))


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_cell_may_clean_up_when_kepler_is_terminated(tiny):
    with running_kepler(tiny, CLEANS) as (process, kernel):
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
        assert process.returncode == 143
        wait_for(lambda: not is_alive(kernel), 10)
    assert list(tiny.root.rglob("cleaned"))


def test_two_runners_do_not_mix(tiny, publish_cell, capfd):
    from kep_workbench.outputs import Outputs

    tiny.run("r", publish_cell)
    with Outputs(tiny.root / "out" / "b").locked():
        assert kepler(tiny) == 2
    assert "another kepler run" in capfd.readouterr().err
