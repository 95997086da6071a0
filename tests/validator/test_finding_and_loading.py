"""Which KEPs a path means, and what is read of each."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kep_samples import APPROVALS, METADATA, README, write_tree

from kep_validator.document import Form, Kep
from kep_validator.errors import InputError
from kep_validator.finding import find_keps
from kep_validator.loading import load_kep


def load(path: Path) -> Kep:
    (location,) = find_keps(path).locations
    return load_kep(location)


def test_directory(tmp_path: Path) -> None:
    directory = write_tree(tmp_path)
    kep = load(directory)
    assert (kep.form, kep.name) == (Form.DIRECTORY, str(directory))
    assert kep.metadata and kep.readme and kep.prod_readiness
    assert kep.directory_name == "9999-sample"
    assert kep.sig_directory == "sig-node"
    assert kep.tree and kep.tree.owners_aliases == {"prod-readiness-approvers": ("jpbetz",)}
    assert kep.prod_readiness_path.endswith("keps/prod-readiness/sig-node/9999.yaml")


def test_metadata_file_alone(tmp_path: Path) -> None:
    kep = load(write_tree(tmp_path) / "kep.yaml")
    assert kep.form is Form.METADATA_FILE
    assert kep.metadata and kep.prod_readiness
    assert kep.readme is None


def test_readme_alone_takes_its_stage_from_its_neighbour(tmp_path: Path) -> None:
    kep = load(write_tree(tmp_path) / "README.md")
    assert kep.form is Form.README_FILE
    assert kep.readme and kep.metadata


@pytest.mark.parametrize("name", ["kep-9999.md", "README.md"])
def test_single_file_with_front_matter(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(f"---\n{METADATA}---\n{README}", encoding="utf-8")
    kep = load(path)
    assert kep.form is Form.SINGLE_FILE
    assert kep.metadata and kep.metadata.text("kep-number") == "9999"
    assert kep.metadata.span("title").line == 2
    assert kep.readme
    assert kep.readme.source.path == str(path)


def test_front_matter_that_is_never_closed(tmp_path: Path) -> None:
    path = tmp_path / "kep.md"
    path.write_text(f"---\n{METADATA}", encoding="utf-8")
    kep = load(path)
    assert kep.metadata and kep.metadata.text("stage") == "beta"


def test_own_prod_readiness_folder(tmp_path: Path) -> None:
    approvals = tmp_path / "prod-readiness" / "sig-node"
    approvals.mkdir(parents=True)
    (approvals / "9999.yaml").write_text(APPROVALS, encoding="utf-8")
    (tmp_path / "kep.yaml").write_text(METADATA, encoding="utf-8")
    kep = load(tmp_path)
    assert kep.prod_readiness and kep.tree is None


def test_no_place_for_prod_readiness(tmp_path: Path) -> None:
    (tmp_path / "kep.yaml").write_text(METADATA, encoding="utf-8")
    kep = load(tmp_path)
    assert (kep.prod_readiness, kep.prod_readiness_path) == (None, "")


@pytest.mark.parametrize("number", ['"../../../../secret"', '"a\\0b"', '"/etc/passwd"'])
def test_number_cannot_lead_out_of_the_tree(tmp_path: Path, number: str) -> None:
    directory = write_tree(tmp_path / "inner")
    (tmp_path / "secret.yaml").write_text(APPROVALS, encoding="utf-8")
    text = METADATA.replace("9999", number)
    (directory / "kep.yaml").write_text(text, encoding="utf-8")
    kep = load(directory)
    assert kep.prod_readiness is None
    assert not kep.prod_readiness_path or kep.prod_readiness_path.startswith(
        str(tmp_path / "inner")
    )


def test_tree_finds_all_keps_in_order(tmp_path: Path) -> None:
    write_tree(tmp_path)
    write_tree(tmp_path, name="10-nested", sig="sig-apps/group")
    old = tmp_path / "keps" / "sig-apps" / "20190101-old.md"
    old.write_text(f"---\n{METADATA}---\n{README}", encoding="utf-8")
    (old.parent / "notes.md").write_text("# Notes\n", encoding="utf-8")
    lonely = tmp_path / "keps" / "sig-auth" / "7-no-metadata"
    lonely.mkdir(parents=True)
    (lonely / "README.md").write_text(README, encoding="utf-8")
    (tmp_path / "keps" / "README.md").write_text("# KEPs\n", encoding="utf-8")
    found = find_keps(tmp_path)
    assert [str(each.path.relative_to(tmp_path / "keps")) for each in found.locations] == [
        "sig-apps/20190101-old.md",
        "sig-apps/group/10-nested",
        "sig-auth/7-no-metadata",
        "sig-node/9999-sample",
    ]


def test_symbolic_links_are_not_followed(tmp_path: Path) -> None:
    directory = write_tree(tmp_path)
    (directory.parent / "loop").symlink_to(tmp_path)
    (tmp_path / "keps" / "self").symlink_to("self")
    assert len(find_keps(tmp_path).locations) == 1


def test_relative_paths_stay_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = write_tree(tmp_path)
    monkeypatch.chdir(directory)
    kep = load(Path())
    assert kep.prod_readiness
    assert kep.prod_readiness_path == "../../prod-readiness/sig-node/9999.yaml"
    assert kep.directory_name == "9999-sample"


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda root: root / "gone", "does not exist"),
        (lambda root: _file(root / "notes.txt"), "neither a YAML nor a Markdown"),
        (lambda root: _folder(root / "empty"), "holds no KEP"),
        (lambda root: _file(root / "prod-readiness" / "1.yaml"), "belongs to a KEP"),
    ],
)
def test_what_is_no_kep_is_refused(tmp_path: Path, make, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        find_keps(make(tmp_path))
    assert problem in caught.value.problem
    assert caught.value.remedy


def test_unreadable_folder_in_a_tree_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(tmp_path)
    closed = _folder(tmp_path / "keps" / "sig-apps")
    scandir = os.scandir

    def refuse(path: Path) -> object:
        if path == closed:
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = find_keps(tmp_path)
    assert len(found.locations) == 1
    assert [(gone.path, gone.reason) for gone in found.unreadable] == [
        (str(closed), "Permission denied")
    ]
    with pytest.raises(InputError, match="Permission denied"):
        find_keps(closed)


def test_files_that_cannot_be_read_are_noted(tmp_path: Path) -> None:
    directory = write_tree(tmp_path)
    (directory / "README.md").unlink()
    (directory / "README.md").symlink_to("gone.md")
    kep = load(directory)
    assert kep.readme is None
    assert [Path(gone.path).name for gone in kep.unreadable] == ["README.md"]


def _file(path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("x", encoding="utf-8")
    return path


def _folder(path: Path) -> Path:
    path.mkdir(parents=True)
    return path
