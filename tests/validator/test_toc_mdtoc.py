"""The table of contents, compared with recorded answers of mdtoc."""

from __future__ import annotations

import gzip
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from readme_samples import complete_readme, found, make_kep, parse, with_current_toc

from kep_validator.markdown_source import MarkdownDocument
from kep_validator.releases.loading import load_release
from kep_validator.rules.toc_block import TocStale
from kep_validator.source import Source
from kep_validator.toc import check_toc, find_tags
from kep_validator.toc_inline import Anchors, render_heading

GUIDE = load_release("1.34")
# mdtoc compares bytes, so that a CRLF file of more than one entry is never current. Here line ends
# do not count: git turns them into LF on the way to the repository.
LINE_ENDS = {"t072"}


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def verdict(document: MarkdownDocument) -> tuple[bool, str | None]:
    tags = find_tags(document.source.text)
    if tags.problem:
        return False, None
    toc = check_toc(document, tags)
    return toc.is_current, "\n".join(toc.expected)


@pytest.mark.shared
def test_recorded_variants(shared_dir: Path) -> None:
    differing = set()
    variants = list(rows(shared_dir / "oracle/kepval/toc_mutants.jsonl.gz"))
    for row in variants:
        source = Source.from_bytes("README.md", row["input"].encode())
        current, toc = verdict(MarkdownDocument.parse(source))
        recorded = row["mdtoc_1.1.0"]
        if current != recorded["ok"] or (toc is not None and toc != recorded["toc"].strip()):
            differing.add(row["id"])
    assert len(variants) > 70
    assert differing == LINE_ENDS


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize(
    ("archive", "recorded"),
    [("keps-1.34-freeze", "toc-f134"), ("keps-2026-07", "toc-head")],
)
def test_every_real_readme(shared_dir: Path, archive: str, recorded: str) -> None:
    expected = {
        row["path"]: row["ok"] for row in rows(shared_dir / f"oracle/kepval/{recorded}.jsonl.gz")
    }
    wrong, seen = [], 0
    with tarfile.open(shared_dir / f"corpus/{archive}.tar.gz") as tar:
        for member in tar:
            path = member.name.split("/", 1)[-1]
            content = tar.extractfile(member) if path in expected else None
            if content is None:
                continue
            seen += 1
            document = MarkdownDocument.parse(Source.from_bytes(path, content.read()))
            if verdict(document)[0] != expected[path]:
                wrong.append(path)
    assert seen > 500
    assert wrong == []


@pytest.mark.parametrize(
    ("markdown", "html", "anchor"),
    [
        ("Goals", "Goals", "goals"),
        ("Upgrade / Downgrade", "Upgrade / Downgrade", "upgrade--downgrade"),
        ('"A" & b', "&quot;A&quot; &amp; b", "a--b"),
        ("`a_b` *c*", "<code>a_b</code> <em>c</em>", "a_b-c"),
        ("` a ` ~~b~~", "<code>a</code> <del>b</del>", "a-b"),
        ("Größe", "Größe", "gre"),
        ("[a](b)", '<a href="b">a</a>', "a"),
        ("[a] and [c]", '<a href="d">a</a> and [c]', "a-and-c"),
        (
            "See https://x.io/a.",
            'See <a href="https://x.io/a">https://x.io/a</a>.',
            "see-httpsxioa",
        ),
        ("A <b>c</b>", "A <b>c</b>", "a-c"),
        ("A <!-- c -->", "A <!-- c -->", "a-"),
        ("A {#own}", "A", "a"),
    ],
)
def test_headings_are_rendered_as_html(markdown: str, html: str, anchor: str) -> None:
    rendered = render_heading(markdown, {"A": {"href": "d", "title": ""}})
    assert (rendered.html, Anchors().make(rendered.text)) == (html, anchor)


def test_repeated_anchors_are_numbered() -> None:
    anchors = Anchors()
    assert [anchors.make(text) for text in ("A b", "a-b", "A b")] == ["a-b", "a-b-1", "a-b-2"]


