"""`kepler export`: one file that upstream reads as it reads the folder."""

import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.evidence_case import METADATA, EvidenceCase
from kep_validator.front_matter import lines_upstream_reads
from kep_validator.source import Source
from kep_validator.yaml_source import YamlDocument
from kep_workbench.errors import InputError
from kep_workbench.export import make_export, metadata_lines


@pytest.fixture
def case(tmp_path):
    return EvidenceCase(tmp_path / "w")


def export(case, *options):
    return case.kepler("export", "kep", *options)


def as_upstream_reads(text):
    """The metadata that upstream's reader takes from a file."""
    source = Source.from_bytes("x.md", text.encode())
    return YamlDocument.parse_lines(source, lines_upstream_reads(source))


def test_upstream_reads_the_same_metadata_from_the_export(case, capsys):
    assert export(case) == 0
    assert "validated in this form" in capsys.readouterr().out
    text = (case.root / "kep-4389.md").read_text()
    assert text.startswith("---\n# One comment\ntitle: ")
    read = as_upstream_reads(text)
    folder = YamlDocument.parse(Source.from_bytes("kep.yaml", METADATA.encode()))
    assert read.data == folder.data
    assert not read.errors
    body = case.readme.read_text()
    assert text.endswith(body)


def test_twice_is_up_to_date_and_check_tells_when_it_is_not(case, capsys):
    assert export(case, "--check") == 1
    assert export(case) == 0
    assert export(case, "--check") == 0
    assert export(case) == 0
    assert "up to date" in capsys.readouterr().out
    case.edit("The end.", "The new end.")
    assert export(case, "--check") == 1
    assert export(case) == 0
    assert "The new end." in (case.root / "kep-4389.md").read_text()


METADATA_CASES = {
    "start": ("---\na: 1\n", ["a: 1"]),
    "directive": ("%YAML 1.2\n---\na: 1\n", ["a: 1"]),
    "comment before the start": ("# c\n--- # d\na: 1\n", ["# c", "# d", "a: 1"]),
    "ruled comment": ("# ---- section ----\na: 1\n", ["# -- section --", "a: 1"]),
    "comment behind a value": ("a: 1 # x --- y\n", ["a: 1 # x -- y"]),
    "hash in a value": ('a: "b # c" # d----\n', ['a: "b # c" # d--']),
    "crlf": ("---\r\na: 1\r\n", ["a: 1"]),
}


@pytest.mark.parametrize(("text", "lines"), METADATA_CASES.values(), ids=METADATA_CASES)
def test_no_separator_is_left_in_the_metadata(text, lines):
    assert metadata_lines(Source.from_bytes("kep.yaml", text.encode())) == lines


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("a: 1\ntitle: b --- c\n", "kep.yaml:2", "holds --- in a value"),
        ('title: "# --- c"\n', "kep.yaml:1", "holds --- in a value"),
        ("a: |\n  x\n  ---y\n", "kep.yaml:3", "holds --- in a value"),
        ("a: 1\n---\nb: 1\n---\nc: 1\n", "kep.yaml:4", "second YAML document"),
        ("a: [1\n", "kep.yaml:2", "is not YAML"),
        ("a: 1\n---\nb: 2\n", "kep.yaml:2", "second YAML document"),
    ],
)
def test_metadata_that_cannot_stand_between_separators_are_refused(text, place, problem):
    with pytest.raises(InputError) as caught:
        metadata_lines(Source.from_bytes("kep.yaml", text.encode()))
    assert (caught.value.place, problem in caught.value.problem) == (place, True)


@given(
    st.lists(
        st.sampled_from(
            ["# ---", "#--------", "a{}: 1", "b{}: x # --- y", 'c{}: "#"', "d{}:\n  - '@x'", ""]
        )
    ),
    st.sampled_from(["", "---\n", "# c\n---\n"]),
    st.lists(st.sampled_from(["---", "| a |\n|---|", "Text --- more", "***", "# H"])),
)
def test_whatever_dashes_there_are_upstream_reads_the_same(lines, start, body):
    text = start + "".join(f"{line.format(n)}\n" for n, line in enumerate(lines))
    source = Source.from_bytes("kep.yaml", text.encode())
    kept = "\n".join(metadata_lines(source))
    whole = "\n".join(["---", kept, "---", *body, ""])
    assert as_upstream_reads(whole).data == YamlDocument.parse(source).data


def test_dashes_in_the_body_do_no_harm_and_stay(case):
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n\nEnd -- of --- it."
    case.edit("The end.", table)
    assert export(case) == 0
    text = (case.root / "kep-4389.md").read_text()
    assert table in text
    assert as_upstream_reads(text).text("title") == "Scheduler Preemption Fast Path"


