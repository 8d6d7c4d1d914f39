"""Markdown in pieces: one a heading, small ones gathered under their own heading first, large ones cut
between blocks.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from memgit.formats.blocks import Heading, outline
from memgit.ingest.boilerplate import kind_of_title
from memgit.ingest.cuts.lines import Lines
from memgit.ingest.cuts.size_limits import LARGE_TOKENS, Piece, Related, joined, merge, split

MAX_HEADS = 50
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]")
_DELIMITER = re.compile(
    r"[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)+\|?[ \t]*$|[ \t]*\|[ \t]*:?-{3,}:?[ \t]*\|[ \t]*$"
)
_INTRODUCES = (":", "\uff1a")
_SENTENCE_END = (".", "!", "?", ":", ";", "。", "！", "？", "：")


class Section(NamedTuple):
    """A heading with the lines under it up to the next heading, and the sections below it.

    `bare` says that there are no such lines: the heading begins what is below.
    """

    piece: Piece
    level: int
    below: list[Section]
    bare: bool


class Structure(NamedTuple):
    """The headings of a text, and the lines inside code and HTML: nothing begins there.

    Lines count as in the whole file.
    """

    headings: list[Heading]
    hidden: frozenset[int]


def structure(text: str, line: int) -> Structure:
    """The structure of a text whose first line is line `line` of its file."""
    found = outline(text, line=line)
    hidden: set[int] = set()
    if found.hidden:
        starts = [0]
        position = text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = text.find("\n", position + 1)
        for span in found.hidden:
            # The line that such a block begins with is not inside it.
            hidden.update(
                range(line + bisect_left(starts, span.start) + 1, line + bisect_left(starts, span.end))
            )
    return Structure(found.headings, frozenset(hidden))


def pieces(lines: Lines, first: int, found: Structure, related: Related, title: str | None) -> list[Piece]:
    """The pieces of the lines from `first` on.

    Args:
        found: the structure of these lines.
        related: whether two pieces are of one topic, asked for those under different headings of the first
            level.
        title: the title of the file from elsewhere; with it all headings are of its topic.
    """
    top: list[Section] = []
    open_: list[Section] = []
    headings = found.headings
    preamble = Piece(first, (headings[0].line if headings else len(lines) + 1) - 1, 0, ((),))
    for number, heading in enumerate(headings):
        last = headings[number + 1].line - 1 if number + 1 < len(headings) else len(lines)
        while open_ and open_[-1].level >= heading.level:
            open_.pop()
        path = (*(open_[-1].piece.heads[0] if open_ else ()), heading.title)
        section = Section(
            Piece(heading.line, last, lines.weight(heading.line, last), (path,)),
            heading.level,
            [],
            lines.trimmed(heading.end_line + 1, last)[0] > last,
        )
        (open_[-1].below if open_ else top).append(section)
        open_.append(section)
    chapters = title is None and sum(section.level == 1 for section in top) > 1
    out = _cut(lines, preamble._replace(weight=lines.weight(preamble.first, preamble.last)), found)
    for section in top:
        out += _collected(lines, section, found)
    return merge(out, lambda one, other: _alike(one, other) and (not chapters or related(one, other)))


def _collected(lines: Lines, section: Section, found: Structure) -> list[Piece]:
    """A section with those below it, from the innermost out.

    Headings have six levels, so this goes no deeper.
    """
    own = _cut(lines, section.piece, found)
    for inner in section.below:
        parts = _collected(lines, inner, found)
        if section.bare and own == [section.piece]:
            parts[0], own = joined(section.piece, parts[0]), []
        own += parts
    return merge(own, _alike)


def _alike(one: Piece, other: Piece) -> bool:
    """Whether both or none of two pieces are such as nobody records: credits stay apart from what is before them."""
    return bool(_dull(one)) == bool(_dull(other))


def _dull(piece: Piece) -> str:
    return next(
        (kind for head in piece.heads[:MAX_HEADS] for part in head if (kind := kind_of_title(part))), ""
    )


def _begins_table(lines: Lines, number: int, last: int) -> bool:
    """Whether a line is the head of a table."""
    return number < last and "|" in lines[number] and _DELIMITER.match(lines[number + 1]) is not None


def _cut(lines: Lines, piece: Piece, found: Structure) -> list[Piece]:
    """A piece of no more than one heading in parts: between blocks, else between list items, else after
    sentences.
    """
    if piece.first > piece.last:
        return []
    if piece.tokens <= LARGE_TOKENS:
        return [piece]
    begins, _ = lines.trimmed(piece.first + 1, piece.last)
    if begins <= piece.last and not lines[begins].strip("=- \t"):
        begins, _ = lines.trimmed(begins + 1, piece.last)  # after the line under a heading
    after_blank: list[int] = []
    items: list[int] = []
    sentences: list[int] = []
    for number in range(piece.first + 1, piece.last + 1):
        line = lines[number]
        if number in found.hidden or not line or line[0] in " \t":
            continue
        if number == begins and piece.heads[0]:
            continue  # a heading stays with what is under it
        before = lines[number - 1]
        if _begins_table(lines, number, piece.last):
            continue  # a table stays with what introduces it
        if not before.strip():
            if number - 2 >= piece.first and lines[number - 2].rstrip().endswith(_INTRODUCES):
                items.append(number)  # as does a list, as long as there are other places
            else:
                after_blank.append(number)
        elif _ITEM.match(line):
            items.append(number)
        elif before.rstrip().endswith(_SENTENCE_END) and line[0] not in "|>":
            sentences.append(number)
    return split(lines, piece, (after_blank, items, sentences))
