"""KEP20x: sections that stand twice, or not where readers look for them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Diagnostic, Related, Severity
from kep_validator.rules.base import Needs, Rule, RuleMeta, readme_of
from kep_validator.template_match import match_template
from kep_validator.titles import title_key

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.releases.model import ReleaseGuide

_TEMPLATE = "kubernetes/enhancements keps/NNNN-kep-template/README.md"


class SectionDuplicate(Rule):
    """A section of the template stands twice."""

    meta = RuleMeta(
        code="KEP204",
        name="section-duplicate",
        summary="No section of the template stands twice on its level.",
        explanation="Two sections of one title are mostly what is left of a merge or of a copied "
        "template; a reader finds only one of them.",
        source=_TEMPLATE,
        severity=Severity.WARNING,
        needs=frozenset({Needs.README}),
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report the second and each further section of a title on the same level."""
        match = match_template(readme_of(kep), guide)
        for title, sections in match.sections.items():
            exact = [section for section in sections if section.key == title_key(title)]
            for section in exact[1:]:
                first = exact[0]
                if section.heading.level == first.heading.level and section.parent is first.parent:
                    yield self.found(
                        section.heading.span,
                        f"section `{section.heading.title}` stands twice "
                        f"(first on line {first.heading.span.line})",
                        help="merge the two, or give one a title of its own",
                        related=(Related(first.heading.span, "first here"),),
                    )


class SectionOrder(Rule):
    """The main sections stand in another order than in the template."""

    meta = RuleMeta(
        code="KEP205",
        name="section-order",
        summary="The main sections stand in the template's order.",
        explanation="Reviewers of many KEPs look for a section where the template has it. Only the "
        "sections at the top of the template are looked at.",
        source=_TEMPLATE,
        severity=Severity.INFO,
        needs=frozenset({Needs.README}),
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report the fewest sections that would have to move."""
        match = match_template(readme_of(kep), guide)
        wanted = [section.title for section in guide.sections if not section.parent]
        present = [
            (match.sections[title][0], rank)
            for rank, title in enumerate(wanted)
            if title in match.sections
        ]
        present.sort(key=lambda pair: pair[0].heading.span.line)
        kept = _longest_rising([rank for _, rank in present])
        for section, rank in present:
            if rank not in kept:
                before = next((t for t in reversed(wanted[:rank]) if t in match.sections), "")
                where = f"after `{before}`" if before else "first"
                yield self.found(
                    section.heading.span,
                    f"section `{section.heading.title}` does not stand where the template has it",
                    help=f"the template has it {where}",
                )


def _longest_rising(ranks: Sequence[int]) -> frozenset[int]:
    """Return a longest rising subsequence of distinct numbers (patience sorting)."""
    tops: list[int] = []
    before: dict[int, int | None] = {}
    for rank in ranks:
        index = bisect_left(tops, rank)
        before[rank] = tops[index - 1] if index else None
        tops[index : index + 1] = [rank]
    kept = set()
    rank_or_none = tops[-1] if tops else None
    while rank_or_none is not None:
        kept.add(rank_or_none)
        rank_or_none = before[rank_or_none]
    return frozenset(kept)
