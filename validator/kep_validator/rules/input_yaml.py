"""KEP0xx: YAML that upstream cannot read, or reads otherwise than its author meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.document import Form
from kep_validator.front_matter import lost_lines, separator_lines, upstream_is_misled
from kep_validator.prr_requirement import why_not_required
from kep_validator.rules.base import Rule, RuleMeta
from kep_validator.yaml_faults import Fault
from kep_validator.yaml_source import YamlDocument

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.releases.model import ReleaseGuide

_LINE_LIMIT = 65_536


def yaml_files(kep: Kep) -> Iterator[tuple[YamlDocument, Severity]]:
    """Yield the KEP's YAML files with the weight of a fault in each."""
    if kep.metadata:
        yield kep.metadata, Severity.ERROR
    if kep.prod_readiness:
        needed = kep.metadata is None or not why_not_required(kep.metadata)
        yield kep.prod_readiness, Severity.ERROR if needed else Severity.WARNING


class _YamlFault(Rule):
    kind: ClassVar[Fault]

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each such fault of kep.yaml and of the production readiness file."""
        for document, severity in yaml_files(kep):
            for error in document.errors:
                if error.kind is self.kind:
                    yield self.found(error.span, error.message, help=error.help, severity=severity)


class BrokenYaml(_YamlFault):
    """The YAML cannot be parsed."""

    kind = Fault.SYNTAX
    meta = RuleMeta(
        code="KEP002",
        name="broken-yaml",
        summary="The metadata are valid YAML.",
        explanation="Nothing else can be checked until the syntax is mended. Frequent causes: a "
        "handle such as @alice without quotes, a tab, a value with `: ` in it, an open quote.",
        source="kubernetes/enhancements pkg/yaml/yaml.go",
        severity=Severity.ERROR,
    )


class DuplicateKey(_YamlFault):
    """A key stands twice in one mapping."""

    kind = Fault.DUPLICATE
    meta = RuleMeta(
        code="KEP003",
        name="duplicate-key",
        summary="No key stands twice in one mapping.",
        explanation="Many parsers silently keep the last value; upstream's strict parser rejects "
        "the file.",
        source="kubernetes/enhancements pkg/yaml/yaml.go",
        severity=Severity.ERROR,
    )


class NoMapping(_YamlFault):
    """The file holds no key-value lines."""

    kind = Fault.ROOT
    meta = RuleMeta(
        code="KEP004",
        name="no-mapping",
        summary="The metadata are `key: value` lines.",
        explanation="The file is empty, or holds a list or plain text.",
        source="kubernetes/enhancements api/proposal.go",
        severity=Severity.ERROR,
    )


class LineTooLong(Rule):
    """A line of kep.yaml is longer than upstream's reader takes."""

    meta = RuleMeta(
        code="KEP005",
        name="line-too-long",
        summary="No line of kep.yaml reaches 65,536 bytes.",
        explanation="Upstream reads kep.yaml line by line with a fixed buffer and fails on a "
        "longer line.",
        source="kubernetes/enhancements api/proposal.go (bufio.Scanner)",
        severity=Severity.ERROR,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each such line."""
        source = kep.metadata.source if kep.metadata else None
        if source is None or kep.form is Form.SINGLE_FILE or len(source.text) < _LINE_LIMIT // 4:
            return
        for number, line in enumerate(source.lines, 1):
            size = len(line.encode())
            if size >= _LINE_LIMIT:
                message = f"the line has {size:,} bytes; upstream reads at most {_LINE_LIMIT - 1:,}"
                yield self.found(source.span(number), message, help="break the line")


class StraySeparator(Rule):
    """A line with `---` makes upstream ignore metadata."""

    meta = RuleMeta(
        code="KEP006",
        name="stray-separator",
        summary="No line of kep.yaml holds `---` below the first key.",
        explanation="Upstream's parser takes every line that holds `---`, be it a comment or a "
        "title, for a front matter separator: it drops the line, all lines before the first and "
        "all lines after the second one.",
        source="kubernetes/enhancements api/proposal.go (KEPHandler.Parse)",
        severity=Severity.ERROR,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report the separator that loses lines; an error where required keys get lost."""
        source = kep.metadata.source if kep.metadata else None
        if source is None or kep.form is Form.SINGLE_FILE:
            return
        lost = lost_lines(source)
        if not lost:
            return
        separators = separator_lines(source)
        here = separators[0] if lost[0] <= separators[0] else separators[1]
        column = source.lines[here - 1].index("---") + 1
        misled = upstream_is_misled(source)
        yield self.found(
            source.span(here, column, here, column + 3),
            f"because of this `---` upstream ignores {len(lost)} lines, from line {lost[0]} on",
            help="remove the `---`, or use other characters",
            severity=Severity.ERROR if misled else Severity.WARNING,
        )


class SecondDocument(Rule):
    """A second YAML document follows and is ignored."""

    meta = RuleMeta(
        code="KEP011",
        name="second-document",
        summary="A YAML file holds one document.",
        explanation="Only the first document is read; whatever follows the next `---` is ignored.",
        source="kubernetes/enhancements api/approval.go",
        severity=Severity.WARNING,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report the file."""
        for document, _ in yaml_files(kep):
            if document.extra_documents:
                message = "the file holds a second YAML document, which is ignored"
                yield self.found(document.span(), message, help="keep one document")
