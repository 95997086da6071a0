"""The report for readers: excerpts that show the fault, whatever the line looks like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kep_validator.diagnostics import Diagnostic, Related, Report, Severity, Skipped
from kep_validator.reporters.text import TextReporter
from kep_validator.source import Source, Span


def render(text: str, span: Span, **options: bool) -> str:
    found = Diagnostic("KEP101", "unknown-key", Severity.ERROR, "wrong", span, "mend it")
    source = Source("kep.yaml", text)
    return TextReporter(lambda _: source, **options).render(Report("1.34", ("k",), (found,)))


def marked(text: str, span: Span) -> str:
    """What stands above the carets."""
    lines = render(text, span).splitlines()
    carets = next(line for line in lines if line.strip(" |^") == "" and "^" in line)
    above = lines[lines.index(carets) - 1]
    return above[carets.index("^") : carets.rindex("^") + 1]


@pytest.mark.parametrize(
    ("text", "span", "shown"),
    [
        ("stage: betta", Span("kep.yaml", 1, 8, 1, 13), "betta"),
        ("\n\nstage: betta", Span("kep.yaml", 3, 1, 3, 6), "stage"),
        ("a:\n  - b\n  - c", Span("kep.yaml", 2, 3, 3, 6), "- b"),
        (f"{'x' * 300}fault{'y' * 300}", Span("kep.yaml", 1, 301, 1, 306), "fault"),
        ("é: ü", Span("kep.yaml", 1, 4, 1, 5), "ü"),
        ("\ta: b", Span("kep.yaml", 1, 5, 1, 6), "b"),
    ],
)
def test_carets_stand_below_the_fault(text: str, span: Span, shown: str) -> None:
    assert marked(text, span) == shown


@pytest.mark.parametrize(
    "span", [Span("kep.yaml", 1), Span("kep.yaml", 9, 1, 9, 3), Span("kep.yaml", 2, 1, 2, 2)]
)
def test_no_excerpt_where_there_is_nothing_to_show(span: Span) -> None:
    assert "^" not in render("title: x\n", span)


def test_control_characters_do_not_reach_the_terminal() -> None:
    span = Span("kep.yaml", 1, 1, 1, 2)
    found = Diagnostic("KEP101", "n", Severity.ERROR, "key \x1b[2J", span, "not \x07")
    source = Source("kep.yaml", "a: \x1b[31mred\x07")
    printed = TextReporter(lambda _: source).render(Report("1.34", ("k",), (found,)))
    assert "\x1b" not in printed and "\x07" not in printed


@pytest.mark.parametrize("listed", [False, True])
def test_checks_that_did_not_run(listed: bool) -> None:
    report = Report("1.34", ("k",), (), (Skipped("KEP350", "k", "why"),))
    printed = TextReporter(lambda _: None, list_skipped=listed).render(report)
    assert ("k: KEP350: why" in printed) is listed
    assert "no findings; 1 check did not run" in printed


def test_related_places() -> None:
    related = (Related(Span("kep.yaml", 2, 3), "first here"),)
    span = Span("kep.yaml", 4)
    found = Diagnostic("KEP402", "n", Severity.WARNING, "m", span, related=related)
    printed = TextReporter(lambda _: None).render(Report("1.34", ("a", "b"), (found,)))
    assert "= see: kep.yaml:2:3 first here" in printed
    assert "2 KEPs checked for 1.34: 0 errors, 1 warning, 0 info" in printed


@given(st.text(max_size=40), st.integers(1, 5), st.integers(1, 250), st.integers(1, 300))
def test_any_line_and_place(text: str, line: int, column: int, end: int) -> None:
    printed = render(text, Span("kep.yaml", line, column, line, end))
    assert printed.endswith("0 info\n")
    assert all(character.isprintable() for character in printed.replace("\n", ""))


def test_endless_values_are_cut() -> None:
    found = Diagnostic("KEP101", "n", Severity.ERROR, "x" * 5_000, Span("kep.yaml", 1))
    text = TextReporter(lambda _: None).render(Report("1.34", ("k",), (found,)))
    assert "x… (5,000 characters)" in text
    assert len(text) < 1_200


def test_control_characters_of_a_path_are_escaped() -> None:
    found = Diagnostic("KEP101", "n", Severity.ERROR, "wrong", Span("a\x1b[2J\nb/kep.yaml", 1))
    text = TextReporter(lambda _: None).render(Report("1.34", ("k",), (found,)))
    assert text.startswith("a\\x1b[2J\\nb/kep.yaml\n")
