"""KEP30x: answers of the production readiness questionnaire that are not filled in all through."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.markdown_source import says_something
from kep_validator.prr_answers import Answer, find_answers
from kep_validator.prr_fields import blank_fields, is_ticked
from kep_validator.rules.base import Needs, Rule, RuleMeta, readme_of
from kep_validator.strictness import strictness_of
from kep_validator.template_text import Content

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.releases.model import ReleaseGuide

_TEMPLATE = "kubernetes/enhancements keps/NNNN-kep-template/README.md"
_NEEDS = frozenset({Needs.README})
_NOT_APPLICABLE = re.compile(r"(?:n\s*/?\s*a|not applicable|does not apply)\Z", re.IGNORECASE)
_MARKS = "-*+> \t_`.:()"


class PrrFieldBlank(Rule):
    """A field of an answer has nothing behind it."""

    meta = RuleMeta(
        code="KEP304",
        name="prr-field-blank",
        summary="Each field of an answer, such as `Feature gate name:`, is filled in.",
        explanation="Some questions come as options with fields. Fill in the fields of the option "
        "that is ticked and delete the other options; a field left under an unticked option is "
        "only mentioned.",
        source=_TEMPLATE,
        severity=Severity.WARNING,
        needs=_NEEDS,
    )

    def skip_reason(self, kep: Kep, guide: ReleaseGuide) -> str:
        """Say that a KEP that was given up is not judged."""
        return strictness_of(kep).why_not_judged

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report the blank fields of each option that has any, once an option."""
        readme = readme_of(kep)
        for answer in _written_answers(kep, guide):
            for blank in blank_fields(answer, guide):
                names = ", ".join(f"`{name}`" for name in blank.names)
                unused = blank.option_ticked is False
                yield self.found(
                    readme.line_span(answer.first_line + blank.index),
                    f"{names} left blank"
                    + (" under an option that is not ticked" if unused else ""),
                    help="delete the option"
                    if unused
                    else "fill in, or delete what does not apply",
                    severity=Severity.INFO if unused else None,
                )


class PrrNoReason(Rule):
    """An answer is `N/A` without a reason."""

    meta = RuleMeta(
        code="KEP305",
        name="prr-no-reason",
        summary="An answer `N/A` says why.",
        explanation="A reviewer cannot tell whether `N/A` was thought about. One clause is enough: "
        "`N/A: the feature adds no API`.",
        source=_TEMPLATE,
        severity=Severity.WARNING,
        needs=_NEEDS,
    )

    def skip_reason(self, kep: Kep, guide: ReleaseGuide) -> str:
        """Say that a KEP that was given up is not judged."""
        return strictness_of(kep).why_not_judged

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each answer that the stage needs and that says only this."""
        for answer in _written_answers(kep, guide):
            said = [line.strip(_MARKS) for line in answer.visible if says_something(line)]
            if len(said) == 1 and _NOT_APPLICABLE.match(said[0]):
                yield self.found(
                    answer.span,
                    f"question `{answer.question.text}` is answered `{said[0]}` without a reason",
                    help="say in a clause why it does not apply",
                )


class PrrNoOption(Rule):
    """No option of an answer is ticked."""

    meta = RuleMeta(
        code="KEP307",
        name="prr-no-option",
        summary="An answer that offers options has one ticked.",
        explanation="With no box ticked a reader cannot tell which option is meant.",
        source=_TEMPLATE,
        severity=Severity.WARNING,
        needs=_NEEDS,
    )

    def skip_reason(self, kep: Kep, guide: ReleaseGuide) -> str:
        """Say that a KEP that was given up is not judged."""
        return strictness_of(kep).why_not_judged

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each answer that the stage needs and whose boxes are all empty."""
        for answer in _written_answers(kep, guide):
            boxes = [ticked for line in answer.visible if (ticked := is_ticked(line)) is not None]
            if boxes and not any(boxes):
                yield self.found(
                    answer.span,
                    f"none of the options of `{answer.question.text}` is ticked",
                    help="tick what applies, `- [x]`, and delete the rest",
                )


def _written_answers(kep: Kep, guide: ReleaseGuide) -> Iterator[Answer]:
    """Yield the answers that the stage needs and that KEP302, 303 and 306 do not report."""
    strictness = strictness_of(kep)
    for answer in find_answers(readme_of(kep), guide).values():
        needed = strictness.weigh(answer.question.answer) is not None
        if needed and answer.content is Content.OWN:
            yield answer
