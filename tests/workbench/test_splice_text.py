"""Splicing: only the marks change, twice is as once, and any edit shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kep_workbench.mark_parsing import parse_marks
from kep_workbench.marks import MarkKind
from kep_workbench.splice import MarkState, content_digest, mark_state, replace_marks

NEWLINES = st.sampled_from(["\n", "\r\n", "\r"])
# Prose with what splicing must not stumble over: code, comments, odd line separators.
PROSE = st.sampled_from(
    [
        "",
        "Plain words.",
        "# Heading",
        "| a | b |",
        "---",
        "\u2028 separator \x0b and \x85 form",
        "Ünïcode ✓ 𝔸",
        "<!-- a comment -->",
        "trailing blanks   ",
        "`<!-- evidence:end -->` in code",
        "\tTab",
    ]
)
BODY = st.lists(
    st.sampled_from(["| x | 1 |", "**bold**", "text ✓", "", "![a](b.svg)", "<details>"]),
    min_size=1,
    max_size=5,
).map("\n".join).filter(str.strip)  # fmt: skip
VALUE = st.sampled_from(["1.23 ms", "not run", "3", "—", "4.5 %"])


@st.composite
def documents(draw):
    """Segments: outside text, or a mark as (opening without its end, closing, old content, new).

    The old content may be a former result, a hand edit or nothing.
    """
    newline = draw(NEWLINES)
    segments = []
    for number in range(draw(st.integers(0, 4))):
        segments.append("".join(f"{line}{newline}" for line in draw(st.lists(PROSE, max_size=3))))
        if draw(st.booleans()):
            opening = f'<!-- evidence:begin id="b{number}" run="default/r"'
            old = draw(st.sampled_from(["", "old", f"{newline}old{newline}"]))
            old = f"{old}{newline}" if old else ""
            segments.append((opening, newline, old, "<!-- evidence:end -->", draw(BODY)))
            segments.append(newline)
        else:
            segments.append("Value: ")
            old = draw(st.sampled_from(["", "0 ms"]))
            opening = f'<!-- fact:f{number} run="default/r"'
            segments.append((opening, "", old, "<!-- /fact -->", draw(VALUE)))
            segments.append(f" of it.{newline}")
    segments.append(draw(st.sampled_from(["", "The end", f"The end{newline}"])))
    return newline, segments


def joined(segments, fill):
    return "".join(part if isinstance(part, str) else fill(*part) for part in segments)


def before(opening, gap, old, closing, _):
    return f"{opening} -->{gap}{old}{closing}"


@given(documents())
def test_replaces_the_marks_and_nothing_else(document):
    newline, segments = document

    def after(opening, gap, _, closing, body):
        content = body if not gap else f"\n{body.strip()}\n\n".replace("\n", newline)
        return f'{opening} digest="{content_digest(content)}" -->{gap}{content}{closing}'

    marked = parse_marks(joined(segments, before))
    assert not marked.problems
    bodies = [part[4] for part in segments if not isinstance(part, str)]
    text = replace_marks(marked, dict(zip(marked.marks, bodies, strict=True)))
    assert text == joined(segments, after)

    again = parse_marks(text)
    assert [mark_state(again, mark) for mark in again.marks] == [MarkState.OURS] * len(bodies)
    assert replace_marks(again, dict(zip(again.marks, bodies, strict=True))) == text
    assert replace_marks(again, {}) == text


@given(documents(), st.data())
def test_any_edit_of_a_filled_mark_shows(document, data):
    _, segments = document
    marked = parse_marks(joined(segments, before))
    if not marked.marks:
        return
    bodies = [part[4] for part in segments if not isinstance(part, str)]
    filled = parse_marks(replace_marks(marked, dict(zip(marked.marks, bodies, strict=True))))
    mark = data.draw(st.sampled_from(filled.marks))
    start, end = mark.content
    place = data.draw(st.integers(start, end))
    text = filled.text[:place] + "7" + filled.text[place:]
    if text == filled.text:
        return
    edited = parse_marks(text)
    states = [mark_state(edited, found) for found in edited.marks]
    # An edit may also break the marker line itself, which is a fault of its own.
    assert MarkState.EDITED in states or edited.problems


@given(documents())
def test_another_line_end_is_no_edit(document):
    _, segments = document
    marked = parse_marks(joined(segments, before))
    bodies = [part[4] for part in segments if not isinstance(part, str)]
    text = replace_marks(marked, dict(zip(marked.marks, bodies, strict=True)))
    turned = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
    again = parse_marks(turned)
    assert all(mark_state(again, mark) is MarkState.OURS for mark in again.marks)


def test_text_without_digest_counts_as_edited_and_blank_text_as_empty():
    text = 'A <!-- fact:a run="b/c" -->1<!-- /fact --> <!-- fact:b run="b/c" --> <!-- /fact -->'
    marked = parse_marks(text)
    states = [mark_state(marked, mark) for mark in marked.marks]
    assert states == [MarkState.EDITED, MarkState.EMPTY]


@pytest.mark.parametrize(
    "body",
    ["<!-- evidence:end -->", "a\n```\nb", "a\n<!-- evidence:end -->\n\n```\nb"],
)
def test_a_body_that_breaks_out_is_refused(body):
    text = '<!-- evidence:begin id="a" run="b/c" -->\n<!-- evidence:end -->\n\nAfter\n'
    marked = parse_marks(text)
    with pytest.raises(ValueError, match=r"changes the marks|breaks out"):
        replace_marks(marked, dict.fromkeys(marked.marks, body))


def test_a_fact_keeps_to_its_line():
    text = 'A <!-- fact:a run="b/c" --><!-- /fact -->'
    marked = parse_marks(text)
    assert marked.marks[0].kind is MarkKind.FACT
    with pytest.raises(ValueError, match="marks"):
        replace_marks(marked, {marked.marks[0]: "1\n2"})
