"""KEP0xx: files that are missing or cannot be read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.document import Form
from kep_validator.prr_requirement import why_not_required
from kep_validator.rules.base import Rule, RuleMeta
from kep_validator.source import Source, Span

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.releases.model import ReleaseGuide


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")


def sources_of(kep: Kep) -> Iterator[tuple[Source, bool]]:
    """Yield each file of the KEP, and whether upstream's CI depends on it being readable."""
    if kep.metadata:
        yield kep.metadata.source, True
    if kep.readme and (kep.form is not Form.SINGLE_FILE or not kep.metadata):
        yield kep.readme.source, True
    if kep.prod_readiness:
        yield kep.prod_readiness.source, not (kep.metadata and why_not_required(kep.metadata))


class NotUtf8(Rule):
    """A file holds bytes that are not UTF-8."""

    meta = RuleMeta(
        code="KEP001",
        name="not-utf8",
        summary="Every file is UTF-8.",
        explanation="KEPs are read as UTF-8. Text saved in another encoding (Latin-1, UTF-16) "
        "makes upstream's parser reject the metadata and shows as garbage on GitHub.",
        source="kubernetes/enhancements api/proposal.go (yaml.v3 rejects other encodings)",
        severity=Severity.ERROR,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Point at the first such byte of each file."""
        for source, counts in sources_of(kep):
            if source.bad_encoding:
                yield self.found(
                    source.bad_encoding,
                    "this byte is not UTF-8",
                    help="save the file as UTF-8",
                    severity=Severity.ERROR if counts else Severity.WARNING,
                )


class ControlCharacter(Rule):
    """The README holds a control character."""

    meta = RuleMeta(
        code="KEP010",
        name="control-character",
        summary="The README holds no control characters.",
        explanation="NUL and other control characters come from pasted text or a damaged file; "
        "they are invisible in review and break tools. (In YAML they are a syntax error.)",
        source="kep-workbench",
        severity=Severity.WARNING,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Point at the first control character."""
        source = kep.readme.source if kep.readme else None
        match = _CONTROL.search(source.text) if source else None
        if source and match:
            line = source.text.count("\n", 0, match.start()) + 1
            column = match.start() - source.text.rfind("\n", 0, match.start())
            message = f"control character U+{ord(match[0]):04X}"
            span = source.span(line, column, line, column + 1)
            yield self.found(span, message, help="remove it")


class MetadataMissing(Rule):
    """The KEP has no metadata."""

    meta = RuleMeta(
        code="KEP007",
        name="metadata-missing",
        summary="A KEP has a kep.yaml, or front matter in its only file.",
        explanation="Upstream rejects a folder below keps/ that holds a README.md but no "
        "kep.yaml. The older single-file form carries the metadata between two `---` lines at "
        "the top of the file.",
        source="kubernetes/enhancements pkg/repo/validate.go",
        severity=Severity.ERROR,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report the place where the metadata should be."""
        if kep.metadata or any(gone.path == kep.metadata_path for gone in kep.unreadable):
            return
        if kep.form is Form.SINGLE_FILE:
            message = "the file has no front matter"
            help = "start it with a `---` line, the keys of kep.yaml, and another `---` line"
        else:
            message = "the KEP has no kep.yaml"
            help = "copy kep.yaml from the KEP template of kubernetes/enhancements and fill it in"
        yield self.found(Span(kep.metadata_path, 1), message, help=help)


class ReadmeMissing(Rule):
    """The KEP has no README.md."""

    meta = RuleMeta(
        code="KEP008",
        name="readme-missing",
        summary="A KEP directory holds a README.md with the proposal.",
        explanation="The proposal's text is README.md, in exactly this spelling: tools do not "
        "see README.MD or readme.md. Upstream's CI passes without it; reviewers do not.",
        source="kubernetes/enhancements keps/NNNN-kep-template/README.md",
        severity=Severity.WARNING,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report a directory without the file, and a file without content."""
        if any(gone.path == kep.readme_path for gone in kep.unreadable):
            return
        span = Span(kep.readme_path, 1)
        if kep.form is Form.DIRECTORY and kep.readme is None:
            yield self.found(
                span, "the KEP has no README.md", help="write it from the README of the template"
            )
        elif kep.readme and not kep.readme.source.text.strip():
            yield self.found(
                span, "the README is empty", help="write it from the README of the template"
            )


class UnreadableFile(Rule):
    """A file is there but cannot be read."""

    meta = RuleMeta(
        code="KEP009",
        name="unreadable-file",
        summary="Every file of the KEP can be read.",
        explanation="A folder in the place of a file, a dangling symbolic link, or missing "
        "permissions. The checks of that file did not run.",
        source="kep-workbench",
        severity=Severity.ERROR,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each such file."""
        for gone in kep.unreadable:
            help = "check that it is a file, not a folder or dangling link, and its permissions"
            yield self.found(Span(gone.path, 1), f"the file {gone.reason}", help=help)
