"""Marks in a README: found with their lines, faults named with a remedy."""

import pytest

from kep_workbench.mark_parsing import parse_marks
from kep_workbench.marks import MarkKind

BEGIN = '<!-- evidence:begin id="a" run="default/edge-10" show="tables" -->'
OTHER = BEGIN.replace('"a"', '"b"')
END = "<!-- evidence:end -->"
FACT = '<!-- fact:p50 run="default/edge-10" -->1.23 ms<!-- /fact -->'


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_finds_blocks_and_facts_with_their_lines(newline):
    text = newline.join(["# T", "", f"It is {FACT}.", BEGIN, "x", END, ""])
    marked = parse_marks(text)
    fact, block = marked.marks
    assert not marked.problems
    assert (fact.kind, fact.id, fact.run, fact.line) == (MarkKind.FACT, "p50", "default/edge-10", 3)
    assert (block.kind, block.id, block.show, block.line) == (MarkKind.BLOCK, "a", "tables", 4)
    assert marked.content(fact) == "1.23 ms"
    assert marked.content(block) == f"x{newline}"
    assert block.newline == newline
    assert block.batch == "default"


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{BEGIN}\n```\n",
        f"~~~markdown\nIt is {FACT}\n~~~\n",
        f"    {BEGIN}\n",
        f"Write `{FACT}` in prose.\n",
        f"Write `` {BEGIN} `` alone on a line.\n",
        "No marks <!-- a comment --> here\n",
        "",
    ],
)
def test_code_and_other_comments_hold_no_marks(text):
    marked = parse_marks(text)
    assert (marked.marks, marked.problems) == ((), ())


FAULTS = {
    "unclosed": (f"a\n{BEGIN}\nb\n", 2, "has no end", "evidence:end"),
    "nested": (f"{BEGIN}\n{OTHER}\n{END}\n", 2, "begins inside", "end"),
    "end alone": (f"a\n{END}\n", 2, "did not begin", "remove it"),
    "same id": (f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n", 3, "line 1 already", "own id"),
    "not alone": (f"See {BEGIN}\n{END}\n", 1, "does not stand alone", "first column"),
    "indented": (f"- x\n  {BEGIN}\n  {END}\n", 2, "does not stand alone", "first column"),
    "unknown word": ("<!-- evidence:start -->\n", 1, "evidence:start", "evidence:begin"),
    "word with dash": ('<!-- evidence-begin id="a" -->\n', 1, "-begin", "evidence:begin"),
    "no id": (f'<!-- evidence:begin run="a/b" -->\n{END}\n', 1, "has no id", "id="),
    "no run": (f'<!-- evidence:begin id="a" -->\n{END}\n', 1, "names no run", 'run="default'),
    "run without batch": (BEGIN.replace("default/", "") + f"\n{END}", 1, "not BATCH/RUN", "run="),
    "typing error": (BEGIN.replace("show", "shwo") + f"\n{END}", 1, "'shwo'", "did you mean show"),
    "twice": (BEGIN.replace(" show", ' id="b" show') + f"\n{END}", 1, "says id twice", "one of"),
    "no quotes": (BEGIN.replace('"a"', "a") + f"\n{END}", 1, "cannot read", 'name="value"'),
    "fact open": ('It is <!-- fact:a run="b/c" -->1 ms\n', 1, "no end on its line", "/fact"),
    "fact closed": ("It is 1 ms<!-- /fact -->\n", 1, "did not begin", "before the value"),
    "fact in fact": (f'It <!-- fact:a run="b/c" --> {FACT}\n', 1, "no end on its line", "/fact"),
    "fact without run": ("It <!-- fact:a -->1<!-- /fact -->\n", 1, "names no run", "run="),
    "fact in heading": (f"## It is {FACT}\n", 1, "in a heading", "into the text below"),
    "fact begins line": (f"{FACT} it is\n", 1, "takes the line for HTML", "a word before"),
    "fact begins item": (f"- {FACT} it is\n", 1, "takes the line for HTML", "a word before"),
}


@pytest.mark.parametrize(("text", "line", "problem", "remedy"), FAULTS.values(), ids=FAULTS)
def test_faults_name_line_problem_and_remedy(text, line, problem, remedy):
    found = parse_marks(text).problems
    assert any(p.line == line and problem in p.problem and remedy in p.remedy for p in found), found


def test_all_faults_are_reported_at_once_in_order():
    text = f"{END}\n<!-- fact:a -->1\n{BEGIN}\n"
    lines = [problem.line for problem in parse_marks(text).problems]
    assert lines == [1, 2, 3]


def test_facts_in_table_cells_are_found():
    marked = parse_marks(f"| a | b |\n|---|---|\n| {FACT} | {FACT} |\n")
    assert len(marked.marks) == 2
    assert not marked.problems
