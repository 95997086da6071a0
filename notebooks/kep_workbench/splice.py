"""Put results into the marked places of a README; pure text in, pure text out."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from enum import StrEnum

from kep_workbench.mark_parsing import parse_marks
from kep_workbench.marks import Mark, MarkedText, MarkKind

_DIGITS = 16
_DIGEST = re.compile(r'\s+digest="[^"]*"')
_CLOSE = re.compile(r"\s*-->$")


class MarkState(StrEnum):
    """Whether what stands in a mark was written by the tool."""

    EMPTY = "empty"
    OURS = "ours"
    EDITED = "edited"


def content_digest(content: str) -> str:
    """Digest what stands in a mark; line ends do not count, so that any checkout agrees."""
    normal = content.replace("\r\n", "\n").replace("\r", "\n")
    return f"sha256:{hashlib.sha256(normal.encode()).hexdigest()[:_DIGITS]}"


def mark_state(marked: MarkedText, mark: Mark) -> MarkState:
    """Tell whether a mark is still to be filled, holds the tool's text, or was edited by hand."""
    content = marked.content(mark)
    if not content.strip():
        return MarkState.EMPTY
    return MarkState.OURS if mark.digest == content_digest(content) else MarkState.EDITED


def block_content(mark: Mark, body: str) -> str:
    """`body` as it stands in `mark`: a block is set off by blank lines, a fact is not."""
    if mark.kind is MarkKind.FACT:
        return body
    return f"\n{body.strip()}\n\n".replace("\n", mark.newline)


def replace_marks(marked: MarkedText, bodies: Mapping[Mark, str]) -> str:
    """Return the text with each of `bodies` in its mark, and the marks' digests set.

    Every byte outside of these marks stays as it is.

    Raises:
        ValueError: a body would itself change the marks, such as by holding a marker.
    """
    pieces: list[str] = []
    end = 0
    for mark in marked.marks:
        if mark not in bodies:
            continue
        content = block_content(mark, bodies[mark])
        pieces.append(marked.text[end : mark.opening[0]])
        pieces.append(_with_digest(marked.text[slice(*mark.opening)], content_digest(content)))
        pieces.append(marked.text[mark.opening[1] : mark.content[0]])
        pieces.append(content)
        end = mark.content[1]
    text = "".join([*pieces, marked.text[end:]])
    _check(marked, text, bodies)
    return text


def without_results(text: str) -> str:
    """Return a README as it was before results were written into it: marks empty, no digests."""
    marked = parse_marks(text)
    pieces: list[str] = []
    end = 0
    for mark in marked.marks:
        pieces.append(text[end : mark.opening[0]])
        pieces.append(_DIGEST.sub("", text[slice(*mark.opening)]))
        pieces.append(text[mark.opening[1] : mark.content[0]])
        end = mark.content[1]
    return "".join([*pieces, text[end:]])


def _with_digest(opening: str, digest: str) -> str:
    return _CLOSE.sub(f' digest="{digest}" -->', _DIGEST.sub("", opening))


def _check(before: MarkedText, text: str, bodies: Mapping[Mark, str]) -> None:
    """A body must not open code, a comment or a mark that reaches beyond it."""
    after = parse_marks(text)
    names = [(mark.kind, mark.id, mark.run) for mark in before.marks]
    if names != [(mark.kind, mark.id, mark.run) for mark in after.marks]:
        raise ValueError("a rendered result changes the marks around it")
    for old, new in zip(before.marks, after.marks, strict=True):
        if old in bodies and after.content(new) != block_content(old, bodies[old]):
            raise ValueError(f"a rendered result breaks out of {old.name}")
