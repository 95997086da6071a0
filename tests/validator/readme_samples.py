"""A README that answers everything the template of a release asks, to take things from."""

from __future__ import annotations

from kep_validator.document import Form, Kep
from kep_validator.engine import check_kep
from kep_validator.markdown_source import MarkdownDocument
from kep_validator.releases.model import ReleaseGuide
from kep_validator.rules import ALL_RULES
from kep_validator.source import Source
from kep_validator.toc import check_toc, find_tags
from kep_validator.yaml_source import YamlDocument

METADATA = """\
title: Sample feature
kep-number: 9999
authors: ["@alice"]
owning-sig: sig-node
status: {status}
approvers: ["@dave"]
stage: {stage}
latest-milestone: "v1.34"
"""


def complete_readme(guide: ReleaseGuide) -> str:
    """Every section and question of the template with a sentence of its own, in its order."""
    lines = ["# KEP-9999: Sample feature", "", "<!-- toc -->", "<!-- /toc -->", ""]
    for section in guide.sections:
        lines += [f"{'#' * section.level} {section.title}", ""]
        asked = [question for question in guide.prr_questions if question.section == section.title]
        if not asked:
            lines += [f"What this sample has to say on {section.title}.", ""]
        for question in asked:
            lines += [f"###### {question.text}", "", f"An answer to {question.id}.", ""]
    return with_current_toc("\n".join(lines))


def with_current_toc(text: str) -> str:
    """Return a README with its table of contents generated anew."""
    document = parse(text)
    toc = check_toc(document, find_tags(text))
    return text[: toc.start] + toc.replacement + text[toc.end :]


def parse(text: str, first_line: int = 1) -> MarkdownDocument:
    """Parse a README given as text."""
    return MarkdownDocument.parse(Source("README.md", text), first_line)


def make_kep(readme: str, *, status: str = "implementable", stage: str = "beta") -> Kep:
    """A KEP of this README; with an empty status it has no metadata."""
    metadata = None
    if status:
        text = METADATA.format(status=status, stage=stage)
        metadata = YamlDocument.parse(Source("kep.yaml", text))
    return Kep("sample", Form.DIRECTORY, metadata, parse(readme), readme_path="README.md")


def found(kep: Kep, guide: ReleaseGuide, *codes: str) -> list[tuple[str, str, int, str]]:
    """Run the rules with these codes (of the README's families by default) one after another."""
    chosen = codes or ("KEP2", "KEP30")
    rules = [rule for rule in ALL_RULES if rule.meta.code.startswith(chosen)]
    outcome = check_kep(kep, guide, rules)
    assert outcome.internal_errors == []
    return [
        (each.code, each.severity.value, each.span.line, each.message)
        for each in outcome.diagnostics
        if each.code.startswith(chosen)
    ]
