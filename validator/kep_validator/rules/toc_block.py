"""KEP26x: the table of contents."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Diagnostic, Edit, Fix, Severity
from kep_validator.rules.base import Needs, Rule, RuleMeta, readme_of
from kep_validator.toc import TocCheck, check_toc, find_tags, unlisted_headings

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.markdown_source import MarkdownDocument
    from kep_validator.releases.model import ReleaseGuide
    from kep_validator.source import Span

_SOURCE = "kubernetes/enhancements hack/verify-toc.sh; kubernetes-sigs/mdtoc pkg/mdtoc/mdtoc.go"
_NEEDS = frozenset({Needs.README})


class TocMissing(Rule):
    """There is no table of contents that could be generated."""

    meta = RuleMeta(
        code="KEP260",
        name="toc-missing",
        summary="The table of contents stands between `<!-- toc -->` and `<!-- /toc -->`.",
        explanation="Upstream's check fails on a README without both tags. They are written with "
        "one blank on each side; case does not matter.",
        source=_SOURCE,
        severity=Severity.ERROR,
        needs=_NEEDS,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report what is wrong with the tags."""
        readme = readme_of(kep)
        tags = find_tags(readme.source.text)
        if tags.problem:
            known = tags.opening or tags.closing
            span = (
                _span(readme, known.start(), known.end())
                if known
                else readme.source.span(readme.first_line)
            )
            yield self.found(
                span,
                f"table of contents: {tags.problem}",
                help="put `<!-- toc -->` and `<!-- /toc -->` on lines of their own below the title",
            )


class TocStale(Rule):
    """The table of contents is not the one that the headings give."""

    meta = RuleMeta(
        code="KEP261",
        name="toc-stale",
        summary="The table of contents is the one that mdtoc generates.",
        explanation="Upstream's check generates the table anew from the headings below it (to the "
        "fifth level) and compares the text. Its reading of Markdown differs from GitHub's: a "
        "heading with blanks before its `#` is none, for instance. Line ends do not count here.",
        source=_SOURCE,
        severity=Severity.ERROR,
        needs=_NEEDS,
    )

    def skip_reason(self, kep: Kep, guide: ReleaseGuide) -> str:
        """Say that there is no table to compare."""
        problem = find_tags(readme_of(kep).source.text).problem
        return f"the table of contents cannot be found: {problem}" if problem else ""

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report the first line that differs, with the whole new table as a fix."""
        readme = readme_of(kep)
        toc = check_toc(readme, find_tags(readme.source.text))
        if not toc.is_current:
            place = _span(readme, toc.start, toc.end)
            fix = Fix("Generate the table of contents anew", (Edit(place, toc.replacement),))
            index, message = _first_difference(toc)
            yield self.found(
                _line(readme, toc, index),
                f"the table of contents is not current: {message}",
                help="the new table is this finding's fix; `hack/update-toc.sh` of "
                "kubernetes/enhancements writes it too",
                fixes=(fix,),
            )


class TocUnlisted(Rule):
    """GitHub shows a heading that the table of contents can never list."""

    meta = RuleMeta(
        code="KEP262",
        name="toc-unlisted-heading",
        summary="Every heading can be listed in the table of contents.",
        explanation="Upstream's tool reads Markdown otherwise than GitHub: it overlooks a heading "
        "with blanks before its `#` or a tab behind, and those between two lines that start with "
        "`---`. Its check passes, yet readers miss the section in the table.",
        source=_SOURCE,
        severity=Severity.INFO,
        needs=_NEEDS,
    )

    def skip_reason(self, kep: Kep, guide: ReleaseGuide) -> str:
        """Say that there is no table to look at."""
        problem = find_tags(readme_of(kep).source.text).problem
        return f"the table of contents cannot be found: {problem}" if problem else ""

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each such heading of the first five levels."""
        readme = readme_of(kep)
        for heading in unlisted_headings(readme, find_tags(readme.source.text)):
            yield self.found(
                heading.span,
                f"heading `{heading.title}` cannot be listed in the table of contents",
                help="start it in the first column with one blank behind its marks, and use `***` "
                "for rules between sections",
            )


def _first_difference(toc: TocCheck) -> tuple[int, str]:
    pairs = zip_longest(toc.actual, toc.expected)
    index, (actual, expected) = next(
        (index, pair) for index, pair in enumerate(pairs) if pair[0] != pair[1]
    )
    if actual is None:
        return index, f"`{expected.strip()}` is missing at its end"
    if expected is None:
        return index, f"`{actual.strip()}` is no heading of the README"
    if actual.strip() == expected.strip():
        return index, f"`{actual.strip()}` is indented by other blanks than `{expected}`"
    return index, f"`{actual.strip()}` stands where `{expected.strip()}` belongs"


def _line(readme: MarkdownDocument, toc: TocCheck, index: int) -> Span:
    text = readme.source.text
    inner = text[toc.start : toc.end]
    blank = len(inner) - len(inner.lstrip())
    first = text.count("\n", 0, toc.start + blank) + 1
    last = text.count("\n", 0, toc.end) + 1
    return readme.line_span(min(first + index, last))


def _span(readme: MarkdownDocument, start: int, end: int) -> Span:
    text = readme.source.text
    first, last = text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 1
    column, end_column = start - text.rfind("\n", 0, start), end - text.rfind("\n", 0, end)
    return readme.source.span(first, column, last, end_column)
