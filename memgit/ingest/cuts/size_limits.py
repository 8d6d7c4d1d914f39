"""The bands that a segment's size should lie in, and how pieces are merged and split to come there.

A piece under `SMALL_TOKENS` joins its neighbour of the same topic, and one over `LARGE_TOKENS` is split again.
One that cannot be split (a single line, code fence or paragraph) stays whole, however large it is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from memgit.ingest.cuts.lines import Lines, cut
from memgit.model.tokens import of_half_words

WHOLE = 500
"""Tokens under which a file is one segment."""
SMALL_TOKENS = 100
GOOD_TOKENS = 200
FULL_TOKENS = 500
LARGE_TOKENS = 800


class Piece(NamedTuple):
    """A stretch of lines on its way to become a segment.

    `weight` are its half words (see `model.tokens`). `heads` are the titles of what it is made of, each as a
    path of titles from the outermost on: headings of Markdown, names of definitions; the first is that of its
    first line. `part` counts the parts of something that was split, from 0.
    """

    first: int
    last: int
    weight: int
    heads: tuple[tuple[str, ...], ...]
    part: int = 0

    @property
    def tokens(self) -> int:
        return of_half_words(self.weight)


Related = Callable[[Piece, Piece], bool]


def any_two(one: Piece, other: Piece) -> bool:
    return True


def merge(pieces: Iterable[Piece], related: Related = any_two) -> list[Piece]:
    """The pieces with each small one merged into a neighbour, where the two are related and do not grow too
    large together.

    First small neighbours gather until the group is of a good size; then what is small still joins whoever
    has room for it. In the end no small piece stands beside a related one that has.
    """
    return _merged(_merged(pieces, related, FULL_TOKENS, GOOD_TOKENS), related, LARGE_TOKENS, LARGE_TOKENS)


def _merged(pieces: Iterable[Piece], related: Related, most: int, enough: int) -> list[Piece]:
    out: list[Piece] = []
    for piece in pieces:
        last = out[-1] if out else None
        if (
            last is not None
            and (last.tokens < SMALL_TOKENS or piece.tokens < SMALL_TOKENS)
            and last.tokens < enough
            and of_half_words(last.weight + piece.weight) <= most
            and related(last, piece)
        ):
            out[-1] = joined(last, piece)
        else:
            out.append(piece)
    return out


def joined(one: Piece, other: Piece) -> Piece:
    """Two neighbours as one."""
    heads = one.heads + tuple(head for head in other.heads if head != one.heads[-1])
    return Piece(one.first, other.last, one.weight + other.weight, heads, min(one.part, other.part))


def split(lines: Lines, piece: Piece, tiers: Sequence[Iterable[int]]) -> list[Piece]:
    """A piece that is too large in parts of a good size, cut at the first lines that `tiers` name: those of a
    later tier only inside what is too large still.
    """
    if piece.tokens <= LARGE_TOKENS:
        return [piece]
    atoms = [(piece.first, piece.last)]
    for tier in tiers:
        starts = sorted(tier)
        out: list[tuple[int, int]] = []
        for first, last in atoms:
            out += (
                [(first, last)]
                if lines.tokens(first, last) <= LARGE_TOKENS
                else cut(first, last, _inside(starts, first, last))
            )
        atoms = out
    parts: list[Piece] = []
    for first, last in atoms:
        part = Piece(first, last, lines.weight(first, last), piece.heads)
        grown = of_half_words(parts[-1].weight + part.weight) if parts else 0
        if parts and (grown < FULL_TOKENS or (parts[-1].tokens < GOOD_TOKENS and grown < LARGE_TOKENS)):
            parts[-1] = joined(parts[-1], part)
        else:
            parts.append(part)
    return [part._replace(part=number) for number, part in enumerate(merge(parts))]


def _inside(starts: Sequence[int], first: int, last: int) -> Sequence[int]:
    return starts[bisect_right(starts, first) : bisect_left(starts, last + 1)]
