"""Our verdict on metadata against upstream's, recorded for made-up and for all real KEPs."""

from __future__ import annotations

import tarfile
from pathlib import Path

import oracle_rows as oracle
import pytest

from kep_validator.api import validate_paths
from kep_validator.diagnostics import Report, Severity
from kep_validator.document import Form
from kep_validator.engine import check_kep
from kep_validator.finding import Location
from kep_validator.loading import load_kep
from kep_validator.releases.loading import load_release

pytestmark = pytest.mark.shared
CORPORA = {"f134": "keps-1.34-freeze", "head": "keps-2026-07"}


@pytest.fixture(scope="session", params=CORPORA)
def corpus(
    request: pytest.FixtureRequest, shared_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path, Report]:
    """One of the two corpora, unpacked, with our report on it."""
    folder = tmp_path_factory.mktemp(request.param)
    with tarfile.open(shared_dir / "corpus" / f"{CORPORA[request.param]}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    root = folder / CORPORA[request.param]
    return request.param, root, validate_paths([root], workers=2)


def test_verdict_on_variants_is_upstreams(shared_dir: Path, tmp_path: Path) -> None:
    guide = load_release("1.34")
    variants = oracle.rows(shared_dir / "oracle/kepval/mutants.jsonl.gz")
    assert len(variants) == 744
    wrong: list[str] = []
    for row in variants:
        directory = oracle.write_row(row, tmp_path / row["id"])
        kep = load_kep(Location(directory, Form.DIRECTORY))
        outcome = check_kep(kep, guide)
        assert not outcome.internal_errors, row["id"]
        errors = oracle.ci_errors(kep, outcome.diagnostics)
        if (not errors) != row["verdict"]["ci_ok"]:
            wrong.append(f"{row['id']} {row['desc']}: {errors} {row['verdict'].get('ci_error')}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_verdict_on_real_keps_is_upstreams(
    corpus: tuple[str, Path, Report], shared_dir: Path
) -> None:
    name, root, report = corpus
    recorded = oracle.rows(shared_dir / f"oracle/kepval/real-{name}.jsonl.gz")
    upstream = {Path(row["path"]).parent.relative_to(f"src/{name}"): row for row in recorded}
    ours = {Path(kep).relative_to(root) for kep in report.checked}
    assert ours == set(upstream)
    faulted = {
        Path(found.span.path).parent.relative_to(root)
        for found in report.diagnostics
        if found.severity is Severity.ERROR and found.code in oracle.CI_CODES
    }
    assert faulted == {path for path, row in upstream.items() if not row["ci_ok"]}
    assert not report.internal_errors


@pytest.mark.slow
def test_checks_that_upstream_has_but_does_not_run(
    corpus: tuple[str, Path, Report], shared_dir: Path
) -> None:
    name, root, report = corpus
    recorded = oracle.rows(shared_dir / f"oracle/kepval/real-{name}.jsonl.gz")
    kinds = {"invalid status": "KEP110", "invalid owning-sig": "KEP112"}
    for text, code in kinds.items():
        expected = {
            f"{row['path'].removeprefix(f'src/{name}/')}"
            for row in recorded
            for error in row["handler_validate_errors"] or ()
            if error.startswith(text)
        }
        found = {
            str(Path(each.span.path).relative_to(root))
            for each in report.diagnostics
            if each.code == code
        }
        assert found == expected, code


@pytest.mark.slow
@pytest.mark.parametrize("corpus", ["f134"], indirect=True)
def test_no_metadata_error_in_keps_of_the_freeze(
    corpus: tuple[str, Path, Report], shared_dir: Path
) -> None:
    _, root, report = corpus
    table = (shared_dir / "corpus/in-1.34-at-freeze.tsv").read_text(encoding="utf-8")
    tracked = {line.split("\t")[3] for line in table.splitlines() if line.strip()}
    assert len(tracked) >= 69
    errors = [
        f"{found.span.path}: {found.code} {found.message}"
        for found in report.diagnostics
        if found.severity is Severity.ERROR
        and found.code.startswith(("KEP0", "KEP1", "KEP35", "KEP4"))
        and str(Path(found.span.path).parent.relative_to(root)) in tracked
    ]
    assert errors == []
