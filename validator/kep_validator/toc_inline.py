"""Headings as upstream's table of contents shows them.

Follows the HTML renderer of github.com/gomarkdown/markdown as mdtoc of kubernetes-sigs calls it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from kep_validator.markdown_blocks import Links

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_NEEDS_PARSING = re.compile(r"[`*_<&\\~\[]|://")
_BARE_LINK = re.compile(r"https?://[^\s<>()\[\]]*[^\s<>()\[\].,:;]")
_HEADING_ID = re.compile(r" *\{#[^}]*\}.*")
_CLOSING_MARKS = re.compile(r"(?<!\\)#+$")
_PUNCTUATION = re.compile(r"[^A-Za-z0-9_\- \t]")


class Rendered(NamedTuple):
    """A heading as HTML, and as the plain text its anchor is made from."""

    html: str
    text: str


def render_heading(markdown: str, links: Links) -> Rendered:
    """Render the Markdown of one heading's line; `links` are the document's definitions."""
    markdown = _HEADING_ID.sub("", markdown)
    if not _NEEDS_PARSING.search(markdown):
        return Rendered(_escape(markdown).strip(), markdown)
    tokens = _parser().parseInline(markdown, {"references": links})[0].children or []
    html, in_link = "", False
    for token in tokens:
        in_link = token.type == "link_open" or (in_link and token.type != "link_close")
        html += _html(token, in_link)
    return Rendered(html.strip(), "".join(_text(token) for token in tokens))


def without_closing_marks(markdown: str) -> str:
    """Drop the `#` at the end of a heading, which here need no blank before them."""
    return _CLOSING_MARKS.sub("", markdown).rstrip(" ")


class Anchors:
    """Anchors of the headings of one document; the second `goals` becomes `goals-1`."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def make(self, text: str) -> str:
        """Return the anchor of the next heading with this text."""
        anchor = _PUNCTUATION.sub("", text.lower()).replace("\t", "").replace(" ", "-")
        count = self._seen.get(anchor, 0)
        self._seen[anchor] = count + 1
        return f"{anchor}-{count}" if count else anchor


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("strikethrough")


def _html(token: Token, in_link: bool) -> str:
    kind = token.type
    if kind == "text":
        html = _escape(token.content)
        return html if in_link else _BARE_LINK.sub(r'<a href="\g<0>">\g<0></a>', html)
    if kind == "code_inline":
        return f"<code>{_escape(token.content.strip(' '))}</code>"
    if kind == "link_open":
        return f'<a href="{_escape(str(token.attrs.get("href", "")))}">'
    if kind == "image":
        source = _escape(str(token.attrs.get("src", "")))
        return f'<img src="{source}" alt="{_escape(token.content)}" />'
    if kind == "html_inline":
        return token.content
    if kind.endswith("_open"):
        return f"<{_tag(token)}>"
    return f"</{_tag(token)}>" if kind.endswith("_close") else ""


def _tag(token: Token) -> str:
    return "del" if token.tag == "s" else token.tag


def _text(token: Token) -> str:
    if token.type == "code_inline":
        return token.content.strip(" ")
    return token.content if token.type in ("text", "image") else ""


def _escape(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return text.replace(">", "&gt;").replace('"', "&quot;")
