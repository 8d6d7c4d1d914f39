"""Markdown of records as HTML that can do nothing: parsed by mistune, sanitised by nh3.

Wikilinks, embeds, block anchors and relative links are resolved by the caller (`Resolver`). Raw HTML passes
through the sanitiser like everything else; scripts, styles, handlers, frames and odd schemes do not survive.
Nothing is loaded from elsewhere: an image from the network becomes a link to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape, unescape
from typing import Any, NamedTuple, Protocol

import mistune
import nh3
from mistune.core import InlineState

from memgit.formats.markdown import headings
from memgit.site.urls import anchor

PLUGINS = ("strikethrough", "footnotes", "table", "task_lists", "math", "url", "def_list", "mark")
REL = "noopener noreferrer nofollow"
MAX_BODY = 400_000
"""Characters of one record that are rendered as Markdown; a longer one is shown as plain text."""
TAGS = {
    *(
        "a",
        "abbr",
        "b",
        "blockquote",
        "br",
        "caption",
        "code",
        "dd",
        "del",
        "details",
        "div",
        "dl",
        "dt",
        "em",
    ),
    *(
        "figure",
        "figcaption",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "i",
        "img",
        "input",
        "ins",
        "kbd",
        "li",
    ),
    *(
        "mark",
        "ol",
        "p",
        "pre",
        "q",
        "s",
        "samp",
        "section",
        "small",
        "span",
        "strong",
        "sub",
        "summary",
        "sup",
    ),
    *("table", "tbody", "td", "tfoot", "th", "thead", "tr", "u", "ul", "var"),
}
ATTRIBUTES = {
    "*": {"id", "class", "lang", "dir", "title"},
    "a": {"href", "rel"},
    "img": {"src", "alt", "width", "height"},
    "input": {"type", "checked", "disabled"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
CLASSES = re.compile(
    r"^(wikilink|unresolved|embed|math|block-math|task-list-item|task-list-item-checkbox|footnotes?|footnote-ref"
    r"|scroll|remote-image|block-anchor|language-[\w+#.-]{1,30})$"
)
_ID = re.compile(r"^(h|b|fn|fnref)-[^\s\"'<>]{1,200}$")
_SCHEME = re.compile(r"^\s*[A-Za-z][A-Za-z0-9+.-]*:|^\s*[/\\]{2}")
_COPIED = re.compile(r"^(\.\./)*files/")
_BLOCK = re.compile(r"(?:^|[ \t]+)\^([A-Za-z0-9-]+)[ \t]*$", re.MULTILINE)
_WIKILINK = r"(?P<wiki_mark>!?)\[\[(?P<wiki_inner>[^\[\]\n]{1,1000})\]\]"
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


class Target(NamedTuple):
    """Where a link leads: `href` from the page itself, `image` for a picture, `body` for what an embed shows."""

    href: str
    label: str = ""
    image: bool = False
    body: str | None = None


class Resolver(Protocol):
    """What the renderer asks about links; None where a link does not resolve."""

    def wikilink(self, inner: str, embed: bool) -> Target | None: ...

    def relative(self, url: str) -> Target | None: ...


def visible(text: str) -> str:
    """Text with control characters and bidirectional marks spelled out, for titles, names and paths."""
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text.encode("utf-8", "replace").decode())


def html(text: str, resolver: Resolver) -> str:
    """The HTML of one record's body, safe to put into a page."""
    if len(text) > MAX_BODY:
        return f"<pre>{escape(visible(text))}</pre>"
    renderer = _Renderer(resolver)
    parse = mistune.create_markdown(renderer=renderer, plugins=[*PLUGINS, _wikilinks])  # type: ignore[list-item]
    return clean(str(parse(text.encode("utf-8", "replace").decode())))


def clean(made: str) -> str:
    """HTML with nothing in it but harmless tags and attributes."""
    return nh3.clean(
        made,
        tags=TAGS,
        attributes=ATTRIBUTES,
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
    )


def _attribute(tag: str, name: str, value: str) -> str | None:
    if name == "id":
        return value if _ID.match(value) else None
    if name == "class":
        return " ".join(word for word in value.split() if CLASSES.match(word)) or None
    if name == "src":
        return value if _COPIED.match(value) else None
    if name == "href" and value.lstrip().startswith(("//", "\\", "/\\")):
        return None
    if (tag, name) == ("input", "type"):
        return value if value == "checkbox" else None
    return value


