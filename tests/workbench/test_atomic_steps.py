"""Steps are carried out in order, only where they change something, and clean up."""

import pytest

from kep_workbench.atomic import Step, apply_steps, changing, clear_unfinished
from kep_workbench.errors import InputError


def test_only_changes_are_left(tmp_path):
    (tmp_path / "same").write_bytes(b"1")
    (tmp_path / "other").write_bytes(b"1")
    steps = [
        Step(tmp_path / "same", b"1"),
        Step(tmp_path / "other", b"2"),
        Step(tmp_path / "new", b"3"),
        Step(tmp_path / "gone", None),
    ]
    assert changing(steps) == steps[1:3]


def test_steps_run_in_order_and_stop_at_a_failure(tmp_path):
    done = []

    def write(path, data):
        if data == b"bad":
            raise InputError(str(path), "cannot be written", "x")
        done.append(path.name)

    steps = [Step(tmp_path / "deep" / name, name.encode()) for name in ("a", "b", "bad", "c")]
    with pytest.raises(InputError):
        apply_steps(steps, write)
    assert done == ["a", "b"]
    assert (tmp_path / "deep").is_dir()


def test_removing_what_is_gone_is_no_error(tmp_path):
    apply_steps([Step(tmp_path / "gone", None)])


def test_a_folder_in_the_way_is_named(tmp_path):
    (tmp_path / "x").mkdir()
    for data in (b"1", None):
        with pytest.raises(InputError) as caught:
            apply_steps(changing([Step(tmp_path / "x", data)]))
        assert "x" in caught.value.place


def test_leftovers_of_killed_writers_go_and_nothing_else(tmp_path):
    for name in (".README.md.abc.tmp", ".README.md.swp", ".other.md.abc.tmp", "README.md"):
        (tmp_path / name).write_bytes(b"")
    clear_unfinished([tmp_path / "README.md"])
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {".README.md.swp", ".other.md.abc.tmp", "README.md"}
