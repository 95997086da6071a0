from __future__ import annotations

from pathlib import Path

import pytest

from kep_preemption.errors import InputError
from kep_preemption.live.kind import kind_cluster

STAND_IN = """#!/bin/sh
echo "$@" >> {log}
case "$1 $*" in
  create*) while [ $# -gt 0 ]; do
    if [ "$1" = --kubeconfig ]; then echo made > "$2"; fi; shift; done
    {create} ;;
esac
"""


def put_kind_on_path(folder: Path, monkeypatch: pytest.MonkeyPatch, create: str) -> Path:
    log = folder / "calls"
    executable = folder / "kind"
    executable.write_text(STAND_IN.format(log=log, create=create))
    executable.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return log


def test_the_cluster_is_deleted_even_when_the_work_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = put_kind_on_path(tmp_path, monkeypatch, "exit 0")
    with pytest.raises(ZeroDivisionError), kind_cluster() as kubeconfig:
        assert kubeconfig.read_text() == "made\n"
        raise ZeroDivisionError
    created, deleted = log.read_text().splitlines()
    name = deleted.removeprefix("delete cluster --name ")
    assert name.startswith("kepler-e2e-")
    assert created.startswith(f"create cluster --name {name} --image kindest/node:v1.34")


def test_no_cluster_but_its_own_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = put_kind_on_path(tmp_path, monkeypatch, "exit 0")
    with kind_cluster(), kind_cluster():
        pass
    assert len({line.split()[3] for line in log.read_text().splitlines()}) == 2


def test_a_cluster_that_does_not_come_up_is_an_error_with_what_kind_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = put_kind_on_path(tmp_path, monkeypatch, "echo 'no docker here' >&2; exit 1")
    with pytest.raises(InputError, match="no docker here"), kind_cluster():
        pass
    assert "delete cluster" in log.read_text()


def test_without_kind_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="install kind, or give the path"), kind_cluster():
        pass
