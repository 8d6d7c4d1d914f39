"""A document while it is being changed, and where its text lies."""

from __future__ import annotations

import re

from memgit import TYPE_CHECKING
from memgit.errors import BadInput, Refused, UnreadableFile
from memgit.formats.blocks import heading_text
from memgit.formats.dialects import LINKS, Dialect, bare_item, read_items
from memgit.formats.frontmatter import is_template, split
from memgit.formats.frontmatter_block import Block, Spell
from memgit.formats.text import decode, encode, has_bom, newline_of, normal, split_lines
from memgit.formats.yaml import Entry
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Value

if TYPE_CHECKING:
    from collections.abc import Mapping


_H1 = re.compile(r"(?:[ \t\r]*\n)* {0,3}#(?:[ \t]+([^\n]*))?(?:\n|$)")


_BLANK_LINES = pattern(r"(?:[ \t\r]*\n)*")


class Body(NamedTuple):
    """What stands under a block: a title from a heading, None where there is none to take, and the text, in
    offsets of the file's text.

    `heading` is the place of the first H1, (-1, -1) where it was not looked for or is not there; `own` says
    that the text starts after it.
    """

    title: str | None
    start: int
    end: int
    heading: tuple[int, int]
    own: bool


class Page:
    """A file while it is being changed.

    Offsets are those of `text`, the whole file without byte order mark.
    """

    def __init__(self, data: bytes, inner: str) -> None:
        text = decode(data)
        if not text or text.isspace():
            raise UnreadableFile("the file is empty and holds no record", line=1)
        parts = split(text)
        if parts.block is not None and is_template(parts.block):
            raise Refused("a template holds no record", line=1)
        if parts.fault is not None:
            raise parts.fault
        self._bom = has_bom(data)
        self._inner = inner
        self.newline = newline_of(text)
        self.block: Block | None = None
        self._opening, self._closing, self._rest = "", "", text[parts.body :]
        if parts.block is not None:
            end = parts.start + len(parts.block)
            self.block = self._read(parts.block)
            self._opening, self._closing = text[: parts.start], text[end : parts.body]

    def _read(self, text: str) -> Block:
        try:
            return Block(text, self.newline, self._inner)
        except Refused:
            return Block(text, self.newline)

    @property
    def text(self) -> str:
        return self.head + self._rest

    @property
    def head(self) -> str:
        return self._opening + (self.block.text if self.block is not None else "") + self._closing

    @property
    def body(self) -> int:
        """Where the text under the block begins."""
        return len(self.head)

    @property
    def entries(self) -> Mapping[str, Entry]:
        return self.block.entries if self.block is not None else {}

    def encode(self) -> bytes:
        return encode(self.text, self._bom)

    def put(self, key: str, value: Value, dialect: Dialect, field: str) -> None:
        """Sets a key, in a new block where the file has none."""
        if self.block is None:
            gap = self.newline if self._rest and not self._rest.startswith(("\n", "\r\n")) else ""
            self._opening = f"---{self.newline}"
            self._closing = f"---{self.newline}{gap}"
            self.block = Block("", self.newline)
            if split(self.text).fault is not None:
                line = split(self._rest).late or 1
                raise Refused(
                    "a block here would hide the one that the text begins with",
                    line=line,
                    hint="move that one to the top",
                )
        entry = self.entries.get(key)
        spell = spelling(field, entry)
        if isinstance(value, tuple):
            value = one_text(field, key, value, spell, entry)
        self.block.put(key, value, dialect.write_style(field, key), dialect.order, bare_item(field), spell)

    def drop(self, key: str) -> None:
        if self.block is not None:
            self.block.drop(key)

    def graft(self, start: int, end: int, new: str, *, tight: bool = False) -> None:
        """Puts a text in place of the one between two offsets under the block; blank lines around it stay.

        Lines that it begins and ends with as before keep their bytes. Where there was no text, a blank line
        goes before it unless `tight`.
        """
        offset = self.body
        before, region, after = (
            self._rest[: start - offset],
            self._rest[start - offset : end - offset],
            self._rest[end - offset :],
        )
        first, last = text_span(region)
        if new and first < last:
            region = region[:first] + _grafted(region[first:last], new, self.newline) + region[last:]
        elif new:
            if not before and self._closing and not self._closing.endswith("\n"):
                self._closing += self.newline
            region = self.newline if before and not before.endswith("\n") else ""
            region += (
                ("" if tight or not (before or self._closing) else self.newline)
                + _lines(new, self.newline)
                + self.newline
            )
            region += self.newline if after else ""
        else:
            region = self.newline if after else ""
        self._rest = before + region + after

    def put_text(self, start: int, end: int, new: str) -> None:
        """Puts a text, as it is, in place of what stands between two offsets under the block."""
        offset = self.body
        self._rest = self._rest[: start - offset] + new + self._rest[end - offset :]

    def put_heading(self, start: int, end: int, title: str) -> None:
        """Puts an H1 in place of the one between two offsets; the end of its line stays."""
        old = self.text[start:end]
        self.put_text(start, start + len(old.rstrip("\r\n")), f"# {title}")

    def insert_heading(self, title: str) -> None:
        """Puts an H1 above the text."""
        self._rest = f"# {title}{self.newline}{self.newline}" + self._rest.lstrip("\r\n")


