"""Digests change with what matters and with nothing else."""

import json

import pytest

from kep_workbench.errors import InputError
from kep_workbench.provenance import busy_note, code_digest, input_digest, machine, notebook_digest


def test_a_notebook_digest_ignores_outputs(tiny):
    path = tiny.notebook("n.ipynb", "1 + 1")
    before = notebook_digest(path)
    value = json.loads(path.read_text())
    value["cells"][1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "2"}]
    value["cells"][1]["execution_count"] = 3
    value["metadata"]["anything"] = 1
    # One string or a list of lines is the same source.
    value["cells"][1]["source"] = ["1 ", "+ 1"]
    path.write_text(json.dumps(value))
    assert notebook_digest(path) == before
    value["cells"][1]["source"] = "1 + 2"
    path.write_text(json.dumps(value))
    assert notebook_digest(path) != before


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"cells": [1]}'])
def test_what_is_no_notebook_is_an_input_error(tmp_path, text):
    path = tmp_path / "n.ipynb"
    path.write_text(text)
    with pytest.raises(InputError, match="not a notebook"):
        notebook_digest(path)


def test_code_digests_differ_by_what_computes_the_result():
    digests = {kind: code_digest(kind) for kind in ("preemption-benchmark", "kep-review")}
    assert len(set(digests.values())) == 2
    assert code_digest() == digests["preemption-benchmark"]
    assert all(value.startswith("sha256:") for value in digests.values())


def test_the_clusters_code_does_not_count_for_a_benchmark(tmp_path, monkeypatch):
    package = tmp_path / "kep_preemption"
    (package / "live").mkdir(parents=True)
    for name in ("a.py", "cli.py", "live/client.py"):
        (package / name).write_text("1")
    monkeypatch.setattr("kep_workbench.provenance.resources.files", lambda _: package)
    before = code_digest(), code_digest("cluster-e2e")
    (package / "live/client.py").write_text("2")
    (package / "cli.py").write_text("2")
    assert (code_digest(), code_digest("cluster-e2e")) == (before[0], code_digest("cluster-e2e"))
    assert code_digest("cluster-e2e") != before[1]
    (package / "a.py").write_text("2")
    assert code_digest() != before[0]


def test_an_input_digest_covers_names_and_contents(tmp_path):
    assert input_digest([]) == ""
    assert input_digest([tmp_path / "missing"]) == ""
    (tmp_path / "a").write_text("1")
    first = input_digest([tmp_path])
    assert input_digest([tmp_path / "a"]) == first
    (tmp_path / ".hidden").write_text("1")
    assert input_digest([tmp_path]) == first
    (tmp_path / "a").rename(tmp_path / "b")
    assert input_digest([tmp_path]) != first


@pytest.mark.parametrize(("load", "busy"), [(1.0, False), (500.0, True)])
def test_a_busy_machine_is_said_to_be_busy(monkeypatch, load, busy):
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0.0, 0.0))
    assert bool(busy_note()) == busy


def test_the_machine_is_described():
    here = machine()
    assert here.cpus >= 1
    assert here.system
    assert here.memory_gib is None or here.memory_gib > 0
