"""Where a README answers the questions of the production readiness questionnaire."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from kep_validator.markdown_source import MarkdownDocument
from kep_validator.releases.model import PrrQuestion, ReleaseGuide
from kep_validator.source import Span
from kep_validator.template_match import begins_alike, item_key, match_template
from kep_validator.template_text import Content, content_of
from kep_validator.titles import same_but_for_typos, title_key

# The templates of 1.19 and 1.20 asked in bold list items, `* **Question?**`.
_BOLD = re.compile(r"\s*(?:[-*+]\s+)?\*\*(.+?)\*\*(.*)", re.DOTALL)
_BOLD_START = re.compile(r"\s*(?:[-*+]\s+)?\*\*\S")
_BOLD_NEVER_CLOSED = re.compile(r"\s*[-*+]\s+\*\*([^*]+\?)\s*\Z")
_MOST_LINES = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: `span` is its question, `first_line` its first line (counted from 1).

    `visible` are the answer's lines as readers see them, `content` what they amount to.
    """

    question: PrrQuestion
    span: Span
    first_line: int
    visible: tuple[str, ...]
    content: Content


@dataclass(frozen=True, slots=True)
class _BoldQuestion:
    text: str
    first_line: int
    answer_line: int
    rest: str


@lru_cache(maxsize=4)
def find_answers(document: MarkdownDocument, guide: ReleaseGuide) -> dict[str, Answer]:
    """Find the answers by the questions' ids, asked in headings or in bold list items."""
    match = match_template(document, guide)
    headings = sorted(match.lines_of_template())
    answers = {}
    unanswered = []
    for question in guide.prr_questions:
        sections = match.questions.get(question.id)
        if sections:
            section = sections[0]
            last = min(
                section.end_line, _before_next(headings, section.first_line, section.end_line)
            )
            lines = (section.first_line, last)
            answers[question.id] = _answer(document, guide, question, section.heading.span, lines)
        else:
            unanswered.append(question)
    if unanswered:
        answers.update(_bold_answers(document, guide, unanswered))
    return answers


def _before_next(headings: Sequence[int], line: int, otherwise: int) -> int:
    index = bisect_right(headings, line - 1)
    return headings[index] - 1 if index < len(headings) else otherwise


def _answer(
    document: MarkdownDocument,
    guide: ReleaseGuide,
    question: PrrQuestion,
    span: Span,
    lines: tuple[int, int],
    rest: str | None = None,
) -> Answer:
    first, last = lines
    visible = document.visible_lines[first - 1 : last]
    written = document.source.lines[first - 1 : last]
    if rest is not None:
        visible, written = [rest, *visible[1:]], [rest, *written[1:]]
    return Answer(question, span, first, tuple(visible), content_of(visible, written, guide))


def _bold_answers(
    document: MarkdownDocument, guide: ReleaseGuide, questions: Sequence[PrrQuestion]
) -> dict[str, Answer]:
    asked = _bold_questions(document)
    if not asked:
        return {}
    heading_lines = [heading.span.line for heading in document.headings]
    starts = sorted([*heading_lines, *(bold.first_line for bold in asked)])
    answers: dict[str, Answer] = {}
    keyed = [(bold, _keys(title_key(bold.text), guide)) for bold in asked]
    for question in questions:
        wanted = [item_key(question), *(title_key(alias) for alias in question.aliases)]
        for bold, keys in keyed:
            if any(same_but_for_typos(key, one) or key == one for key in keys for one in wanted):
                last = _before_next(starts, bold.answer_line + 1, len(document.source.lines))
                span = document.line_span(bold.first_line)
                lines = (bold.answer_line, last)
                answers[question.id] = _answer(document, guide, question, span, lines, bold.rest)
                break
    return answers


def _keys(key: str, guide: ReleaseGuide) -> tuple[str, ...]:
    """Return the key, and that of the one question that begins like it, if it is only one."""
    alike = [wanted for wanted in map(item_key, guide.prr_questions) if begins_alike(key, wanted)]
    return (key, alike[0]) if len(alike) == 1 else (key,)


def _bold_questions(document: MarkdownDocument) -> list[_BoldQuestion]:
    found = []
    lines = document.prose_lines
    for number in range(document.first_line, len(lines) + 1):
        if "**" not in lines[number - 1] or not _BOLD_START.match(lines[number - 1]):
            continue
        for count in range(1, _MOST_LINES + 1):
            text = "\n".join(lines[number - 1 : number - 1 + count])
            if match := _BOLD.match(text):
                rest = match[2].split("\n")[0]
                found.append(_BoldQuestion(match[1], number, number + count - 1, rest))
                break
        else:
            if match := _BOLD_NEVER_CLOSED.match(lines[number - 1]):
                found.append(_BoldQuestion(match[1], number, number, ""))
    return found
