"""What records need of Markdown: the headings of a document, the links in its text, conflict markers.

Code, HTML and comments hide what is in them, by the rules of CommonMark. Line numbers count from 1; a line
ends at `\\n` alone.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Sequence

from memgit.formats.blocks import HEADING, HTML, TEXT, Heading, Scanner, conflict_markers, lines, outline
from memgit.formats.inline import TAG, Link, definitions, links, tags
from memgit.formats.plain_text import unescaped
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
    """A Markdown link to a file beside this one, or one by an HTML tag.

    `target` is as typed, between `start` and `end`, which may be in a definition elsewhere; `path` is decoded
    and without the fragment, which is kept apart. `tag` says that it is the value of an attribute.
    """

    line: int
    target: str
    path: str
    fragment: str | None
    start: int
    end: int
    tag: bool = False


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
    for _, start, end in _blocks(text, ("[[",)):
        for found in links(text, start, end):
            if found.kind not in ("wiki", "embed"):
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
    """Markdown links and images whose target is a relative path, through references too, and those that `<a href>`
    and `<img src>` make; with `within` pure fragments as well.
    """
    tagged = has_tags(text)
    if not tagged and "](" not in text and "]:" not in text:
        return []
    out: list[RelativeLink] = []
    counted, position = line, 0
    for found in _file_links(text, tagged):
        target = text[found.start : found.end]
        if (
            not target
            or target[0] in ("/\\?" if within else "#/\\?")
            or target.startswith(_OF_EDITORS)
            or _SCHEME.match(target)
            or (found.kind == "tag" and _FILLED_IN.search(target))
        ):
            continue
        counted += (
            text.count("\n", position, found.place)
            if found.place >= position
            else -text.count("\n", found.place, position)
        )
        position = found.place
        read = unescaped(target) if found.kind == "tag" else _BACKSLASH.sub(r"\1", target)
        path, hash_, fragment = read.partition("#")
        fragment_ = _decode(fragment) if hash_ else None
        path = _decode(path.partition("?")[0])
        out.append(
            RelativeLink(counted, target, path, fragment_, found.start, found.end, found.kind == "tag")
        )
    return out


def has_tags(text: str) -> bool:
    """Whether a text may have links by HTML tags."""
    return "<" in text and TAG.search(text) is not None


def _file_links(text: str, tagged: bool) -> Iterator[Link]:
    """The Markdown links of a text, and those by HTML tags, which stand in HTML blocks too."""
    defined: dict[str, tuple[int, int]] = {}
    blocks = [
        (raw, start if raw else definitions(text, start, end, defined), end)
        for raw, start, end in _blocks(text, "<]" if tagged else "]", html=tagged)
    ]
    for raw, start, end in blocks:
        if raw:
            yield from tags(text, start, end)
            continue
        formulas = _formulas(text, start, end)
        for one in links(text, start, end, defined):
            if one.kind == "tag" or (
                one.kind == "link"
                and not _after_wikilink(text, start, one.start)
                and not _within(formulas, one.place)
            ):
                yield one


_FILLED_IN = pattern(r"[{}<>\n]|&#")
"""What no path in an HTML attribute holds as it is: a template's place, or a character as a number."""


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


def _blocks(text: str, needles: Sequence[str], *, html: bool = False) -> Iterator[tuple[bool, int, int]]:
    """The paragraphs and headings of a text that hold one of some strings, wherever they are nested, as places in
    the text; on request also its HTML blocks, which the first value tells apart, but not scripts and comments.
    """
    scanner = Scanner()
    was: tuple[bool, int] | None = None
    place, stop = 0, 0
    for start, line in lines(text):
        kind = scanner.feed(line)
        raw = html and kind == HTML and scanner.weak
        here = (raw, scanner.block) if raw or kind in (TEXT, HEADING) else None
        if here != was:
            if was is not None and _holds(text, needles, place, stop):
                yield was[0], place, stop
            was, place = here, start
        stop = start + len(line)
    if was is not None and _holds(text, needles, place, stop):
        yield was[0], place, stop


def _holds(text: str, needles: Sequence[str], start: int, end: int) -> bool:
    return any(text.find(needle, start, end) >= 0 for needle in needles)
