"""Titles of sections as people write them, and whether two mean the same."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_OPTIONAL = re.compile(r"[(\[]\s*optional\s*[)\]]", re.IGNORECASE)
_NUMBERING = re.compile(r"^\s*\d+(\.\d+)*\.?\s+")
_OTHER = re.compile(r"[\W_]+")
_ALMOST = 0.9
_ALIKE = 0.6
_SHARED_PAIRS = 0.6


def plain_title(markdown: str) -> str:
    """Return a heading's text as a reader sees it: no links, tags, comments or invisible marks."""
    text = _COMMENT.sub("", _INVISIBLE.sub("", markdown))
    if "[" in text:
        text = _LINK.sub(r"\1", text)
    if "<" in text:
        text = _TAG.sub("", text)
    return " ".join(text.replace("`", "").replace("*", "").split())


@lru_cache(maxsize=8192)
def title_key(markdown: str) -> str:
    """Return a title without case, blanks, punctuation, numbering and '(Optional)'."""
    text = _NUMBERING.sub("", _OPTIONAL.sub("", plain_title(markdown)))
    return _OTHER.sub("", text).lower()


def same_but_for_typos(key: str, other: str) -> bool:
    """Whether two keys differ by no more than a slip or two."""
    longest = max(len(key), len(other))
    if abs(len(key) - len(other)) > longest * (1 - _ALMOST) * 2 or longest < 6:
        return False
    mine, others = _pairs(key), _pairs(other)
    if len(mine & others) < _SHARED_PAIRS * max(len(mine), len(others)):
        return False
    return SequenceMatcher(None, key, other, autojunk=False).ratio() >= _ALMOST


@lru_cache(maxsize=8192)
def _pairs(key: str) -> frozenset[str]:
    """Return the pairs of neighbouring letters: a cheap look before a costly comparison."""
    return frozenset(map("".join, pairwise(key)))


def nearest_title(key: str, candidates: dict[str, str]) -> str:
    """Return the candidate (key: title) that is most like `key`, '' when none is alike."""
    best, title = _ALIKE, ""
    matcher = SequenceMatcher(None, b=key, autojunk=False)
    for other, shown in candidates.items():
        matcher.set_seq1(other)
        if matcher.real_quick_ratio() >= best and matcher.quick_ratio() >= best:
            ratio = matcher.ratio()
            if ratio > best:
                best, title = ratio, shown
    return title
