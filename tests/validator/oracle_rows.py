"""Upstream's recorded answers, and the verdict that compares ours with them."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.document import Kep
from kep_validator.prr_requirement import why_not_required

# The codes whose errors follow checks that upstream's CI runs.
_INPUT = {f"KEP00{number}" for number in range(1, 7)}
_SCHEMA = {"KEP101", "KEP103", "KEP104", "KEP105"}
_MILESTONE = {"KEP120", "KEP121", "KEP122"}
_APPROVAL = {"KEP350", "KEP353", "KEP355"}
CI_CODES = frozenset(_INPUT | _SCHEMA | _MILESTONE | _APPROVAL)
# Upstream's CI looks at the stage's name only where an approval is needed.
STAGE_CODE = "KEP111"


def rows(path: Path) -> list[dict[str, Any]]:
    """Read recorded answers, one a line.

    One text in the recording holds U+0085, which stands there as a line end of its own.
    """
    joined: list[str] = []
    for line in gzip.decompress(path.read_bytes()).decode("utf-8").split("\n"):
        if line.startswith("{"):
            joined.append(line)
        elif line:
            joined[-1] += "\x85" + line
    return [json.loads(line, strict=False) for line in joined]


def write_row(row: dict[str, Any], root: Path) -> Path:
    """Lay out one recorded input as a tree, and return its KEP's directory."""
    for path, content in {row["kep_path"]: row["kep"], **row["prr"]}.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        data = base64.b64decode(content["b64"]) if "b64" in content else content["text"].encode()
        target.write_bytes(data)
    return (root / row["kep_path"]).parent


def ci_errors(kep: Kep, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the errors that upstream's CI would stop at too."""
    judged = kep.metadata is not None and not why_not_required(kep.metadata)
    codes = CI_CODES | {STAGE_CODE} if judged else CI_CODES
    return [
        found for found in diagnostics if found.severity is Severity.ERROR and found.code in codes
    ]
