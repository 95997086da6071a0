"""KEP30x: questions of the production readiness questionnaire that are missing or unanswered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.prr_answers import find_answers
from kep_validator.rules.base import Needs, Rule, RuleMeta, readme_of
from kep_validator.strictness import strictness_of
from kep_validator.template_match import match_template
from kep_validator.template_text import Content

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.releases.model import ReleaseGuide

_TEMPLATE = "kubernetes/enhancements keps/NNNN-kep-template/README.md"
_NEEDS = frozenset({Needs.README})


class PrrQuestionMissing(Rule):
    """A question that the KEP's stage has to answer is not there."""

    meta = RuleMeta(
        code="KEP301",
        name="prr-question-missing",
        summary="Every question of the questionnaire that the stage needs is asked.",
        explanation="Alpha needs Feature Enablement and Rollback (Scalability is encouraged); beta "
        "and stable need all. Questions in the bold list items of the 1.19 and 1.20 templates "
        "count as well, and so do older and slightly different wordings.",
        source=_TEMPLATE,
        severity=Severity.ERROR,
        needs=_NEEDS,
    )

    def skip_reason(self, kep: Kep, guide: ReleaseGuide) -> str:
        """Say that a KEP that was given up is not judged."""
        return strictness_of(kep).why_not_judged

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each question; where all of a section lacks, KEP201 reports the section."""
        readme, strictness = readme_of(kep), strictness_of(kep)
        match, answers = match_template(readme, guide), find_answers(readme, guide)
        answered = {answer.question.section: answer.span for answer in answers.values()}
        for question in guide.prr_questions:
            severity = strictness.weigh(question.answer)
            section = match.section(question.section)
            span = section.heading.span if section else answered.get(question.section)
            if severity is None or question.id in answers or span is None:
                continue
            yield self.found(
                span,
                f"question `{question.text}` is missing (asked for in {strictness.why})",
                help=f"add `###### {question.text}` below `{question.section}` and answer it",
                severity=severity,
            )


class _PrrAnswer(Rule):
    """A required answer holds one kind of content that is no answer."""

    messages: ClassVar[Mapping[Content, str]]

    def skip_reason(self, kep: Kep, guide: ReleaseGuide) -> str:
        """Say that a KEP that was given up is not judged."""
        return strictness_of(kep).why_not_judged

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each question that the stage needs and whose answer is of this kind."""
        strictness = strictness_of(kep)
        for answer in find_answers(readme_of(kep), guide).values():
            severity = strictness.weigh(answer.question.answer)
            if severity is None:
                continue
            if answer.content in self.messages:
                yield self.found(
                    answer.span,
                    f"question `{answer.question.text}` {self.messages[answer.content]} "
                    f"(asked for in {strictness.why})",
                    help="answer it in a sentence or more; where it does not apply, say why",
                    severity=severity,
                )


class PrrAnswerEmpty(_PrrAnswer):
    """A required answer is empty."""

    messages: ClassVar = {Content.EMPTY: "has no answer"}
    meta = RuleMeta(
        code="KEP302",
        name="prr-answer-empty",
        summary="Every question that the stage needs has an answer.",
        explanation="Production readiness is approved on the answers; a question without one is "
        "the most frequent reason for another round of review.",
        source=_TEMPLATE,
        severity=Severity.ERROR,
        needs=_NEEDS,
    )


class PrrAnswerTemplateText(_PrrAnswer):
    """A required answer is what the template ships."""

    messages: ClassVar = {
        Content.COMMENT: "is answered only by a comment",
        Content.TEMPLATE: "is answered only by text of the template",
    }
    meta = RuleMeta(
        code="KEP303",
        name="prr-answer-template-text",
        summary="Every answer that the stage needs holds more than the template's text.",
        explanation="The template's instructions and its unticked options are no answer.",
        source=_TEMPLATE,
        severity=Severity.ERROR,
        needs=_NEEDS,
    )


class PrrAnswerPutOff(_PrrAnswer):
    """A required answer says only that it is to be done."""

    messages: ClassVar = {Content.PUT_OFF: "is answered only by a note that it is to be done"}
    meta = RuleMeta(
        code="KEP306",
        name="prr-answer-put-off",
        summary="Every question that the stage needs is answered, not put off.",
        explanation="`TBD` is fine for a question of a later stage; at the stage that asks for the "
        "answer it is the same as none.",
        source=_TEMPLATE,
        severity=Severity.ERROR,
        needs=_NEEDS,
    )
