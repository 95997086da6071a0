"""KEP20x: sections of the template that a README lacks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.prr_answers import find_answers
from kep_validator.rules.base import Needs, Rule, RuleMeta, readme_of
from kep_validator.strictness import strictness_of
from kep_validator.template_match import match_template
from kep_validator.titles import nearest_title, title_key

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.markdown_source import Heading, MarkdownDocument
    from kep_validator.releases.model import ReleaseGuide, TemplateSection


class SectionMissing(Rule):
    """A section that the KEP's stage needs is not there."""

    meta = RuleMeta(
        code="KEP201",
        name="section-missing",
        summary="The README has every section that the KEP's stage needs.",
        explanation="The release team accepts a KEP only on the latest template, which it reads "
        "as: every section not marked optional is there. Level, case, punctuation and small "
        "differences of wording do not count. A provisional KEP needs Summary and Motivation only.",
        source="kubernetes/enhancements keps/NNNN-kep-template/README.md; "
        "kubernetes/sig-release releases/release_phases.md",
        severity=Severity.ERROR,
        needs=frozenset({Needs.README}),
    )

    def skip_reason(self, kep: Kep, guide: ReleaseGuide) -> str:
        """Say that a KEP that was given up is not judged."""
        return strictness_of(kep).why_not_judged

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each lack once: a section below a missing section goes with it."""
        readme, strictness = readme_of(kep), strictness_of(kep)
        lacking = _lacking(readme, guide)
        for section in guide.sections:
            severity = strictness.weigh(section.heading)
            if severity is None or section.title not in lacking or section.parent in lacking:
                continue
            parts = [other for other in guide.sections if other.parent == section.title]
            if section.container and any(other.title not in lacking for other in parts):
                severity = max(severity, Severity.WARNING, key=lambda each: each.rank)
            below = [
                other.title
                for other in parts
                if other.title in lacking and strictness.weigh(other.heading) is not None
            ]
            with_it = f", and with it {', '.join(below)}" if below else ""
            above = _heading_above(readme, guide, section)
            yield self.found(
                above.span if above else readme.source.span(readme.first_line),
                f"section `{section.title}` is missing{with_it} (asked for in {strictness.why})",
                help=_help(readme, guide, section, above),
                severity=severity,
            )


def _lacking(readme: MarkdownDocument, guide: ReleaseGuide) -> frozenset[str]:
    match = match_template(readme, guide)
    answered = {answer.question.section for answer in find_answers(readme, guide).values()}
    return frozenset(
        section.title
        for section in guide.sections
        if section.title not in match.sections
        and section.title not in answered
        and title_key(section.title) not in match.nested
    )


def _heading_above(
    readme: MarkdownDocument, guide: ReleaseGuide, section: TemplateSection
) -> Heading | None:
    """Return the nearest heading that the template has before the section and the README too."""
    match = match_template(readme, guide)
    titles = [other.title for other in guide.sections]
    for title in reversed(titles[: titles.index(section.title)]):
        if before := match.section(title):
            return before.heading
    return readme.headings[0] if readme.headings else None


def _help(
    readme: MarkdownDocument, guide: ReleaseGuide, section: TemplateSection, above: Heading | None
) -> str:
    where = f" after the section `{above.title}`" if above and above.level > 1 else ""
    help = f"add `{'#' * section.level} {section.title}`{where}"
    strangers = {
        other.key: other.heading.title for other in match_template(readme, guide).strangers
    }
    strangers.pop("", None)
    near = nearest_title(title_key(section.title), strangers)
    return f"{help}; if `{near}` is meant to be it, rename that heading" if near else help