def toc_of(body: str) -> list[str]:
    text = f"<!-- toc -->\n<!-- /toc -->\n{body}"
    return list(check_toc(parse(text), find_tags(text)).generated)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("### A\n## B\n##### C\n###### D\n", ["  - [A](#a)", "- [B](#b)", "      - [C](#c)"]),
        ("## A\n ## B\n##\tC\n- ## D\n> ## E\n", ["- [A](#a)", "- [E](#e)"]),
        ("## A\n\n---\n\n## B\n\n---\n\n## C\n", ["- [A](#a)", "- [C](#c)"]),
        ("## A\n\n---\n\n## B\n", ["- [A](#a)", "- [B](#b)"]),
        ("## A\n```\n## B\n", ["- [A](#a)", "- [B](#b)"]),
        ("## A\n<!--\n## B\n", ["- [A](#a)", "- [B](#b)"]),
        ("## A\n\n<!--\n## B\n-->\n\n## C\n", ["- [A](#a)", "- [C](#c)"]),
        ("## A\n\n<!--\n## B\n--> x\n\n## C\n", ["- [A](#a)", "- [B](#b)", "- [C](#c)"]),
        ("## A\n\n<div>\n\n## B\n\n</div>\n\n## C\n", ["- [A](#a)", "- [C](#c)"]),
        ("x\nA\n---\n", ["- [A](#a)"]),
    ],
)
def test_what_counts_as_heading(body: str, expected: list[str]) -> None:
    assert toc_of(body) == expected


@pytest.mark.parametrize(
    ("toc", "line", "message"),
    [
        ("- [A](#a)", 2, "`- [B](#b)` is missing at its end"),
        ("- [A](#a)\n- [B](#b)\n- [C](#c)", 4, "`- [C](#c)` is no heading of the README"),
        ("- [A](#a)\n\n- [B](#b)", 3, "`` stands where `- [B](#b)` belongs"),
        ("- [A](#a)\n  - [B](#b)", 3, "`- [B](#b)` is indented by other blanks than `- [B](#b)`"),
        ("", 2, "`- [A](#a)` is missing at its end"),
    ],
)
def test_stale_table_names_the_first_difference(toc: str, line: int, message: str) -> None:
    kep = make_kep(f"<!-- toc -->\n{toc}\n<!-- /toc -->\n## A\n## B\n")
    (finding,) = found(kep, GUIDE, "KEP261")
    assert finding[3] == f"the table of contents is not current: {message}"
    assert finding[2] in (line, line + 1)


def test_fix_makes_the_table_current() -> None:
    text = complete_readme(GUIDE).replace("  - [Goals](#goals)\n", "").replace("Drawbacks", "Costs")
    kep = make_kep(text)
    (finding,) = TocStale().check(kep, GUIDE)
    (edit,) = finding.fixes[0].edits
    assert finding.fixes[0].safe
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[: edit.span.line - 1]) + edit.span.column - 1
    end = sum(len(line) + 1 for line in lines[: edit.span.end_line - 1]) + edit.span.end_column - 1
    mended = text[:start] + edit.replacement + text[end:]
    assert found(make_kep(mended), GUIDE, "KEP26") == []
    assert mended == with_current_toc(text)


HEADING = st.tuples(st.integers(1, 6), st.text(alphabet='ab `*_<>&[]()#"-é', max_size=12))


@given(st.lists(HEADING, max_size=12), st.sampled_from(["\n", "\n\n"]))
def test_a_generated_table_is_current(headings: list[tuple[int, str]], between: str) -> None:
    body = between.join(f"{'#' * level} {text}" for level, text in headings)
    text = with_current_toc(f"# T\n<!-- toc -->\n<!-- /toc -->\n{body}\n")
    assert check_toc(parse(text), find_tags(text)).is_current
    assert with_current_toc(text) == text