LINKS = {
    "[a](kep.yaml)": "[a](../kep/kep.yaml)",
    "[a](./kep.yaml#x)": "[a](../kep/kep.yaml#x)",
    "![a](evidence/f.svg)": "![a](../kep/evidence/f.svg)",
    "[![a](evidence/f.svg)](kep.yaml)": "[![a](../kep/evidence/f.svg)](../kep/kep.yaml)",
    "[a](<with blank.md>)": "[a](../kep/with%20blank.md)",
    '[a](kep.yaml "title")': '[a](../kep/kep.yaml "title")',
    "[a](README.md#summary)": "[a](#summary)",
    "[a]: kep.yaml": "[a]: ../kep/kep.yaml",
    '<img src="evidence/f.svg">': '<img src="../kep/evidence/f.svg">',
    "[a](evidence/)": "[a](../kep/evidence/)",
    "[a](#summary)": "[a](#summary)",
    "[a](/keps/x.md)": "[a](/keps/x.md)",
    "[a](https://example.org/kep.yaml)": "[a](https://example.org/kep.yaml)",
    "[a](mailto:x@example.org)": "[a](mailto:x@example.org)",
    "[a](missing.md)": "[a](missing.md)",
    "`[a](kep.yaml)`": "`[a](kep.yaml)`",
    "```\n[a](kep.yaml)\n```": "```\n[a](kep.yaml)\n```",
}


@pytest.mark.parametrize(("before", "after"), LINKS.items())
def test_links_are_adjusted_to_the_place_of_the_export(case, before, after):
    (case.kep / "evidence").mkdir()
    (case.kep / "evidence" / "f.svg").write_text("<svg/>")
    (case.kep / "with blank.md").write_text("x")
    (case.root / "sub").mkdir()
    case.edit("The end.", f"The end.\n\n{before}\n\nReally.")
    assert export(case, "--output", "sub/out.md") == 0
    text = (case.root / "sub" / "out.md").read_text()
    assert text.endswith(f"The end.\n\n{after}\n\nReally.\n")


def test_only_an_unedited_export_is_replaced(case, capsys):
    path = case.root / "kep-4389.md"
    path.write_text("My notes.\n")
    assert export(case) == 1
    assert "is no export" in capsys.readouterr().err
    assert path.read_text() == "My notes.\n"
    assert export(case, "--force") == 0
    path.write_text(path.read_text().replace("The end.", "My words."))
    assert export(case) == 1
    assert "was edited" in capsys.readouterr().err
    assert "My words." in path.read_text()
    assert export(case, "--force") == 0
    assert "My words." not in path.read_text()


def test_parts_of_the_kep_are_never_replaced(case):
    before = case.files()
    for name in ("README.md", "kep.yaml"):
        assert export(case, "--force", "--output", f"kep/{name}") == 2
    assert case.files() == before


def test_errors_that_only_the_single_file_has_are_refused(case, capsys, monkeypatch):
    from kep_validator.diagnostics import Diagnostic, Severity
    from kep_validator.source import Span
    from kep_workbench import export as module

    error = Diagnostic("KEP9", "x", Severity.ERROR, "wrong here", Span("kep-4389.md", 4))
    monkeypatch.setattr(module, "validate_single_file", lambda *_: [error])
    assert export(case) == 1
    assert "kep-4389.md:4: KEP9" in capsys.readouterr().err
    assert not (case.root / "kep-4389.md").exists()


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda case: case.readme.unlink(), "README.md: cannot be read"),
        (lambda case: (case.kep / "kep.yaml").unlink(), "kep.yaml: cannot be read"),
        (lambda case: case.readme.write_bytes(b"# \xff"), "README.md:1: is not UTF-8"),
        (lambda case: case.edit("# KEP", "---\na: 1\n---\n# KEP"), "front matter of its own"),
        (lambda case: case.edit("The end.", "x" * 65_536), "upstream reads 65535 at most"),
    ],
)
def test_unusable_input(case, capsys, spoil, problem):
    spoil(case)
    assert export(case) == 2
    said = capsys.readouterr().err
    assert problem in said
    assert "help:" in said


def test_dash_prints_it(case, capfdbinary):
    assert export(case, "--output", "-") == 0
    assert capfdbinary.readouterr().out.startswith(b"---\n# One comment\n")
    assert not (case.root / "kep-4389.md").exists()


def test_a_readme_without_last_line_end_stays_so(case):
    case.readme.write_text(case.readme.read_text() + "\n<!--\n## Not a heading\n-->")
    assert export(case) == 0
    assert (case.root / "kep-4389.md").read_text().endswith("-->")
    assert export(case, "--check") == 0


@pytest.mark.slow
@pytest.mark.shared
def test_real_keps_are_read_alike_in_both_forms(shared_dir, tmp_path):
    with tarfile.open(shared_dir / "corpus" / "keps-1.34-freeze.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    count = 0
    for metadata in sorted(tmp_path.rglob("kep.yaml")):
        if not (metadata.parent / "README.md").exists():
            continue
        made = make_export(metadata.parent, tmp_path / "x.md")
        folder = YamlDocument.parse(Source.read(metadata))
        assert as_upstream_reads(made.data.decode()).data == folder.data, metadata
        count += 1
    assert count > 500


def test_errors_of_the_kep_itself_are_noted(case, capsys):
    case.edit("<!-- /toc -->", "")
    assert export(case) == 0
    assert "the KEP has errors of its own (" in capsys.readouterr().err
