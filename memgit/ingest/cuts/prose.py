"""Prose in pieces: paragraphs, neighbours grouped while they speak of the same things."""

from __future__ import annotations

import re

from memgit.ingest.cuts.lines import Lines, cut
from memgit.ingest.cuts.size_limits import (
    FULL_TOKENS,
    LARGE_TOKENS,
    SMALL_TOKENS,
    Piece,
    joined,
    merge,
    split,
)
from memgit.model.terms import key_terms
from memgit.model.tokens import of_half_words

SAME_TOPIC = 0.4
"""The share of key terms above which two paragraphs speak of the same things."""
MIN_TERMS = 3
"""Terms of a list of definitions."""
TERM = re.compile(r"\*\*(?P<term>[^*\n]{1,60})\*\*:\s")
"""A term that its definition follows."""
_END = re.compile(r"[.!?。！？](?:[\"')\]]*)(?:\s|$)")


def pieces(lines: Lines, first: int, hidden: frozenset[int] = frozenset()) -> list[Piece]:
    """The pieces of the lines from `first` on; a line of `hidden` begins no paragraph."""
    groups: list[Piece] = []
    terms: list[set[str]] = []
    for start, end in _paragraphs(lines, first, hidden):
        whole = Piece(start, end, lines.weight(start, end), ((),))
        for piece in _parts(lines, whole, hidden):
            own = terms_of(lines.text(piece.first, piece.last))
            together = groups and of_half_words(groups[-1].weight + piece.weight) <= FULL_TOKENS
            if together and (
                shared(terms[-1], own) > SAME_TOPIC or _single(lines, piece) or _single(lines, groups[-1])
            ):
                groups[-1], terms[-1] = joined(groups[-1], piece), own
            else:
                groups.append(piece)
                terms.append(own)
    return merge(groups)


def _paragraphs(lines: Lines, first: int, hidden: frozenset[int]) -> list[tuple[int, int]]:
    """Stretches that begin after a blank line; the blank lines before one belong to it or, at the start, to
    the first.
    """
    starts = [
        number
        for number in range(first + 1, len(lines) + 1)
        if number not in hidden
        and not lines.blank(number)
        and lines.blank(number - 1)
        and lines[number][0] not in " \t"
    ]
    terms = [number for number in starts if TERM.match(lines[number])]
    if len(terms) >= MIN_TERMS:  # what stands between two terms belongs to the first of them
        starts = [number for number in starts if number <= terms[0] or number in terms]
    return cut(first, len(lines), starts)


def _parts(lines: Lines, piece: Piece, hidden: frozenset[int]) -> list[Piece]:
    """A paragraph that is too large, cut after sentences, else between any two lines."""
    if piece.tokens <= LARGE_TOKENS:
        return [piece]
    inside = [number for number in range(piece.first + 1, piece.last + 1) if number not in hidden]
    sentences = [
        number
        for number in inside
        if lines[number - 1].rstrip().endswith((".", "!", "?", ":", "。", "！", "？"))
    ]
    return [part._replace(part=0) for part in split(lines, piece, (sentences, inside))]


def _single(lines: Lines, piece: Piece) -> bool:
    """Whether a small piece is no more than one sentence."""
    if piece.tokens >= SMALL_TOKENS:
        return False
    text = lines.text(piece.first, piece.last)
    return len(_END.findall(text)) <= 1


def terms_of(text: str) -> set[str]:
    """The key terms that two texts are compared by."""
    return set(key_terms(text, 8, 4))


def shared(one: set[str], other: set[str]) -> float:
    """The share of the key terms of the smaller set that the other has too."""
    least = min(len(one), len(other))
    return len(one & other) / least if least else 0.0
