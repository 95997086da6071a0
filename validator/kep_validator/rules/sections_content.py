"""KEP20x: sections that say nothing yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.rules.base import Needs, Rule, RuleMeta, readme_of
from kep_validator.strictness import strictness_of
from kep_validator.template_match import match_template
from kep_validator.template_text import Content, content_of

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.markdown_source import MarkdownDocument, Section
    from kep_validator.releases.model import ReleaseGuide, TemplateSection

_TEMPLATE = "kubernetes/enhancements keps/NNNN-kep-template/README.md"


class _SectionContent(Rule):
    """A required section holds one kind of content that is no content."""

    messages: ClassVar[Mapping[Content, str]]

    def skip_reason(self, kep: Kep, guide: ReleaseGuide) -> str:
        """Say that a KEP that was given up is not judged."""
        return strictness_of(kep).why_not_judged

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each section of the template that the stage needs and that is not written."""
        readme, strictness = readme_of(kep), strictness_of(kep)
        for wanted, section, content in _leaves(readme, guide):
            severity = strictness.weigh(wanted.content)
            if severity is None or content not in self.messages:
                continue
            yield self.found(
                section.heading.span,
                f"section `{section.heading.title}` {self.messages[content]} "
                f"(asked for in {strictness.why})",
                help="write the section, or say in a sentence why it does not apply",
                severity=severity,
            )


class SectionEmpty(_SectionContent):
    """A required section is empty."""

    messages: ClassVar = {Content.EMPTY: "is empty"}
    meta = RuleMeta(
        code="KEP202",
        name="section-empty",
        summary="The sections that the KEP's stage needs are not empty.",
        explanation="A heading alone answers nothing. A section that does not apply says so and "
        "why; one with sections below it need not have text of its own.",
        source=_TEMPLATE,
        severity=Severity.ERROR,
        needs=frozenset({Needs.README}),
    )


class SectionTemplateText(_SectionContent):
    """A required section holds only what the template put there."""

    messages: ClassVar = {
        Content.COMMENT: "holds only a comment",
        Content.TEMPLATE: "holds only text of the template",
    }
    meta = RuleMeta(
        code="KEP203",
        name="section-template-text",
        summary="The sections that the KEP's stage needs hold more than the template's text.",
        explanation="The template's instructions, in comments or not, are no content. Text is "
        "compared line by line with the template, without case and punctuation.",
        source=_TEMPLATE,
        severity=Severity.ERROR,
        needs=frozenset({Needs.README}),
    )


class SectionPutOff(_SectionContent):
    """A required section says only that it is to be done."""

    messages: ClassVar = {Content.PUT_OFF: "only says that it is to be done"}
    meta = RuleMeta(
        code="KEP208",
        name="section-put-off",
        summary="The sections that the KEP's stage needs are written, not put off.",
        explanation="`TBD` or `TODO` alone is a placeholder: at the stage that asks for it, it is "
        "the same as an empty section.",
        source=_TEMPLATE,
        severity=Severity.ERROR,
        needs=frozenset({Needs.README}),
    )


@lru_cache(maxsize=4)
def _leaves(
    readme: MarkdownDocument, guide: ReleaseGuide
) -> tuple[tuple[TemplateSection, Section, Content], ...]:
    match = match_template(readme, guide)
    leaves = []
    for wanted in guide.sections:
        section = match.section(wanted.title)
        if section and not section.children and not wanted.keeps_template_text:
            lines = slice(section.first_line - 1, section.last_line)
            content = content_of(readme.visible_lines[lines], readme.source.lines[lines], guide)
            leaves.append((wanted, section, content))
    return tuple(leaves)
