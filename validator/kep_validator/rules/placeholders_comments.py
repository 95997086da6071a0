"""KEP22x: comments that were left, and marks that are never closed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.rules.base import Needs, Rule, RuleMeta, readme_of
from kep_validator.template_text import line_digest

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.markdown_source import Comment
    from kep_validator.releases.model import ReleaseGuide

_NEEDS = frozenset({Needs.README})
_MOST_PLACES = 10


class InstructionsLeft(Rule):
    """Instructions of the template were left in comments."""

    meta = RuleMeta(
        code="KEP224",
        name="instructions-left",
        summary="The template's instructions are removed when a section is complete.",
        explanation="The template asks for it; half of all KEPs keep some, so it is only "
        "mentioned, once for the README.",
        source="kubernetes/enhancements keps/NNNN-kep-template/README.md",
        severity=Severity.INFO,
        needs=_NEEDS,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report the first comment that holds lines of the template, with the number of all."""
        comments = readme_of(kep).comments
        left = [comment for comment in comments if _is_instruction(comment, guide)]
        if left:
            lines = ", ".join(str(comment.span.line) for comment in left[:_MOST_PLACES])
            more = ", …" if len(left) > _MOST_PLACES else ""
            plural = "s" if len(left) > 1 else ""
            where = f"line{plural} {lines}{more}"
            yield self.found(
                left[0].span,
                f"{len(left)} comment{plural} with the template's instructions",
                help=f"remove each once its section is complete ({where})",
            )


class NeverClosed(Rule):
    """A comment or a code fence is never closed."""

    meta = RuleMeta(
        code="KEP225",
        name="never-closed",
        summary="Every comment and every code fence is closed.",
        explanation="What follows is hidden or shown as code on GitHub, headings included, so that "
        "sections seem to be missing.",
        source="CommonMark 0.31, sections 4.5 and 4.6",
        severity=Severity.WARNING,
        needs=_NEEDS,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report where each begins."""
        readme = readme_of(kep)
        for comment in readme.comments:
            if not comment.closed:
                message = "this comment is never closed: all that follows is hidden"
                span = readme.source.span(comment.span.line, comment.span.column)
                yield self.found(span, message, help="add `-->` where it should end")
        if fence := readme.unclosed_code():
            message = "this code block is never closed: all that follows is code"
            yield self.found(fence, message, help="add the closing fence where it should end")


def _is_instruction(comment: Comment, guide: ReleaseGuide) -> bool:
    digests = (line_digest(line) for line in comment.text.split("\n"))
    return any(digest in guide.template_lines for digest in digests if digest)
