"""What records need of Markdown: the headings of a document, the links in its text, conflict markers.

Code, HTML and comments hide what is in them, by the rules of CommonMark. Line numbers count from 1; a line
ends at `\\n` alone.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator

from memgit.formats.blocks import HEADING, TEXT, Heading, Scanner, conflict_markers, lines, outline
from memgit.formats.inline import definitions, links
from memgit.model.lazy_re import pattern
from memgit.model.link import Wikilink
from memgit.model.link import parse as parse_wikilink
from memgit.model.namedtuple import NamedTuple

__all__ = (
    "Found",
    "Heading",
    "RelativeLink",
    "conflict_markers",
    "find_wikilinks",
    "headings",
    "relative_links",
    "wikilinks",
)


class Found(NamedTuple):
    """A wikilink in a text: its line, the link, and where its brackets stand, in characters; `embed` for
    `![[...]]`.
    """

    line: int
    link: Wikilink
    start: int
    end: int
    embed: bool


class RelativeLink(NamedTuple):
    """A Markdown link to a file beside this one.

    `target` is as typed, between `start` and `end`, which may be in a definition elsewhere; `path` is decoded
    and without the fragment, which is kept apart.
    """

    line: int
    target: str
    path: str
    fragment: str | None
    start: int
    end: int


def headings(text: str, *, line: int = 1) -> list[Heading]:
    """The headings of a document without its frontmatter, those inside quotes and lists left out."""
    if "#" not in text and "--" not in text and "=" not in text and "-\n" not in text:
        return []
    return outline(text, line=line).headings


def wikilinks(text: str) -> list[tuple[int, Wikilink]]:
    """The wikilinks and embeds of a text with their lines.

    Code, comments, tags, escapes, shell tests and arrays are no links.
    """
    return [(found.line, found.link) for found in find_wikilinks(text)]


def find_wikilinks(text: str, *, line: int = 1) -> list[Found]:
    """The wikilinks and embeds of a text, with their places."""
    if "[[" not in text:
        return []
    out: list[Found] = []
    counted, position = line, 0
    for start, end in _blocks(text, "[["):
        for found in links(text, start, end):
            if found.kind == "link":
                continue
            counted += text.count("\n", position, found.start)
            position = found.start
            link = parse_wikilink(text[found.start + 2 : found.end - 2])
            out.append(Found(counted, link, found.start, found.end, found.kind == "embed"))
    return out


_SCHEME = pattern(r"[A-Za-z][A-Za-z0-9+.-]+:")
_BACKSLASH = pattern(r"\\([!-/:-@\[-`{-~])")
_ENCODED = pattern(r"(?:%[0-9A-Fa-f]{2})+")


def relative_links(text: str, *, line: int = 1, within: bool = False) -> list[RelativeLink]:
    """Markdown links and images whose target is a relative path, through references too; with `within` pure
    fragments as well.
    """
    if "](" not in text and "]:" not in text:
        return []
    defined: dict[str, tuple[int, int]] = {}
    blocks = [(definitions(text, start, end, defined), end) for start, end in _blocks(text, "]")]
    out: list[RelativeLink] = []
    counted, position = line, 0
    for start, end in blocks:
        formulas = _formulas(text, start, end)
        for found in links(text, start, end, defined):
            target = text[found.start : found.end]
            if (
                found.kind != "link"
                or not target
                or target[0] in ("/\\?" if within else "#/\\?")
                or target.startswith(_OF_EDITORS)
                or _after_wikilink(text, start, found.start)
                or _within(formulas, found.place)
                or _SCHEME.match(target)
            ):
                continue
            counted += (
                text.count("\n", position, found.place)
                if found.place >= position
                else -text.count("\n", found.place, position)
            )
            position = found.place
            path, hash_, fragment = _BACKSLASH.sub(r"\1", target).partition("#")
            fragment_ = _decode(fragment) if hash_ else None
            out.append(
                RelativeLink(
                    counted, target, _decode(path.partition("?")[0]), fragment_, found.start, found.end
                )
            )
    return out


def _after_wikilink(text: str, start: int, place: int) -> bool:
    """Whether what stands before a target is a wikilink with something in parentheses after it."""
    return text.endswith("]](", start, place) and not text.endswith("\\]](", start, place)


_FORMULA = pattern(r"\$\$(?:[^$\\`]|\\.)++\$\$|(?<![\w\\$])\$(?![\s$])(?:[^$\\`]|\\.)++(?<!\s)\$(?![\w$])")
"""A formula between dollars, as forges and editors show it: no blank inside beside them, no letter or digit outside."""


def _formulas(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the formulas of a paragraph stand, in order: brackets in one are no link."""
    if text.find("$", start, end) < 0:
        return []
    return [match.span() for match in _FORMULA.finditer(text, start, end)]


def _within(spans: list[tuple[int, int]], place: int) -> bool:
    """Whether a place lies in one of some spans, which are in order."""
    number = bisect(spans, (place, 0)) - 1
    return number >= 0 and place < spans[number][1]


_OF_EDITORS = ("((", "[[", ":/")
"""What the targets of other editors begin with that name no file: a block (Logseq), a page, a note by its id
(Joplin).
"""


def _decode(text: str) -> str:
    """Percent encoding undone, as UTF-8; other bytes are those of a file name that is none."""

    def decode(match: re.Match[str]) -> str:
        return bytes.fromhex(match[0].replace("%", "")).decode("utf-8", "surrogateescape")

    return _ENCODED.sub(decode, text) if "%" in text else text


def _blocks(text: str, needle: str) -> Iterator[tuple[int, int]]:
    """The paragraphs and headings of a text that hold a string, wherever they are nested, as places in the
    text.
    """
    scanner = Scanner()
    block, block_start, block_end = -1, 0, 0
    for start, line in lines(text):
        kind = scanner.feed(line)
        if kind in (TEXT, HEADING):
            if scanner.block != block:
                if block >= 0 and text.find(needle, block_start, block_end) >= 0:
                    yield block_start, block_end
                block, block_start = scanner.block, start
            block_end = start + len(line)
    if block >= 0 and text.find(needle, block_start, block_end) >= 0:
        yield block_start, block_end
