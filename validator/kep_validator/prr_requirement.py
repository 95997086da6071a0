"""Whether a KEP needs a production readiness approval, as upstream decides it."""

from __future__ import annotations

from kep_validator.milestone import parse_tolerant
from kep_validator.yaml_source import YamlDocument

STATUSES = ("implementable", "implemented")
FIRST_RELEASE = (1, 21)


def why_not_required(metadata: YamlDocument) -> str:
    """Say why no approval is needed (or why that cannot be told); '' when one is needed.

    Follows isPRRRequired in pkg/kepval/approval.go: the status is exactly implementable or
    implemented, latest-milestone and stage are set, and latest-milestone is v1.21 or later.
    There is no cut-off by KEP number.
    """
    status = metadata.text("status") or ""
    if status not in STATUSES:
        return f"status is `{status}`: approval is needed once it is implementable"
    milestone = metadata.text("latest-milestone")
    if not milestone or not metadata.text("stage"):
        return "latest-milestone or stage is not set"
    try:
        version = parse_tolerant(milestone)
    except ValueError:
        return f"latest-milestone `{milestone}` is no release"
    if version.before(*FIRST_RELEASE):
        return f"latest-milestone `{milestone}` is before v1.21, the first release that needs it"
    return ""
