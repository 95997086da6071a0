"""Rendering: numbers as a reader wants them, the environment in bold, and nothing breaks out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from builders.evidence_case import make_record, make_result, not_run_result
from kep_workbench.errors import InputError
from kep_workbench.mark_parsing import parse_marks
from kep_workbench.markdown_text import escape, show_table, show_value, with_unit
from kep_workbench.record import RunStatus
from kep_workbench.render import render_block, render_fact
from kep_workbench.results import Column, Fact, Figure, Table
from kep_workbench.splice import replace_marks


def link(figure):
    return f"figures/{figure.id}.svg"


def render(show="", **changes):
    return render_block(make_record(result=make_result(**changes)), show, link, "README.md:3")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1.2345, "1.23"),
        (1.0, "1.00"),
        (12.345, "12.3"),
        (1234.5, "1234"),
        (99.96, "100"),
        (9.996, "10.0"),
        (0.04567, "0.0457"),
        (0.00012345, "0.000123"),
        (-2.5, "-2.50"),
        (0.0, "0"),
        (1.5e-7, "1.50e-07"),
        (2e20, "2.00e+20"),
        (5000, "5000"),
        (None, "—"),
        (True, "yes"),
        (False, "no"),
        ("a|b", r"a\|b"),
    ],
)
def test_values(value, shown):
    assert show_value(value) == shown


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (1.5, "ms", "1.50 ms"),
        (25.0, "%", "25.0%"),
        (2.0, "×", "2.00×"),
        (3, "", "3"),
        (None, "ms", "—"),
    ],
)
def test_units(value, unit, shown):
    assert with_unit(value, unit) == shown


def test_table_has_units_in_the_header_and_numbers_to_the_right():
    table = Table(
        "t",
        "c",
        (Column("a|b"), Column("p50", "ms"), Column("n")),
        (("x\ny", 1.0, 1), ("z", None, 2)),
    )
    assert show_table(table).splitlines() == [
        r"| a\|b | p50 (ms) | n |",
        "| --- | ---: | ---: |",
        "| x y | 1.00 | 1 |",
        "| z | — | 2 |",
    ]


def test_a_table_without_rows_says_so():
    assert "(no rows)" in show_table(Table("t", "c", (Column("a"), Column("b")), ()))


def test_block_shows_what_is_asked_for_and_where_it_comes_from():
    text = render("table:latency")
    assert "| upstream | 1.23 | 3 |" in text
    assert "![" not in text
    assert "Median latency" not in text
    assert "**Simulated, not measured on a cluster.** A synthetic cluster in memory." in text
    for part in ("default/edge-10", "2026-01-02", "sha256:aaaaaaaaaaaa", "sha256:bbbbbbbbbbbb",
                 "nodes = `10`", "kep-workbench 0.1.0", "Linux x86_64, 2 CPUs, 23.4 GiB",
                 "1.34 (rules re-implemented in Python)", "latency 600"):  # fmt: skip
        assert part in text


@pytest.mark.parametrize(
    "show", ["", "all", "facts tables figures", "fact:latency-p50,tables,figures"]
)
def test_all_shows_facts_tables_and_figures(show):
    text = render(show)
    assert "| Median latency | 1.23 ms | `latency-p50` |" in text
    assert "*Latency by strategy*\n\n| strategy |" in text
    assert "![Box plot of latencies](figures/latency.svg)\n\n*Latency*" in text


def test_provenance_is_folded_unless_asked_for():
    assert "<details>" in render("tables")
    assert "<details>" not in render("tables provenance")


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ("trace", "Simulated on a recorded trace"),
        ("kind", "Measured on a kind cluster"),
        ("kubeconfig", "Measured on a real cluster"),
        ("local-control-plane", "Measured on a real control plane, run locally"),
    ],
)
def test_bold_words_say_what_was_measured_on(environment, words):
    assert f"**{words}" in render(environment=environment)


def test_not_run_is_said_with_the_reason_and_without_any_number():
    record = make_record("e2e", not_run_result(), RunStatus.NOT_RUN)
    text = render_block(record, "table:latency figures", link, "p")
    assert text.startswith("**Not run: On a cluster.** no cluster; give the parameter cluster")
    assert "|" not in text.split("<details>")[0]
    assert render_fact(record, "anything", "p") == "not run"


def test_fact_in_prose():
    assert render_fact(make_record(), "latency-p50", "p") == "1.23 ms"


@pytest.mark.parametrize(
    ("show", "problem", "remedy"),
    [
        ("tabels", "cannot show 'tabels'", "tables"),
        ("table:", "cannot show 'table:'", "table:ID"),
        ("table:latncy", "no table 'latncy'", "did you mean latency?"),
        ("figure:zzz", "no figure 'zzz'", "there are: latency"),
        ("fact:latency-p99", "no fact", "latency-p50"),
    ],
)
def test_what_cannot_be_shown_is_named(show, problem, remedy):
    with pytest.raises(InputError) as caught:
        render(show)
    assert caught.value.place == "README.md:3"
    assert problem in caught.value.problem
    assert remedy in caught.value.remedy


HOSTILE = st.one_of(
    st.text(min_size=1),
    st.lists(
        st.sampled_from(
            ["<!-- evidence:end -->", "-->", "```", "|", "\n", "# h", "\\", "`", "---",
             "</details>",
             '<!-- fact:a run="b/c" -->', "<!-- /fact -->", "[x](y)", "**", "_", "$", "a", " "]
        ),
        min_size=1,
    ).map("".join),
).filter(str.strip)  # fmt: skip


@settings(deadline=None)
@given(HOSTILE, HOSTILE, HOSTILE)
def test_no_words_of_a_result_break_out_of_their_block(one, two, three):
    result = make_result(
        environment_note=one,
        kubernetes_version=two,
        parameters={"a": three},
        facts=(Fact("f", one, two, three),),
        tables=(Table("t", two, (Column(three), Column("n", one)), ((one, two), (three, 1))),),
        figures=(Figure("x", one, two, "image/png", b"x"),),
    )
    record = make_record(result=result, parameters={"a": three, "b": [one]})
    text = '# T\n\n<!-- evidence:begin id="a" run="b/c" -->\n<!-- evidence:end -->\n\n## After\n'
    marked = parse_marks(text)
    body = render_block(record, "all provenance", link, "p")
    filled = replace_marks(marked, {marked.marks[0]: body})
    tokens = MarkdownIt("commonmark").enable("table").parse(filled)
    headings = [tokens[i + 1].content for i, t in enumerate(tokens) if t.type == "heading_open"]
    assert headings == ["T", "After"]
    rows = [token for token in tokens if token.type == "tr_open"]
    assert len(rows) == 2 + 3  # one fact, two rows, two headers
    assert not any(line.startswith("---") for line in filled.splitlines())


@given(st.text())
def test_escaped_words_are_read_back_as_they_were(text):
    words = " ".join(text.split())
    tokens = MarkdownIt("commonmark").parseInline(f"x{escape(words)}x")
    shown = "".join(child.content for child in tokens[0].children or [])
    assert shown.replace("\ufffd", "\0") == f"x{words}x".replace("\ufffd", "\0")