def find_body(text: str, start: int, title: str | None) -> Body:
    """Where the text of a document lies, from the offset `start` of its file's text on.

    A heading that the text begins with is left out where it says the title, or where there is no title and it
    gives one.
    """
    match = _H1.match(text, start)
    said = _said(match)
    if match is not None and said and (title is None or said == title):
        return Body(said, match.end(), len(text), (text.index("#", match.start()), match.end()), True)
    if title is None and not said:
        from memgit.formats.markdown import headings

        for head in headings(text[start:]):
            if head.level == 1 and head.title:
                own = not text[start : start + head.start].strip()
                return Body(
                    head.title,
                    start + head.end if own else start,
                    len(text),
                    (start + head.start, start + head.end),
                    own,
                )
    return Body(None, start, len(text), (-1, -1), False)


def text_span(text: str) -> tuple[int, int]:
    """Where the text begins and ends between the blank lines at either end, the end of its last line not
    counted.
    """
    blank = _BLANK_LINES.match(text)
    start = blank.end() if blank else 0
    end = len(text)
    while end > start:
        line = text.rfind("\n", start, end) + 1 or start
        if text[line:end].strip(" \t\r"):
            return start, end - (text[end - 1] == "\r")
        end = max(line - 1, start)
    return start, start


def tidy(text: str) -> str:
    """A text with `\\n` for every line end and without blank lines at either end."""
    text = normal(text).strip("\n")
    if text and (text[0] in " \t\r" or text[-1] in " \t\r"):
        start, end = text_span(text)
        return text[start:end]
    return text


def _grafted(old: str, new: str, newline: str) -> str:
    """The lines of `new` with the line ends that those of `old` have which it begins and ends with."""
    lines = [
        (line.rstrip("\r\n"), line) if line.endswith("\n") else (line, line) for line in split_lines(old)
    ]
    ends = [line[len(body) :] for body, line in lines]
    bodies = [body for body, _ in lines]
    wanted = new.split("\n")
    least = min(len(bodies), len(wanted))
    first = last = 0
    while first < least and bodies[first] == wanted[first]:
        first += 1
    while last < least - first and bodies[-1 - last] == wanted[-1 - last]:
        last += 1
    out: list[str] = []
    for number, line in enumerate(wanted):
        end = (
            ends[number]
            if number < first
            else ends[number - len(wanted)]
            if number >= len(wanted) - last
            else ""
        )
        out.append(line + (end or newline))
    out[-1] = wanted[-1]
    return "".join(out)


def own_text(body: str, title: str | None) -> str:
    """A body as it is to be stored: tidied, without a heading that only says the title again.

    Raises:
        BadInput: it holds a NUL.
    """
    text = tidy(body)
    if "\0" in text:
        raise BadInput("the text holds a NUL", line=text.count("\n", 0, text.index("\0")) + 1)
    if title is not None and text[:1] in "# ":
        match = _H1.match(text)
        if match is not None and _said(match) == title:
            return tidy(text[match.end() :])
    return text


def one_line(title: str) -> str:
    """A title without line ends; every other character stays."""
    return (
        " ".join(part.strip(" \t\r") for part in title.split("\n")) if "\n" in title else title.strip(" \t\r")
    )


def heading(title: str) -> str:
    """A title as the text of an H1: on one line, its last hashes kept from closing the heading."""
    text = one_line(title)
    return f"{text} #" if heading_text(text) != text else text


def _said(match: re.Match[str] | None) -> str:
    """The text of an H1 that `_H1` has found."""
    if match is None or not match[1]:
        return ""
    text = match[1].strip(" \t\r")
    if text[-1:] != "#":
        return text

    return heading_text(text)


def spelling(field: str, entry: Entry | None) -> Spell:
    """How a new item of a list is written: a link in brackets, unless those that are there have none."""
    if field not in LINKS:
        return str
    there = entry.value if entry is not None else None
    items = (there,) if isinstance(there, str) else there or ()
    bracketed = any(item[:1] == "[" for item in items) if items else field == "related"
    return (lambda item: f"[[{item}]]") if bracketed else str


def one_text(field: str, key: str, items: tuple[str, ...], spell: Spell, entry: Entry | None) -> Value:
    """A list of one item as plain text where the file has it so, or where the key is a vault's `topic`; else
    the list.
    """
    if (
        len(items) != 1
        or (entry is None and key != "topic")
        or (entry is not None and (entry.style not in SCALARS))
    ):
        return items
    text = spell(items[0])
    several = entry is not None and key != "topic" and len(read_items(field, key, entry.value)) > 1
    return items if several or read_items(field, key, text) != items else text


SCALARS = frozenset(["plain", "single", "double", "literal", "folded"])


def _lines(text: str, newline: str) -> str:
    return text if newline == "\n" else text.replace("\n", newline)
