"""KEP13x: the people of a KEP."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.rules.base import Needs, Rule, RuleMeta, metadata_of

if TYPE_CHECKING:
    from kep_validator.document import Kep
    from kep_validator.releases.model import ReleaseGuide
    from kep_validator.yaml_source import YamlDocument

_ROLES = ("authors", "reviewers", "approvers")
_HANDLE = re.compile(r"@[A-Za-z0-9][A-Za-z0-9-]*(/[A-Za-z0-9._-]+)?\Z")
_BARE = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*\Z")
_LATER = re.compile(r"@?(tbd|todo|tba|n/?a|none|\?+)\Z", re.IGNORECASE)
_TEMPLATE = "kubernetes/enhancements keps/NNNN-kep-template/kep.yaml"


def people(metadata: YamlDocument, role: str) -> Iterator[tuple[int, str]]:
    """Yield the place in the list and the name of each person with a role."""
    listed = metadata.get(role)
    for index, name in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(name, str) and name.strip():
            yield index, name.strip()


class NobodyNamed(Rule):
    """The KEP has no author, or nobody who approves it."""

    meta = RuleMeta(
        code="KEP130",
        name="nobody-named",
        summary="authors and approvers name at least one person each.",
        explanation="Upstream's check only asks that the lists are there; an empty one passes it "
        "and leaves the KEP without anybody who can approve it.",
        source=_TEMPLATE,
        severity=Severity.WARNING,
        needs=frozenset({Needs.METADATA}),
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report a list without a name."""
        metadata = metadata_of(kep)
        for role in ("authors", "approvers"):
            listed = metadata.get(role)
            if isinstance(listed, list) and not list(people(metadata, role)):
                yield self.found(
                    metadata.key_span(role),
                    f"{role} names nobody",
                    help='add a GitHub handle, for example - "@alice"',
                )


class PersonToBeDecided(Rule):
    """A person is still to be decided."""

    meta = RuleMeta(
        code="KEP131",
        name="person-to-be-decided",
        summary="No TBD stands in the place of a person.",
        explanation="A provisional KEP may look for reviewers and approvers (info); once it is "
        "implementable, they have agreed to it, so they are known.",
        source=_TEMPLATE,
        severity=Severity.WARNING,
        needs=frozenset({Needs.METADATA}),
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each TBD, N/A and the like."""
        metadata = metadata_of(kep)
        early = metadata.text("status") == "provisional"
        for role in _ROLES:
            for index, name in people(metadata, role):
                if _LATER.match(name):
                    yield self.found(
                        metadata.span(role, index),
                        f"`{name}` stands in the place of a person in {role}",
                        help="name the person, or remove the line",
                        severity=Severity.INFO if early else Severity.WARNING,
                    )


class HandleForm(Rule):
    """A person is not given by a GitHub handle."""

    meta = RuleMeta(
        code="KEP132",
        name="handle-form",
        summary="People are given by their GitHub handles, as @name.",
        explanation="Tools look people up by their handles. A handle without @ is understood "
        "(info); names, remarks and curly quotes inside the text are not.",
        source=_TEMPLATE,
        severity=Severity.WARNING,
        needs=frozenset({Needs.METADATA}),
    )

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        """Report each person in another form."""
        metadata = metadata_of(kep)
        for role in _ROLES:
            for index, name in people(metadata, role):
                known = name in guide.template_values.get(role, ())
                if known or _HANDLE.match(name) or _LATER.match(name):
                    continue
                bare = bool(_BARE.match(name))
                yield self.found(
                    metadata.span(role, index),
                    f"`{name}` in {role} is no GitHub handle in the form @name",
                    help=f'write "@{name}"'
                    if bare
                    else "write the handle alone; move remarks to a comment behind it",
                    severity=Severity.INFO if bare else Severity.WARNING,
                )
