"""`kep-validate rules` and `kep-validate explain CODE`."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Sequence

from kep_validator.console import write_output
from kep_validator.rules import all_metas
from kep_validator.rules.base import RuleMeta
from kep_validator.suggestions import did_you_mean


def main(argv: Sequence[str]) -> int:
    """Run one of the two commands and return its exit code."""
    parser = argparse.ArgumentParser(prog="kep-validate", description="Show the rules.")
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("rules", help="list all rules")
    listing.add_argument("--output", choices=("text", "json"), default="text")
    explaining = commands.add_parser("explain", help="explain one rule")
    explaining.add_argument("code", metavar="CODE", help="a code such as KEP101, or a rule's name")
    explaining.add_argument("--output", choices=("text", "json"), default="text")
    args = parser.parse_args(argv)
    if args.command == "rules":
        write_output(rules_text(all_metas()) if args.output == "text" else _json(all_metas()))
        return 0
    return _explain(args.code, args.output)


def _explain(wanted: str, output: str) -> int:
    metas = all_metas()
    meta = next((m for m in metas if wanted.upper() == m.code or wanted.lower() == m.name), None)
    if meta is None:
        names = [name for m in metas for name in (m.code, m.name)]
        remedy = did_you_mean(wanted, names, "`kep-validate rules` lists all rules")
        sys.stderr.write(f"kep-validate: explain: there is no rule {wanted}\n  help: {remedy}\n")
        return 2
    write_output(explanation(meta) if output == "text" else _json((meta,)))
    return 0


def rules_text(metas: Sequence[RuleMeta]) -> str:
    """Return a table of rules, one a line."""
    width = max(len(meta.name) for meta in metas)
    return "".join(
        f"{meta.code}  {meta.severity.value:<7}  {meta.name:<{width}}  {meta.summary}\n"
        for meta in metas
    )


def explanation(meta: RuleMeta) -> str:
    """Return all that is known of one rule, for a reader."""
    lines = [
        f"{meta.code} {meta.name} ({meta.severity.value})",
        "",
        meta.summary,
        "",
        textwrap.fill(meta.explanation, 90),
        "",
        f"Follows: {meta.source}",
    ]
    if meta.since:
        lines.append(f"Since:   {meta.since}")
    return "\n".join(lines) + "\n"


def _json(metas: Sequence[RuleMeta]) -> str:
    rules = [
        {
            "code": meta.code,
            "name": meta.name,
            "severity": meta.severity.value,
            "summary": meta.summary,
            "explanation": meta.explanation,
            "source": meta.source,
            "since": meta.since,
            "needs": sorted(need.value for need in meta.needs),
        }
        for meta in metas
    ]
    return json.dumps({"schema_version": "1", "rules": rules}, indent=2) + "\n"
