"""Reading YAML: literal values, places, and every kind of broken file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kep_validator.source import Source
from kep_validator.yaml_faults import Fault
from kep_validator.yaml_source import YamlDocument


def parse(text: str | bytes) -> YamlDocument:
    data = text if isinstance(text, bytes) else text.encode()
    return YamlDocument.parse(Source.from_bytes("kep.yaml", data))


@pytest.mark.parametrize(
    "literal", ["0034", "0x22", "1.20", "9_999", "2023-14-05", "true", "yes", "v1.34", "1e3"]
)
def test_scalars_stay_as_typed(literal: str) -> None:
    document = parse(f"key: {literal}\nquoted: '{literal}'\n")
    assert document.text("key") == document.text("quoted") == literal
    assert not document.quoted("key")
    assert document.quoted("quoted")


@pytest.mark.parametrize("null", ["", "~", "null", "Null"])
def test_null_is_none(null: str) -> None:
    document = parse(f"key: {null}\n")
    assert document.data == {"key": None}
    assert document.has("key")
    assert document.text("key") is None


def test_lists_and_paths() -> None:
    document = parse("gates:\n  - name: A\n    parts: [x, ~, y]\n  - name: B\n")
    assert document.texts("gates", 0, "parts") == ["x", "y"]
    assert document.text("gates", 1, "name") == "B"
    assert document.text("gates", 2, "name") is None
    assert document.text("gates") is None
    assert document.texts("gates", 0, "name") == []
    assert document.get("gates", 0, "parts", "x") is None


def test_places() -> None:
    document = parse("title: é x\nlist:\n  - one\n  - two\n\nempty:\n")
    title = document.span("title")
    assert (title.line, title.column, title.end_column) == (1, 8, 11)
    assert document.key_span("title").column == 1
    assert (document.span("list", 1).line, document.span("list", 1).column) == (4, 5)
    assert (document.span("list").line, document.span("list").end_line) == (3, 4)
    assert document.span("empty").line == 6
    assert document.span("list", 7) == document.span("list")
    assert document.span("absent").line == 1


def test_places_count_lines_as_editors_do() -> None:
    # YAML takes U+2028 for a line break.
    document = parse("a: 'x\u2028y'\nb: z\n")
    assert document.span("b").line == 2


def test_places_in_front_matter_are_the_files() -> None:
    source = Source.from_bytes("kep.md", b"---\ntitle: x\n---\n# body\n")
    document = YamlDocument.parse(source, 2, 2)
    assert document.text("title") == "x"
    assert document.span("title").line == 2
    assert document.span("absent").line == 2


@pytest.mark.parametrize(
    ("text", "kind", "line", "part"),
    [
        ("a: @x\n", Fault.SYNTAX, 1, "'@'"),
        ("a:\n\t- x\n", Fault.SYNTAX, 2, "'\\t'"),
        ("a: 1\nb: 'x\nc: 2\n", Fault.SYNTAX, 2, "end of stream"),
        ("a: *x\n", Fault.SYNTAX, 1, "undefined alias"),
        ("a: b: c\n", Fault.SYNTAX, 1, "mapping values"),
        ("a: \x00\n", Fault.SYNTAX, 1, "control characters"),
        ("[a]: b\n", Fault.SYNTAX, 1, "a key is a list"),
        ("<<: x\n", Fault.SYNTAX, 1, "merges"),
        ("a: &x [*x]\n", Fault.SYNTAX, 1, "beyond reason"),
        ("[" * 5000, Fault.SYNTAX, 1, "nest"),
        ("a: 1\nb: 2\na: 3\n", Fault.DUPLICATE, 3, "first on line 1"),
        ("a:\n  b: 1\n  b: 2\n", Fault.DUPLICATE, 3, "`b`"),
        ("- a\n", Fault.ROOT, 1, "a list"),
        ("text\n", Fault.ROOT, 1, "plain text"),
        ("", Fault.ROOT, 1, "no metadata"),
        ("# only a comment\n", Fault.ROOT, 1, "no metadata"),
    ],
)
def test_faults_have_kind_place_and_help(text: str, kind: Fault, line: int, part: str) -> None:
    document = parse(text)
    assert document.errors
    error = document.errors[0]
    assert (error.kind, error.span.line) == (kind, line)
    assert part in error.message
    assert error.help


def test_alias_bombs_are_refused_quickly() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 12):
        aliases = ", ".join([f"*a{level - 1}"] * 10)
        lines.append(f"a{level}: &a{level} [{aliases}]")
    document = parse("\n".join(lines))
    assert document.broken
    assert "beyond reason" in document.errors[0].message


def test_merge_keys_give_way_to_own_keys() -> None:
    document = parse("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\n")
    assert document.get("use") == {"y": "3", "x": "1"}


def test_second_document_is_noticed_and_ignored() -> None:
    document = parse("a: 1\n---\nb: [\n")
    assert document.data == {"a": "1"}
    assert document.extra_documents


@given(st.binary(max_size=200))
def test_any_bytes_give_a_document(data: bytes) -> None:
    document = parse(data)
    assert isinstance(document.data, dict)
    assert all(error.span.line >= 1 for error in document.errors)


@given(st.text(alphabet=" \n\t:-[]{}&*!|>'\"%@`#,?ab0~<=\r\ufeff\x85", max_size=60))
def test_any_yaml_like_text_gives_a_document(text: str) -> None:
    document = parse(text.encode())
    lines = len(document.source.lines)
    for key in document.data:
        assert 1 <= document.span(key).line <= lines
        assert document.key_span(key).line <= document.span(key).end_line
    assert all(1 <= error.span.line <= lines for error in document.errors)
