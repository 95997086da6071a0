"""No input makes the validator crash: odd encodings, line ends, sizes and plain noise."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kep_samples import METADATA, README, write_tree

from kep_validator.api import validate_path
from kep_validator.diagnostics import Report, Severity
from kep_validator.errors import InputError


def check(directory: Path) -> Report:
    report = validate_path(directory)
    assert report.internal_errors == ()
    return report


def errors(report: Report) -> list[str]:
    codes = {each.code for each in report.diagnostics if each.severity is Severity.ERROR}
    return sorted(code for code in codes if code.startswith(("KEP0", "KEP1")))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda text: text, []),
        (lambda text: text.replace(b"\n", b"\r\n"), []),
        (lambda text: text.replace(b"\n", b"\r"), []),
        (lambda text: b"\xef\xbb\xbf" + text, []),
        (lambda text: text.rstrip(b"\n"), []),
        (lambda text: b"---\n" + text + b"---\n", []),
        (lambda text: text.replace(b"Sample", b"S\x00mple"), ["KEP002"]),
        (lambda text: text.replace(b"Sample", b"S\xffmple"), ["KEP001"]),
        (lambda text: text.decode().encode("utf-16"), ["KEP001", "KEP002"]),
        (lambda text: b"", ["KEP004"]),
        (lambda text: b"\n\n", ["KEP004"]),
        (lambda text: b"[" * 20_000, ["KEP002"]),
    ],
)
def test_metadata(tmp_path: Path, change, expected: list[str]) -> None:
    directory = write_tree(tmp_path)
    (directory / "kep.yaml").write_bytes(change(METADATA.encode()))
    assert errors(check(directory)) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (README.replace("\n", "\r\n").encode(), []),
        (b"\xef\xbb\xbf" + README.encode(), []),
        (README.encode("utf-16"), ["KEP001"]),
        (b"# x\n\x00\x00\n", []),
        (b"<!-- never closed\n" * 50, []),
        (b"> " * 2_000 + b"x", []),
        (b"- " * 2_000 + b"x", []),
    ],
)
def test_readme(tmp_path: Path, content: bytes, expected: list[str]) -> None:
    directory = write_tree(tmp_path)
    (directory / "README.md").write_bytes(content)
    assert errors(check(directory)) == expected


def test_huge_readme(tmp_path: Path) -> None:
    directory = write_tree(tmp_path)
    paragraph = "word " * 200 + "\n\n"
    text = README + "\n".join(f"### Part {n}\n\n{paragraph}" for n in range(5_000))
    (directory / "README.md").write_text(text, encoding="utf-8")
    assert (directory / "README.md").stat().st_size > 5_000_000
    check(directory)


def test_crlf_reports_the_same_places(tmp_path: Path) -> None:
    places = []
    for newline in ("\n", "\r\n"):
        directory = write_tree(tmp_path / newline.encode().hex())
        text = METADATA.replace("stage: beta", "stage: betta").replace("\n", newline)
        (directory / "kep.yaml").write_bytes(text.encode())
        found = next(each for each in check(directory).diagnostics if each.code == "KEP111")
        places.append((found.span.line, found.span.column, found.span.end_column))
    assert places[0] == places[1] == (10, 8, 13)


NOISE = st.one_of(st.binary(max_size=150), st.text(max_size=150).map(str.encode))
VALUE = st.text(alphabet="ab:- \n#'\"[]{}&*!|>%@`~0.\t", max_size=12)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(metadata=NOISE, readme=NOISE, approvals=NOISE)
def test_noise_never_crashes(metadata: bytes, readme: bytes, approvals: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        directory = write_tree(Path(folder))
        (directory / "kep.yaml").write_bytes(metadata)
        (directory / "README.md").write_bytes(readme)
        check(directory)
        (directory / "kep.yaml").write_text(METADATA, encoding="utf-8")
        path = Path(folder) / "keps" / "prod-readiness" / "sig-node" / "9999.yaml"
        path.write_bytes(approvals)
        check(directory)


@settings(deadline=None)
@given(st.sampled_from([line for line in METADATA.splitlines() if ":" in line]), VALUE)
def test_any_value_of_any_key_never_crashes(line: str, value: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        directory = write_tree(Path(folder))
        key = line.partition(":")[0]
        text = METADATA.replace(line, f"{key}: {value}")
        (directory / "kep.yaml").write_text(text, encoding="utf-8")
        check(directory)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    directory = write_tree(tmp_path)
    (directory / "README.md").unlink()
    os.mkfifo(directory / "README.md")
    os.mkfifo(directory.parent / "notes.md")
    report = validate_path(tmp_path)
    assert errors(report) == ["KEP009"]
    with pytest.raises(InputError, match="a pipe, a socket or a device"):
        validate_path(directory.parent / "notes.md")


@pytest.mark.parametrize(
    "change",
    [
        ("kep-number: 9999", f"kep-number: {'9' * 5_000}"),
        ("v1.34", f"v1.{'9' * 5_000}"),
        ("v1.34", "v1.٣٤"),
        ("2024-01-15", "9" * 5_000),
    ],
    ids=["number", "milestone", "digits of another script", "date"],
)
def test_endless_numbers(tmp_path: Path, change: tuple[str, str]) -> None:
    directory = write_tree(tmp_path)
    assert change[0] in METADATA
    (directory / "kep.yaml").write_text(METADATA.replace(*change), encoding="utf-8")
    check(directory)
