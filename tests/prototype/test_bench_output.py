"""Result files are replaced as a whole."""

import os
from pathlib import Path

import pytest

from kep_preemption.bench.output import write_atomically
from kep_preemption.errors import InputError


def test_replaces_and_keeps_permissions(tmp_path: Path) -> None:
    path = tmp_path / "results.txt"
    path.write_text("old")
    path.chmod(0o600)
    write_atomically(path, "new\n")
    assert path.read_bytes() == b"new\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_follows_a_symbolic_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_atomically(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        write_atomically(tmp_path / "missing" / "results.txt", "new")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError])
def test_a_stop_before_the_replacement_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    path = tmp_path / "results.txt"
    path.write_text("old")

    def fail(_: int) -> None:
        raise stop

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises((KeyboardInterrupt, InputError)):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
