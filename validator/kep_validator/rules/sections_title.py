"""KEP20x: the README's title."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.rules.base import Needs, Rule, RuleMeta, metadata_of, readme_of

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.markdown_source import Heading, MarkdownDocument
    from kep_validator.releases.model import ReleaseGuide

_TEMPLATE = "kubernetes/enhancements keps/NNNN-kep-template/README.md"
_NUMBER = re.compile(r"\[?\s*KEP[-\s#:]*0*(\d+)\b", re.IGNORECASE)


class TitleHeading(Rule):
    """The README does not start with its number and title."""

    meta = RuleMeta(
        code="KEP206",
        name="title-heading",
        summary="The README has one title of the form `# KEP-NNNN: title`.",
        explanation="The title tells a reader of the README alone which enhancement it is. Many "
        "old KEPs leave the number out, so that alone is only mentioned.",
        source=_TEMPLATE,
        severity=Severity.INFO,
        needs=frozenset({Needs.README}),
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report a missing title, or one without the KEP's number."""
        readme = readme_of(kep)
        title = _title(readme)
        number = (kep.metadata and kep.metadata.text("kep-number")) or "NNNN"
        help = f"start the README with `# KEP-{number}: …`"
        if title is None:
            span = readme.source.span(readme.first_line)
            message = "the README has no title (no heading of the first level)"
            yield self.found(span, message, help=help, severity=Severity.WARNING)
        elif not _NUMBER.match(title.title) and "NNNN" not in title.title:
            message = f"title `{title.title}` does not start with the KEP's number"
            yield self.found(title.span, message, help=help)


class TitleNumber(Rule):
    """The README's title has another number than the metadata."""

    meta = RuleMeta(
        code="KEP207",
        name="title-number",
        summary="The number in the README's title is the KEP's.",
        explanation="A wrong number is mostly a slip or a copied README, and sends readers to "
        "another enhancement's issue.",
        source=_TEMPLATE,
        severity=Severity.WARNING,
        needs=frozenset({Needs.README, Needs.METADATA}),
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Compare the number of the first title with kep-number."""
        title = _title(readme_of(kep))
        number = (metadata_of(kep).text("kep-number") or "").lstrip("0")
        if title is None or not number.isdecimal():
            return
        match = _NUMBER.match(title.title)
        if match and match[1] != number:
            message = f"the title says KEP-{match[1]}, the metadata say kep-number {number}"
            yield self.found(title.span, message, help="correct the one that is wrong")


def _title(readme: MarkdownDocument) -> Heading | None:
    """Return the first title with a number, else the first title."""
    titles = [heading for heading in readme.headings if heading.level == 1 and not heading.nested]
    numbered = (heading for heading in titles if _NUMBER.match(heading.title))
    return next(numbered, titles[0] if titles else None)
