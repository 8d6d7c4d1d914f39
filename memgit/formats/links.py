"""Links in a Markdown file: what is a link, where its target is, and how to change the target alone.

A link is a wikilink or an embed (`[[target#heading|label]]`, `![[…]]`), a Markdown link or image whose target
is relative, also written as a tag (`<a href="…">`, `<img src="…">`), and in frontmatter also a name without
brackets under a key that names records (`related: [tide]`). Links are found in the text, as a CommonMark
reader sees it, and in every scalar of the frontmatter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from urllib.parse import quote

from memgit.formats import markdown, yaml, yaml_text
from memgit.formats.frontmatter import split
from memgit.formats.yaml import Scalar
from memgit.model.kinds import NAMING
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple

_BRACKETS = pattern(r"(!?)\[\[([^\[\]\n]+)\]\]")
_TAIL = pattern(r"""[ \t\n>]*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\))?[ \t\n]*\)""")
"""What follows the target of an inline link: a title, and the end."""
_ENDS = frozenset(' ()<>[]"\\%#?`')
"""Characters that would end the target of a Markdown link, or mean something else there."""


class Link(NamedTuple):
    """One link of a file.

    `kind` is "wiki", "embed", "file" (a Markdown link or image) or "name". `target` and `heading` (after `#`; also a block, `^name`) are
    decoded. As written, the target is at `[start:middle]` of the text, and the heading with its `#` ends at `end`. `field` is the key of
    the frontmatter, empty in the text. `tag` says that it is the value of an attribute of an HTML tag.
    """

    kind: str
    line: int
    target: str
    heading: str | None
    start: int
    middle: int
    end: int
    field: str = ""
    scalar: Scalar | None = None
    tag: bool = False


def find(text: str) -> list[Link]:
    """The links of a file, in the order of their targets. Reference links to one definition share their target."""
    if "[" not in text and not markdown.has_tags(text) and not _names_in_head(text):
        return []
    parts = split(text)
    line = text.count("\n", 0, parts.body) + 1
    found = list(_in_text(text[parts.body :], parts.body, line))
    if parts.block is not None and parts.fault is None:
        found += _in_block(parts.block, parts.start, text.count("\n", 0, parts.start) + 1)
    return sorted(found, key=lambda link: link.start)


def _names_in_head(text: str) -> bool:
    return text.startswith("---") and any(name in text or name.replace("_", "-") in text for name in NAMING)


def _in_text(text: str, start: int, line: int) -> Iterator[Link]:
    """The links of Markdown without frontmatter; `start` and `line` are where it begins in the file."""
    for found in markdown.find_wikilinks(text, line=line):
        inner = text[found.start + 2 : found.end - 2]
        yield _wikilink(inner, start + found.start + 2, found.line, "embed" if found.embed else "wiki")
    for one in markdown.relative_links(text, line=line, within=True):
        middle = one.start + min(
            (place for mark in "#?" if (place := one.target.find(mark)) >= 0), default=len(one.target)
        )
        yield Link(
            "file",
            one.line,
            one.path,
            one.fragment,
            start + one.start,
            start + middle,
            start + one.end,
            tag=one.tag,
        )


def _wikilink(
    inner: str, start: int, line: int, kind: str, field: str = "", scalar: Scalar | None = None
) -> Link:
    """A link from what is between its brackets, as `model.link.parse` reads it; `start` is where that begins."""
    body = inner.partition("|")[0]
    body = body.removesuffix("\\") if "|" in inner else body
    target, hash_, heading = body.partition("#")
    left = start + len(target) - len(target.lstrip())
    middle = left + len(target.strip())
    end = start + len(body.rstrip()) if hash_ else middle
    undo = scalar.decode if scalar is not None else str
    return Link(
        kind,
        line,
        undo(target.strip()),
        undo(heading.strip()) if hash_ else None,
        left,
        middle,
        max(middle, end),
        field,
        scalar,
    )


def _in_block(block: str, start: int, line: int) -> Iterator[Link]:
    """The links in the scalars of frontmatter. Of YAML that cannot be read there are none."""
    for scalar in yaml.scalars(block):
        raw = block[scalar.start : scalar.end]
        here = line + block.count("\n", 0, scalar.start)
        place = start + scalar.start
        moved = scalar._replace(start=place, end=start + scalar.end)
        if scalar.bare:
            yield _wikilink(raw, place, here, "wiki", scalar.key, moved)
        elif "[[" in raw or "](" in raw:
            for match in _BRACKETS.finditer(raw):
                at = here + raw.count("\n", 0, match.start())
                kind = "embed" if match[1] else "wiki"
                yield _wikilink(match[2], place + match.start(2), at, kind, scalar.key, moved)
            for link in _in_text(raw, place, here):
                if link.kind == "file":
                    yield link._replace(field=scalar.key, scalar=moved)
        elif scalar.key.replace("-", "_") in NAMING and "\n" not in raw:
            trim = 1 if scalar.style in ("'", '"') else 0
            yield _wikilink(raw[trim : len(raw) - trim], place + trim, here, "name", scalar.key, moved)


def retarget(text: str, edits: Mapping[Link, tuple[str, str | None]]) -> str:
    """The text with links led elsewhere: for each link its new target and heading, decoded. Nothing else of the text changes, but that a
    plain YAML scalar gets quotes where the new target needs them.
    """
    return _spliced(text, _retargeted(text, edits))


def changed(
    text: str, edits: Mapping[Link, tuple[str, str | None]], drop: Iterable[Link]
) -> tuple[str, list[Link]]:
    """As `retarget`, and with the words of some links in their place; those of these that could not be taken
    out: the definitions of reference links, and HTML tags.
    """
    pieces, left = _retargeted(text, edits), []
    for link in drop:
        words = _words(text, link)
        if words is None:
            left.append(link)
        else:
            pieces.append(words)
    return _spliced(text, sorted(pieces)), left


def _retargeted(text: str, edits: Mapping[Link, tuple[str, str | None]]) -> list[tuple[int, int, str]]:
    pieces: list[tuple[int, int, str]] = []
    ordered = sorted(edits, key=lambda link: link.start)
    for scalar, group in groupby(ordered, key=lambda link: link.scalar):
        some = [piece for link in group for piece in [_piece(text, link, *edits[link])]]
        pieces += some if scalar is None else _in_scalar(text, scalar, some)
    return pieces


def _piece(text: str, link: Link, target: str, heading: str | None) -> tuple[int, int, str]:
    spell: Callable[[str], str] = str
    if link.kind == "file":
        spell = _in_tag if link.tag else _angled if text[link.start - 1 : link.start] == "<" else encoded
    if heading == link.heading:
        start, stop, new = link.start, link.middle, spell(target)
    else:
        start, stop, new = (
            link.start,
            link.end,
            spell(target) + ("" if heading is None else f"#{spell(heading)}"),
        )
    return start, stop, new if link.scalar is None else link.scalar.encode(new)


def _in_scalar(text: str, scalar: Scalar, pieces: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """The edits inside a scalar, or one that quotes the whole of it where it can no longer be plain."""
    if scalar.style or all(
        yaml_text.plain_safe(f"x{new}x", scalar.flow or scalar.bare) for _, _, new in pieces
    ):
        return pieces
    raw = _spliced(
        text[scalar.start : scalar.end],
        [(start - scalar.start, end - scalar.start, new) for start, end, new in pieces],
    )
    value = " ".join(map(str.strip, raw.split("\n")))
    if scalar.bare:
        return [(scalar.start - 2, scalar.end + 2, yaml_text.quoted(f"[[{value}]]"))]
    return [(scalar.start, scalar.end, yaml_text.quoted(value))]


def _words(text: str, link: Link) -> tuple[int, int, str] | None:
    """Where an inline link or image stands, and its words."""
    if link.kind in ("wiki", "embed"):
        opened, closed = text.rfind("[[", 0, link.start), text.find("]]", link.end)
        if opened < 0 or closed < 0:
            return None
        words = text[opened + 2 : closed].rpartition("|")[2].strip()
        return opened - (text[opened - 1 : opened] == "!"), closed + 2, words
    if link.tag:
        return None
    close = text.rfind("](", 0, link.start)
    tail = _TAIL.match(text, link.end)
    if close < 0 or tail is None or text[close + 2 : link.start].strip(" \t\n<"):
        return None
    opened = _opening(text, close)
    if opened < 0:
        return None
    start = opened - 1 if text[opened - 1 : opened] == "!" else opened
    return start, tail.end(), text[opened + 1 : close]


def _opening(text: str, close: int) -> int:
    """Where the bracket opens that a bracket closes; -1 where it does not."""
    depth = 0
    for place in range(close, -1, -1):
        if text[place] in "[]" and not _is_escaped(text, place):
            depth += 1 if text[place] == "]" else -1
            if not depth:
                return place
    return -1


def _is_escaped(text: str, place: int) -> bool:
    return (place - len(text[:place].rstrip("\\"))) % 2 == 1


def _spliced(text: str, pieces: Iterable[tuple[int, int, str]]) -> str:
    out: list[str] = []
    position = 0
    for start, end, new in pieces:
        if start >= position:
            out += (text[position:start], new)
            position = end
    return "".join((*out, text[position:]))


def encoded(path: str) -> str:
    """A path as the target of a Markdown link: what would end it there is percent-encoded."""
    return "".join(f"%{ord(char):02X}" if char in _ENDS or char < " " else char for char in path)


def _angled(path: str) -> str:
    """A path as the target of a Markdown link in angle brackets, where blanks may stay."""
    return "".join(f"%{ord(char):02X}" if char in "<>%#?\\" or char < " " else char for char in path)


def _in_tag(path: str) -> str:
    """A path as the value of an attribute, in quotes of either sort or none."""
    return encoded(path).replace("&", "&amp;").replace("'", "%27").replace("=", "%3D")


def spelled(name: str) -> set[str]:
    """A name in the ways in which links write it: as it is, or with some of it percent-encoded or as an entity."""
    return {name, encoded(name), _in_tag(name), quote(name.encode("utf-8", "surrogateescape"))}


def anchor(title: str) -> str:
    """The fragment by which forges link to a heading: lower case, blanks as hyphens, punctuation dropped."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def untargeted(text: str) -> str:
    """A text without the targets of its links: what two texts have in common that differ in these alone."""
    return _spliced(text, [(link.start, link.end, "") for link in find(text)])
