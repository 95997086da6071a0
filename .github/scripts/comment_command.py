"""Read the pull-request comment in $COMMENT and print what it asks for as GitHub step outputs."""

from __future__ import annotations

import json
import os
import re

TARGETS = ("lint", "test", "test-slow", "validate", "run", "evidence-check")
_COMMAND = re.compile(r"^/(test|retest)\b[ \t]*(.*?)[ \t\r]*$", re.MULTILINE)
_SAFE_NAME = re.compile(r"[A-Za-z0-9._-]{1,40}")


def parse(comment: str) -> dict[str, str]:
    """Return the outputs `targets` (a JSON list), `retest`, `unknown` and `known`.

    A command stands at the start of a line, as Prow has it. `/test` takes names or `all`.
    """
    targets: list[str] = []
    unknown: list[str] = []
    retest = False
    for command, rest in _COMMAND.findall(comment):
        if command == "retest":
            retest = True
            continue
        for name in rest.split():
            if name == "all":
                targets += TARGETS
            elif name in TARGETS:
                targets.append(name)
            elif _SAFE_NAME.fullmatch(name):
                unknown.append(name)
    return {
        "targets": json.dumps(list(dict.fromkeys(targets))),
        "retest": "true" if retest else "false",
        "unknown": " ".join(dict.fromkeys(unknown)),
        "known": " ".join(TARGETS),
    }


if __name__ == "__main__":
    for key, value in parse(os.environ.get("COMMENT", "")).items():
        print(f"{key}={value}")  # noqa: T201 - step outputs are what this script is for
