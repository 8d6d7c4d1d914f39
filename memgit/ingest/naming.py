"""Titles and bodies of the segments of Markdown and prose."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, Protocol

from memgit.formats.mem_skill.titles import one_line
from memgit.ingest.boilerplate import is_lead
from memgit.ingest.cuts.lines import Lines
from memgit.ingest.cuts.markdown import Structure
from memgit.ingest.cuts.prose import TERM
from memgit.ingest.cuts.size_limits import Piece
from memgit.ingest.keywords import MACHINE_MADE, summary_of
from memgit.ingest.plain import MAX_LINE, plain, shortened

UNTITLED = "Text"
MAX_TITLE = 100
MAX_NAMED = 6
"""Headings that a title names."""
SENTENCE = 70
"""Characters of a sentence that is a title."""
_MORE = " (and {} more)"
MIN_ID = 12
"""Characters of a heading that is an id."""
_LEAD = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)([^*_\n]{3,60}?)[.:]?(?:\*\*|__)[.:]?(?=\s|$)")
"""Bold words that a paragraph begins with: its heading in all but form."""


class Part(NamedTuple):
    """One segment in words: its title, the titles above it, its body.

    `documented` is None for text, else whether the code says what it is for. `dull` says why nobody records it, `day` when
    it was said.
    """

    title: str
    context: tuple[str, ...]
    body: str
    documented: bool | None = None
    dull: str = ""
    day: str = ""


class Namer(Protocol):
    """Says what a piece of one file is."""

    def of(self, piece: Piece, only: bool) -> Part:
        """`only` says that it is the whole file."""


class MarkdownNamer:
    """Names pieces by their headings."""

    def __init__(
        self, lines: Lines, found: Structure, title: str, spelled: Callable[[str], str] = str
    ) -> None:
        self._lines, self._spelled = lines, spelled
        self._headings = {heading.line: heading for heading in found.headings}
        self._title = title
        self._first = True

    def of(self, piece: Piece, only: bool) -> Part:
        line = piece.first
        while line < piece.last and line not in self._headings and is_lead(self._lines[line]):
            line += 1
        if line in self._headings:
            piece = piece._replace(first=line)
        first = self._headings.get(piece.first)
        heads = [head for head in dict.fromkeys(piece.heads) if head and not _is_id(head[-1])]
        while not only and first is not None and len(heads) > 1 and len(_common(heads[1:])) > len(heads[0]):
            # A heading with nothing of its own: the one under it says what this is about.
            line, _ = self._lines.trimmed(first.end_line + 1, piece.last)
            if line not in self._headings:
                break
            first, heads = self._headings[line], heads[1:]
            piece = piece._replace(first=line)
        title, context = self._named(piece, heads, only)
        self._first = False
        leading = first is not None and (len(heads) == 1 or clean(first.title) in (title, self._title))
        start = first.end_line + 1 if leading and first is not None else piece.first
        return Part(title, context, self._spelled(self._lines.text(start, piece.last)))

    def _named(self, piece: Piece, heads: list[tuple[str, ...]], only: bool) -> tuple[str, tuple[str, ...]]:
        if only or not heads:
            name = (self._title if only or self._first else "") or self._sentence(piece)
            return name, () if only or name == self._title or not self._title else (self._title,)
        shared = _common(heads)
        below = [head[len(shared) :] for head in heads if len(head) > len(shared)]
        if not below or heads[0] == shared:
            path = shared or heads[0]
        elif len(shared) > 1 or (shared and clean(shared[0]) != self._title):
            path = (*shared[:-1], self._listed(below, clean(shared[-1])))
        elif not shared and len(heads) > 2 and self._first and self._title:
            path = (self._title,)
        else:
            path = (*shared, self._listed(below))
        name = clean(path[-1]) or self._title or self._sentence(piece)
        if name == self._title and below and heads[0] != path:
            # Several sections of the whole document: it is about the first ones of them.
            name = self._listed([head[len(path) :] for head in heads if len(head) > len(path)]) or name
        above = tuple(text for part in path[:-1] if (text := clean(part)))
        if self._title and self._title not in above and self._title != name:
            above = (self._title, *above)
        return name, above

    def _listed(self, heads: list[tuple[str, ...]], under: str = "") -> str:
        """Several headings as one title, with the heading that they stand under where there is room: all of
        them, else the first ones and how many more. What stands under a heading of them goes without saying.

        Args:
            heads: their paths from the one that they stand under.
        """
        seen: set[tuple[str, ...]] = set()
        for head in heads:
            if not any(head[:size] in seen for size in range(1, len(head))):
                seen.add(head)
        own = self._title.casefold()
        said = (clean(head[-1]) for head in heads if head in seen)
        names = list(dict.fromkeys(text for text in said if text and text.casefold() != own))
        room = MAX_TITLE - min(len(self._title) + 2, MAX_TITLE // 2)
        lead = f"{under}: " if under else ""
        for name in (lead + "; ".join(names), "; ".join(names)):
            if len(names) <= MAX_NAMED and len(name) <= room:
                return name
        more = _MORE.format(len(names) - 1)
        if len(lead + names[0] + more) > room:
            lead = ""
        kept = names[:1]
        while len(lead + "; ".join(names[: len(kept) + 1]) + more) <= room:
            kept = names[: len(kept) + 1]
        left = len(names) - len(kept)
        return lead + "; ".join(kept) + (_MORE.format(left) if left else "")

    def _sentence(self, piece: Piece) -> str:
        """What a piece without a heading begins with: bold words, else its first sentence."""
        told = (TERM.match(self._lines[number]) for number in range(piece.first, piece.last + 1))
        terms: list[tuple[str, ...]] = [(clean(match["term"]),) for match in told if match is not None]
        if len(terms) > 1 and TERM.match(self._lines[piece.first]):
            return self._listed(terms)
        text = self._lines.text(piece.first, min(piece.last, piece.first + 20))
        lead = _LEAD.match(text)
        if lead is not None:
            return clean(lead[1])
        return shortened(summary_of(text, MAX_LINE), SENTENCE) or self._title or UNTITLED


def _is_id(title: str) -> bool:
    """Whether a heading is an id that a machine made."""
    return MACHINE_MADE.fullmatch(title.strip().casefold()) is not None and len(title) > MIN_ID


def _common(paths: list[tuple[str, ...]]) -> tuple[str, ...]:
    shared = paths[0]
    for path in paths[1:]:
        size = 0
        for one, other in zip(shared, path, strict=False):
            if one != other:
                break
            size += 1
        shared = shared[:size]
    return shared


def clean(text: str) -> str:
    """A title as plain text on one line, not endless."""
    return shortened(plain(one_line(text)), MAX_TITLE)
