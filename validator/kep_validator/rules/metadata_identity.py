"""KEP15x: number, title and place of a KEP."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.rules.base import Needs, Rule, RuleMeta, metadata_of

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.releases.model import ReleaseGuide

_METADATA = frozenset({Needs.METADATA})
_TEMPLATE = "kubernetes/enhancements keps/NNNN-kep-template"


class NumberInDirectory(Rule):
    """The directory carries another number than the KEP."""

    meta = RuleMeta(
        code="KEP150",
        name="number-in-directory",
        summary="The directory is named <kep-number>-<short-title>.",
        explanation="Both are the number of the tracking issue. Tools that find a KEP by its "
        "number go by the one or the other.",
        source=_TEMPLATE + "/README.md",
        severity=Severity.WARNING,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Compare the digits before the first hyphen of the directory's name."""
        metadata = metadata_of(kep)
        number = metadata.text("kep-number")
        leading = re.match(r"(\d+)-", kep.directory_name)
        if not leading or not number or not number.isdecimal():
            return
        if leading[1].lstrip("0") != number.lstrip("0"):
            yield self.found(
                metadata.span("kep-number"),
                f"kep-number is {number}, but the directory is {kep.directory_name}",
                help="use the number of the tracking issue for both",
            )


class SigInDirectory(Rule):
    """The KEP lies in another SIG's directory."""

    meta = RuleMeta(
        code="KEP151",
        name="sig-in-directory",
        summary="A KEP lies in the directory of its owning SIG.",
        explanation="keps/<owning-sig>/…: reviewers are assigned by the directory, the "
        "production readiness file by owning-sig.",
        source=_TEMPLATE + "/README.md",
        severity=Severity.WARNING,
        needs=frozenset({Needs.METADATA, Needs.TREE}),
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Compare owning-sig with the folder below keps/."""
        metadata = metadata_of(kep)
        sig = metadata.text("owning-sig")
        if sig and kep.sig_directory and sig != kep.sig_directory:
            yield self.found(
                metadata.span("owning-sig"),
                f"owning-sig is {sig}, but the KEP lies in keps/{kep.sig_directory}",
                help="move the KEP, or correct owning-sig",
            )


class NumberForm(Rule):
    """The number is no plain number."""

    meta = RuleMeta(
        code="KEP152",
        name="number-form",
        summary="kep-number is the tracking issue's number, without leading zeros.",
        explanation="The number is taken literally to find the production readiness file: 0034 "
        "and 34 are two files.",
        source=_TEMPLATE + "/README.md; pkg/kepval/approval.go",
        severity=Severity.WARNING,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report another form, unless it is the template's."""
        metadata = metadata_of(kep)
        number = metadata.text("kep-number")
        if not number or re.match(r"[1-9][0-9]*\Z", number):
            return
        if number not in guide.template_values.get("kep-number", ()):
            yield self.found(
                metadata.span("kep-number"),
                f"kep-number `{number}` is no plain number",
                help="write the number of the tracking issue in kubernetes/enhancements",
            )


class TitleSaysNothing(Rule):
    """The title is blank or the directory's name."""

    meta = RuleMeta(
        code="KEP153",
        name="title-says-nothing",
        summary="title is a readable title.",
        explanation="It is shown in lists of KEPs. Blanks, or the directory's name with its "
        "hyphens, help no reader.",
        source=_TEMPLATE + "/README.md",
        severity=Severity.WARNING,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report a title without words of its own."""
        metadata = metadata_of(kep)
        title = metadata.text("title")
        if not title:
            return
        slug = re.sub(r"^\d+-", "", kep.directory_name)
        if not title.strip() or ("-" in slug and title.strip() in (slug, kep.directory_name)):
            yield self.found(
                metadata.span("title"),
                f"title `{title}` is no readable title",
                help="write the title of the README's first heading, without the number",
            )
