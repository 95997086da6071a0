"""Headings, sections, comments and visible text of Markdown."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from readme_samples import parse

from kep_validator.markdown_source import MarkdownDocument
from kep_validator.source import Source

HEADINGS = [
    ("## A", [(2, "A", False)]),
    ("## A ##", [(2, "A", False)]),
    ("   ### A", [(3, "A", False)]),
    ("    ### A", []),
    ("##A", []),
    ("##\u00a0A", []),
    ("####### A", []),
    ("A\n===", [(1, "A", False)]),
    ("A\nB\n---", [(2, "A B", False)]),
    ("- A\n---", []),
    ("> ## A", [(2, "A", True)]),
    ("- ## A", [(2, "A", True)]),
    ("- a\n\n  ## A", [(2, "A", True)]),
    ("```\n## A\n```", []),
    ("- x\n  ```\n## A", [(2, "A", False)]),
    ("~~~\n## A\n```\n## B", []),
    ("<!--\n## A\n-->\n## B", [(2, "B", False)]),
    ("<details>\n## A\n\n## B", [(2, "B", False)]),
    ("## `A` *b* [c](d) <!-- e -->\u200b", [(2, "A b c", False)]),
    ("##", [(2, "", False)]),
]


@pytest.mark.parametrize(("text", "expected"), HEADINGS)
def test_headings(text: str, expected: list[tuple[int, str, bool]]) -> None:
    headings = parse(text).headings
    assert [(each.level, each.title, each.nested) for each in headings] == expected


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("x\n\n## A  ", (3, 1, 3, 5)),
        ("  ## A", (1, 3, 1, 7)),
        ("> ## A", (1, 3, 1, 7)),
        ("A b\n  ===", (1, 1, 2, 6)),
    ],
)
def test_heading_spans(text: str, span: tuple[int, int, int, int]) -> None:
    found = parse(text).headings[0].span
    assert (found.line, found.column, found.end_line, found.end_column) == span


def test_sections_form_a_tree() -> None:
    document = parse("intro\n# T\n## A\na\n### B\n\nb\n- # no\n## C\nc")
    rows = [
        (each.heading.title, each.first_line, each.last_line, each.end_line)
        for each in document.sections
    ]
    assert rows == [("T", 3, 2, 10), ("A", 4, 4, 8), ("B", 6, 8, 8), ("C", 10, 10, 10)]
    top = document.sections[0]
    assert [each.heading.title for each in top.walk()] == ["T", "A", "B", "C"]
    assert [each.heading.title for each in top.children] == ["A", "C"]
    assert document.body(document.sections[1]) == ["a"]


def test_lines_count_from_the_files_start_below_front_matter() -> None:
    document = MarkdownDocument.parse(
        Source.from_bytes("k.md", b"---\r\n# t: x\r\n---\r\n# T\r\n<!-- c\r\n-->x\r\n"), 4
    )
    assert [(each.title, each.span.line) for each in document.headings] == [("T", 4)]
    assert document.visible_lines == ["", "", "", "# T", "      ", "   x", ""]
    assert [(each.span.line, each.span.end_line) for each in document.comments] == [(5, 6)]


COMMENTS = [
    ("a <!-- b --> c", ["<!-- b -->"], "a            c"),
    ("`<!-- b -->` <!-- c -->", ["<!-- c -->"], "`<!-- b -->`           "),
    ("`` ` <!-- b --> ``", [], "`` ` <!-- b --> ``"),
    ("` <!-- b -->", ["<!-- b -->"], "`           "),
    ("```\n<!-- b -->\n```", [], "```\n<!-- b -->\n```"),
    ("    <!-- b -->", [], "    <!-- b -->"),
    ("<!-- b\n\nc --> d", ["<!-- b\n\nc -->"], "      \n\n      d"),
    ("<!--> a", ["<!-->"], "      a"),
    ("- <!--\n\nb\n-->\nc", ["<!--\n\nb\n-->"], "-     \n\n \n   \nc"),
    ("<details>\n<!-- b -->\n</details>", ["<!-- b -->"], "<details>\n          \n</details>"),
    ("x\n<!-- b\n# C", ["<!-- b\n# C"], "x\n      \n   "),
]


@pytest.mark.parametrize(("text", "comments", "visible"), COMMENTS)
def test_comments(text: str, comments: list[str], visible: str) -> None:
    document = parse(text)
    assert [each.text for each in document.comments] == comments
    assert "\n".join(document.visible_lines) == visible


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("```\na", 1),
        ("```\na\n```", None),
        ("a\n\n````\n```", 3),
        ("~~~\n~~~~", None),
        ("- ```\n  a\n  ```", None),
        ("```", 1),
    ],
)
def test_unclosed_code(text: str, line: int | None) -> None:
    span = parse(text).unclosed_code()
    assert (span.line if span else None) == line


def test_tasks_outside_of_comments_and_code() -> None:
    text = "- [ ] a\n  * [x] b\n1. [X] c\n<!--\n- [ ] d\n-->\n```\n- [ ] e\n```\n- [] f\n"
    tasks = parse(text).tasks
    assert [(each.span.line, each.span.column, each.done, each.text) for each in tasks] == [
        (1, 1, False, "a"),
        (2, 3, True, "b"),
        (3, 1, True, "c"),
    ]


def test_body_leaves_out_what_says_nothing() -> None:
    document = parse("## A\n\u200b\n\n[k/k]: https://example.org\n<!-- c -->\nb\n")
    assert document.body(document.sections[0]) == ["b"]


MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# A",
            "## B",
            "---",
            "===",
            "<!--",
            "-->",
            "```",
            "> ",
            "- ",
            "  ",
            "`",
            "x",
            "",
            "\t",
            "[a]:",
        ]
    ),
    max_size=25,
).map("\n".join)


@given(st.one_of(st.text(max_size=200), MARKDOWN), st.integers(1, 3))
def test_any_text_is_read(text: str, first_line: int) -> None:
    source = Source("README.md", text)
    document = MarkdownDocument.parse(source, min(first_line, len(source.lines)))
    assert [len(line) for line in document.visible_lines[document.first_line - 1 :]] == [
        len(line) for line in source.lines[document.first_line - 1 :]
    ]
    assert len(document.prose_lines) == len(source.lines)
    for each in [*document.headings, *document.comments]:
        assert document.first_line <= each.span.line <= each.span.end_line <= len(source.lines)
        end = len(source.lines[each.span.end_line - 1]) + 1
        assert each.span.column >= 1 and each.span.end_column <= end
    for section in document.sections:
        assert section.first_line - 1 <= section.last_line <= section.end_line
    assert document.unclosed_code() is None or document.blocks.code


HOSTILE = [
    "`" * 50 + " ",
    "<!-- ",
    "- ",
    "> ",
    "[a",
    "**a",
    "\n```\n",
    "\n---\nx",
    "a\n",
    "\n## A\n",
    "<div>\n",
]


@pytest.mark.parametrize("part", HOSTILE)
def test_time_is_linear_in_size(part: str) -> None:
    def seconds(size: int) -> float:
        text = part * (size // len(part))
        start = time.process_time()
        document = parse(text)
        _ = (document.sections, document.prose_lines, document.comments)
        return time.process_time() - start

    small = min(seconds(30_000) for _ in range(2))
    assert seconds(120_000) < 12 * small + 0.2
