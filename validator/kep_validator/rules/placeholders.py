"""KEP22x: what the template leaves for the author to replace, outside of comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.rules.base import Needs, Rule, RuleMeta, readme_of
from kep_validator.strictness import strictness_of

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.markdown_source import MarkdownDocument
    from kep_validator.releases.model import ReleaseGuide

_TEMPLATE = "kubernetes/enhancements keps/NNNN-kep-template/README.md"
_NEEDS = frozenset({Needs.README})
_LONGEST = 70
_ACKNOWLEDGEMENT = re.compile(r"\s*(?:[-*+] +)?\[ *\] *I/we understand the owners")
_TO_BE_DONE = ("TBD", "TODO", "FIXME")
_TO_BE_DONE_WORD = re.compile(rf"\b(?:{'|'.join(_TO_BE_DONE)})\b")
_UNRESOLVED = re.compile(r"<<\[(/?)UNRESOLVED\b[^\]]*\]>>")


class PlaceholderLeft(Rule):
    """A line that the template ships as an example was left."""

    meta = RuleMeta(
        code="KEP220",
        name="placeholder-left",
        summary="No example line of the template is left.",
        explanation="The template shows by example lines how tests, coverage and criteria are "
        "given. Left in place they claim what is not so.",
        source=_TEMPLATE,
        severity=Severity.ERROR,
        needs=_NEEDS,
    )

    def skip_reason(self, kep: Kep, guide: ReleaseGuide) -> str:
        """Say that a KEP that was given up is not judged."""
        return strictness_of(kep).why_not_judged

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each line outside of comments and code."""
        readme, strictness = readme_of(kep), strictness_of(kep)
        reported: set[int] = set()
        for mark in guide.placeholders:
            for number in _lines_with(readme, mark.literal):
                line = readme.prose_lines[number - 1].strip()
                fits = mark.literal in line and _compiled(mark.pattern).fullmatch(line)
                if fits and number not in reported:
                    reported.add(number)
                    yield self.found(
                        readme.line_span(number),
                        f"the template's placeholder is left: `{_short(line)}`",
                        help=mark.remedy,
                        severity=strictness.severity,
                    )


class AcknowledgementUnticked(Rule):
    """The acknowledgement of the test plan is not ticked."""

    meta = RuleMeta(
        code="KEP221",
        name="acknowledgement-unticked",
        summary="The acknowledgement on top of the test plan is ticked.",
        explanation="With it the authors accept that existing tests may have to be mended first; "
        "the release team looks for `[x]`.",
        source=_TEMPLATE,
        severity=Severity.WARNING,
        needs=_NEEDS,
        since="1.25",
    )

    def skip_reason(self, kep: Kep, guide: ReleaseGuide) -> str:
        """Say that a KEP that is not yet targeted need not acknowledge."""
        strictness = strictness_of(kep)
        if strictness.phase == "provisional":
            return strictness.why_not_judged or "the KEP is provisional"
        return ""

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report the open box."""
        readme = readme_of(kep)
        for number in _lines_with(readme, "I/we understand"):
            if _ACKNOWLEDGEMENT.match(readme.prose_lines[number - 1]):
                yield self.found(
                    readme.line_span(number),
                    "the test plan's acknowledgement is not ticked",
                    help="read it, then write `[x]`",
                )


class ToBeDone(Rule):
    """The text says that something is to be done."""

    meta = RuleMeta(
        code="KEP222",
        name="to-be-done",
        summary="No TBD, TODO or FIXME is left.",
        explanation="Fine while a KEP is being written, and for questions of a later stage; worth "
        "a look before a freeze. A required section or answer that says nothing else is reported "
        "as KEP208 or KEP306.",
        source=_TEMPLATE,
        severity=Severity.INFO,
        needs=_NEEDS,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each line outside of comments and code."""
        readme = readme_of(kep)
        numbers = {line for word in _TO_BE_DONE for line in _lines_with(readme, word)}
        for number in sorted(numbers):
            match = _TO_BE_DONE_WORD.search(readme.prose_lines[number - 1])
            if match:
                span = readme.source.span(number, match.start() + 1, number, match.end() + 1)
                message = f"`{match[0]}` is left in the text"
                yield self.found(span, message, help="settle it, or say when it will be settled")


class Unresolved(Rule):
    """A disputed part is not settled."""

    meta = RuleMeta(
        code="KEP223",
        name="unresolved",
        summary="No `<<[UNRESOLVED]>>` part is left, and each is closed.",
        explanation="The template's way to merge a provisional KEP with open questions: they have "
        "to be settled before it becomes implementable.",
        source=_TEMPLATE,
        severity=Severity.WARNING,
        needs=_NEEDS,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each opening mark, and closing marks that close nothing."""
        readme = readme_of(kep)
        strictness = strictness_of(kep)
        open_parts = 0
        for number in _lines_with(readme, "UNRESOLVED"):
            for match in _UNRESOLVED.finditer(readme.visible_lines[number - 1]):
                closes = bool(match[1])
                open_parts += -1 if closes else 1
                if closes and open_parts >= 0:
                    continue
                message = "closes no part" if closes else "marks a part that is not settled"
                open_parts = max(open_parts, 0)
                yield self.found(
                    readme.source.span(number, match.start() + 1, number, match.end() + 1),
                    f"`{match[0]}` {message}",
                    help="settle the question and remove the marks",
                    severity=Severity.INFO if strictness.phase == "provisional" else None,
                )


def _lines_with(readme: MarkdownDocument, literal: str) -> Iterator[int]:
    """Yield the numbers of the lines, from the Markdown's first on, that hold `literal`."""
    text, line, seen = readme.source.text, 1, 0
    position = text.find(literal)
    while position >= 0:
        line += text.count("\n", seen, position)
        seen = position
        if line >= readme.first_line:
            yield line
        end = text.find("\n", position)
        position = text.find(literal, end) if end >= 0 else -1


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
