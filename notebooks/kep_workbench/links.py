"""Adjust a Markdown text's relative links to another place of the text."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote, unquote

from kep_workbench.mark_parsing import code_lines

_LINKS = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<inline>\]\(\s*)(?P<a><[^<>]*>|[^)\s]+)"
    r"|(?P<definition>^ {0,3}\[[^\]]+\]:\s*)(?P<b><[^<>]*>|\S+)"
    r"|(?P<html>\b(?:src|href)=\")(?P<c>[^\"]*)"
)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def rebase_links(text: str, folder: Path, output: Path) -> str:
    """Return `text`, a README.md of `folder`, with its links as they must be in `output`.

    Only links to files that exist are changed; links to the README itself become links within
    the text. Code is left alone. Line ends are `\\n`.
    """
    in_code = code_lines(text)
    lines = []
    for number, match in enumerate(_LINE.finditer(text), 1):
        line = match[0]
        if number not in in_code:
            line = _LINKS.sub(lambda found: _rebased(found, folder, output), line)
        lines.append(line)
    return "".join(lines)


def _rebased(match: re.Match[str], folder: Path, output: Path) -> str:
    if match["code"]:
        return match[0]
    head = match["inline"] or match["definition"] or match["html"]
    target = match["a"] or match["b"] or match["c"] or ""
    bare = target[1:-1] if target.startswith("<") else target
    path = re.split("[?#]", bare, maxsplit=1)[0]
    mark, rest = bare[len(path) :][:1], bare[len(path) + 1 :]
    if not path or path.startswith("/") or _SCHEME.match(path):
        return match[0]
    place = folder / unquote(path)
    if not os.path.exists(place):  # noqa: PTH110 - Path.exists raises on names too long for a file
        return match[0]
    if place.resolve() == (folder / "README.md").resolve() and mark == "#":
        return f"{head}#{rest}"
    moved = os.path.relpath(place.resolve(), output.parent.resolve()).replace(os.sep, "/")
    slash = "/" if path.endswith("/") else ""
    return f"{head}{quote(moved, safe='/._-~')}{slash}{mark}{rest}"
