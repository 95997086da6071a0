"""KEP16x: values of the template that were left, and feature gates that are not filled in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.rules.base import Needs, Rule, RuleMeta, metadata_of

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.releases.model import ReleaseGuide
    from kep_validator.source import Span
    from kep_validator.yaml_source import YamlDocument

_METADATA = frozenset({Needs.METADATA})
_TEMPLATE = "kubernetes/enhancements keps/NNNN-kep-template/kep.yaml"
# kubectl's gates are environment variables.
_GATE = re.compile(r"([A-Z][A-Za-z0-9]*|[A-Z][A-Z0-9_]*)\Z")
_UNDECIDED = "TBD"


class TemplateValue(Rule):
    """A value of the template was left."""

    meta = RuleMeta(
        code="KEP160",
        name="template-value",
        summary="No value of the kep.yaml template is left.",
        explanation="The template's title, people, SIGs, links, feature gate and metric are "
        "examples. They pass upstream's checks and mislead whoever searches the KEPs.",
        source=_TEMPLATE,
        severity=Severity.WARNING,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each value that stands in the template in the same place."""
        metadata = metadata_of(kep)
        for key, values in guide.template_values.items():
            for span, value in _values(metadata, key):
                if value in values and value != _UNDECIDED:
                    yield self.found(
                        span,
                        f"`{value}` is the template's value of {key}",
                        help="write the KEP's own value, or remove the line",
                    )


class GateIncomplete(Rule):
    """A feature gate has no name or no components."""

    meta = RuleMeta(
        code="KEP161",
        name="gate-incomplete",
        summary="Each feature gate has a name and at least one component.",
        explanation="The template asks for both from alpha on; upstream's parser lets both be "
        "empty.",
        source=_TEMPLATE,
        severity=Severity.WARNING,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each gate that lacks one of them."""
        metadata = metadata_of(kep)
        gates = metadata.get("feature-gates")
        for index in range(len(gates) if isinstance(gates, list) else 0):
            name = metadata.text("feature-gates", index, "name")
            named = [c for c in metadata.texts("feature-gates", index, "components") if c]
            lacking = [what for what, there in (("name", name), ("components", named)) if not there]
            if lacking:
                yield self.found(
                    metadata.span("feature-gates", index),
                    f"feature gate {name or index + 1} has no {' and no '.join(lacking)}",
                    help="give the gate's name, and list the components that read it",
                )


class GateName(Rule):
    """A feature gate has an impossible name, or stands twice."""

    meta = RuleMeta(
        code="KEP162",
        name="gate-name",
        summary="Feature gates are named in UpperCamelCase, each once.",
        explanation="Kubernetes' feature gates are written so (kubectl's in UPPER_CASE). `n/a` and "
        "sentences are no gates: leave feature-gates empty and explain in the README.",
        source=_TEMPLATE,
        severity=Severity.WARNING,
        needs=_METADATA,
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report a name in another form, and the second of two equal names."""
        metadata = metadata_of(kep)
        gates = metadata.get("feature-gates")
        seen: set[str] = set()
        for index in range(len(gates) if isinstance(gates, list) else 0):
            name = metadata.text("feature-gates", index, "name")
            if not name:
                continue
            span = metadata.span("feature-gates", index, "name")
            if not _GATE.match(name):
                help = "write the name as it stands in the code, or leave feature-gates empty"
                yield self.found(span, f"`{name}` is no feature gate's name", help=help)
            elif name in seen:
                yield self.found(span, f"feature gate {name} stands twice", help="keep one entry")
            seen.add(name)


def _values(metadata: YamlDocument, key: str) -> Iterator[tuple[Span, str]]:
    value = metadata.get(key)
    if isinstance(value, str):
        yield metadata.span(key), value
    for index, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, str):
            yield metadata.span(key, index), item
        elif isinstance(item, dict) and isinstance(item.get("name"), str):
            yield metadata.span(key, index, "name"), str(item["name"])