class _Renderer(mistune.HTMLRenderer):
    """HTML with anchors, resolved links and tables that scroll by themselves."""

    def __init__(self, resolver: Resolver) -> None:
        super().__init__(escape=False)
        self._resolver = resolver
        self._ids: dict[str, int] = {}

    def heading(self, text: str, level: int, **attrs: Any) -> str:
        name = anchor(unescape(re.sub(r"<[^>]*>", "", text)))
        count = self._ids[name] = self._ids.get(name, 0) + 1
        unique = name if count == 1 else f"{name}-{count}"
        level = min(level + 1, 6)  # the title of the page is its only first heading
        return f'<h{level} id="{unique}">{text}</h{level}>\n'

    def paragraph(self, text: str) -> str:
        return f"<p>{_with_block(text)}</p>\n"

    def list_item(self, text: str) -> str:
        return f"<li>{_with_block(text)}</li>\n"

    def block_text(self, text: str) -> str:
        return _with_block(text)

    def link(self, text: str, url: str, title: str | None = None) -> str:
        named = f' title="{escape(title)}"' if title else ""
        if _SCHEME.match(url) or url.startswith("#fn"):
            return f'<a href="{escape(url)}"{named} rel="{REL}">{text}</a>'
        found = self._resolver.relative(url)
        if found is None:
            return f'<span class="unresolved"{named}>{text}</span>'
        return f'<a href="{escape(found.href)}"{named}>{text}</a>'

    def image(self, text: str, url: str, title: str | None = None) -> str:
        if _SCHEME.match(url):
            return f'<a class="remote-image" href="{escape(url)}" rel="{REL}">{text or escape(url)}</a>'
        found = self._resolver.relative(url)
        if found is None or not found.image:
            return f'<span class="unresolved">{text or escape(url)}</span>'
        return f'<img src="{escape(found.href)}" alt="{text}">'

    def wikilink(self, inner: str, embed: bool) -> str:
        found = self._resolver.wikilink(inner, embed)
        target, _, label = inner.replace("\\|", "|").partition("|")
        shown = escape(visible((label or target).strip()))
        if found is None:
            return f'<span class="unresolved">{shown}</span>'
        if found.image:
            return f'<img src="{escape(found.href)}" alt="{shown}">'
        text = shown if label or not found.label else escape(found.label)
        link = f'<a class="wikilink" href="{escape(found.href)}">{text}</a>'
        if not embed or found.body is None:
            return link
        return f'<blockquote class="embed">{found.body}<p>{link}</p></blockquote>'


def _with_block(text: str) -> str:
    """The end of a block or line `^name` as an anchor."""
    return _BLOCK.sub(lambda match: f'<span class="block-anchor" id="{anchor(match[1], "b")}"></span>', text)


def anchors(text: str) -> set[str]:
    """The ids that `html` gives the headings and blocks of a text."""
    found = {anchor(one.title) for one in headings(text)}
    return found | {anchor(match[1], "b") for match in _BLOCK.finditer(text)}


def _wikilinks(markdown: mistune.Markdown) -> None:
    """A mistune plugin for `[[target#heading|label]]`, `![[embed]]` and Obsidian's comments, `%%hidden%%`."""

    def parse(inline: mistune.InlineParser, match: re.Match[str], state: InlineState) -> int:
        attrs: Mapping[str, Any] = {
            "inner": match.group("wiki_inner"),
            "embed": match.group("wiki_mark") == "!",
        }
        state.append_token({"type": "wikilink", "attrs": dict(attrs)})
        return match.end()

    def comment(inline: mistune.InlineParser, match: re.Match[str], state: InlineState) -> int:
        return match.end()

    def table(renderer: Any, text: str) -> str:
        return f'<div class="scroll"><table>\n{text}</table></div>\n'

    markdown.inline.register("comment", r"%%[^%]*%%", comment, before="link")
    markdown.inline.register("wikilink", _WIKILINK, parse, before="link")
    if markdown.renderer is not None and markdown.renderer.NAME == "html":
        markdown.renderer.register("table", table)
