"""The difference between two texts in words: lines are compared first, then the words of those that differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from memgit.formats.merging.linediff import matching

SAME, GONE, NEW = " ", "-", "+"

MAX_TOKENS = 40_000
"""Words of one stretch beyond which whole lines are given as gone and new."""
ALIKE = 0.25
"""The share of the words of two stretches that must be the same for them to be one text that was edited."""
CONTEXT = 60
"""Characters of unchanged text that are shown on either side of a change."""

_TOKEN = re.compile(
    r"\s+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\w\s]"
)


class Piece(NamedTuple):
    """A stretch of text: on both sides (` `), only before (`-`), or only after (`+`)."""

    side: str
    text: str


Pieces: TypeAlias = tuple[Piece, ...]


def difference(old: str, new: str) -> Pieces:
    """The pieces that two texts are made of, in order; empty where they are equal.

    The pieces that are not new make up the old text, those that are not gone the new one.
    """
    if old == new:
        return ()
    return tuple(_joined(_by_lines(_lines(old), _lines(new))))


def differing_lines(old: str, new: str) -> Pieces:
    """The whole lines that differ between two texts, each change with a line of what stands around it; `…` takes
    the place of the rest.
    """
    before, after = _lines(old), _lines(new)
    out: list[Piece] = []
    left = right = 0
    for i, j, size in [*matching(before, after), (len(before), len(after), 0)]:
        out += _replaced("".join(before[left:i]), "".join(after[right:j]))
        same = before[i : i + size]
        head, tail = (
            same[:1] if out else [],
            same[-1:] if i + size < len(before) or j + size < len(after) else [],
        )
        if len(head) + len(tail) < size:
            same = [*head, "…\n", *tail]
        if same:
            out.append(Piece(SAME, "".join(same)))
        left, right = i + size, j + size
    return tuple(out)


def _lines(text: str) -> list[str]:
    return [line + "\n" for line in text.split("\n")[:-1]] + (
        [last] if (last := text.rpartition("\n")[2]) else []
    )


def _by_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[Piece]:
    left = right = 0
    for i, j, size in [*matching(old, new), (len(old), len(new), 0)]:
        if i > left or j > right:
            yield from _by_words("".join(old[left:i]), "".join(new[right:j]))
        if size:
            yield Piece(SAME, "".join(old[i : i + size]))
        left, right = i + size, j + size


def _by_words(old: str, new: str) -> Iterator[Piece]:
    one, other = _TOKEN.findall(old), _TOKEN.findall(new)
    if not one or not other or len(one) + len(other) > MAX_TOKENS:
        yield from _replaced(old, new)
        return
    blocks = matching(one, other)
    kept = sum(len(token) for i, _, size in blocks for token in one[i : i + size] if _says(token))
    whole = max(sum(len(token) for token in tokens if _says(token)) for tokens in (one, other))
    if kept < ALIKE * whole:
        yield from _replaced(old, new)
        return
    left = right = 0
    held: list[Piece] = []
    for i, j, size in [*blocks, (len(one), len(other), 0)]:
        held += _replaced("".join(one[left:i]), "".join(other[right:j]))
        if size:
            held.append(Piece(SAME, "".join(one[i : i + size])))
        left, right = i + size, j + size
    yield from _without_crumbs(held)


def _says(token: str) -> bool:
    return token[0].isalnum()


def _replaced(old: str, new: str) -> Iterator[Piece]:
    if old:
        yield Piece(GONE, old)
    if new:
        yield Piece(NEW, new)


def _without_crumbs(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """The pieces with blanks and commas that stand alone between two changes taken into them, so that a
    sentence reads as one change.
    """
    gone: list[str] = []
    new: list[str] = []
    for number, piece in enumerate(pieces):
        crumb = (
            piece.side == SAME and "\n" not in piece.text and not any(char.isalnum() for char in piece.text)
        )
        if crumb and gone and new and number + 1 < len(pieces):
            gone.append(piece.text)
            new.append(piece.text)
        elif piece.side == SAME:
            yield from _replaced("".join(gone), "".join(new))
            gone, new = [], []
            yield piece
        else:
            (gone if piece.side == GONE else new).append(piece.text)
    yield from _replaced("".join(gone), "".join(new))


def _joined(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Neighbours of one side as one piece."""
    held: list[Piece] = []
    for piece in pieces:
        if held and held[-1].side == piece.side:
            held[-1] = Piece(piece.side, held[-1].text + piece.text)
        else:
            yield from held
            held = [piece]
    yield from held


def shown(pieces: Sequence[Piece], context: int = CONTEXT) -> Pieces:
    """The pieces with long unchanged stretches cut to what stands beside a change; `…` takes the place of the
    rest.
    """
    last = len(pieces) - 1
    return tuple(
        Piece(side, _shortened(text, number == 0, number == last, context) if side == SAME else text)
        for number, (side, text) in enumerate(pieces)
    )


def _shortened(text: str, first: bool, last: bool, context: int) -> str:
    head = "" if first else _cut(text, context)
    tail = "" if last else _cut(text[::-1], context)[::-1]
    if len(head) + len(tail) + 2 >= len(text):
        return text
    return f"{head}\n…\n{tail}".strip("\n" if first or last else "") if "\n" in text else f"{head}…{tail}"


def _cut(text: str, width: int) -> str:
    """The beginning of a text, up to the end of a word or line."""
    if len(text) <= width:
        return text
    head = text[:width]
    end = max(head.rfind("\n"), head.rfind(" "))
    return head[:end] if end > 0 else head


def counted(pieces: Sequence[Piece]) -> tuple[int, int]:
    """How many words are new, and how many are gone."""
    found = [
        sum(_says(token) for token in _TOKEN.findall(text)) * (1 if side == NEW else -1)
        for side, text in pieces
        if side != SAME
    ]
    return sum(count for count in found if count > 0), -sum(count for count in found if count < 0)
