"""Credentials in what a review shows, masked: a comment or a log that quotes one carries it further than the
repository does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memgit.lint.secrets import placeholder, spans, suspect
from memgit.model.record import Value
from memgit.review.words import GONE, NEW, Piece, Pieces


def masked(text: str) -> str:
    """A text with a placeholder in the place of each credential."""
    return _replaced(text, spans(text)) if suspect(text) else text


def masked_value(value: Value) -> Value:
    """The same for a field."""
    if value is None:
        return None
    return masked(value) if isinstance(value, str) else tuple(masked(part) for part in value)


def masked_pieces(pieces: Pieces) -> Pieces:
    """The same for a difference: what is a credential before or after the change, be it in several pieces."""
    cuts: list[list[tuple[int, int, str]]] = [[] for _ in pieces]
    for left_out in (NEW, GONE):
        numbers = [number for number, piece in enumerate(pieces) if piece.side != left_out]
        text = "".join(pieces[number].text for number in numbers)
        if not suspect(text):
            continue
        found = spans(text)
        start = 0
        for number in numbers:
            end = start + len(pieces[number].text)
            cuts[number] += [
                (max(a, start) - start, min(b, end) - start, kind)
                for a, b, kind in found
                if a < end and b > start
            ]
            start = end
    return tuple(
        Piece(side, _replaced(text, _apart(cut))) for (side, text), cut in zip(pieces, cuts, strict=True)
    )


def _apart(cuts: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Stretches in order, those that overlap joined."""
    out: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(cuts):
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]), out[-1][2])
        else:
            out.append((start, end, kind))
    return out


def _replaced(text: str, cuts: Sequence[tuple[int, int, str]]) -> str:
    for start, end, kind in reversed(cuts):
        text = text[:start] + placeholder(kind) + text[end:]
    return text
