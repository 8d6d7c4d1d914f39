"""The lines of a text with what they weigh: the ground on which all splitting is done."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

from memgit.model.tokens import half_words, of_half_words


class Lines:
    """The lines of a text, counted from 1, without their ends:

    `\\n` and any `\\r` before it. A last line end makes no further line.
    """

    def __init__(self, text: str) -> None:
        parts = text.split("\n")
        if not parts[-1]:
            del parts[-1]
        self._lines = [part.rstrip("\r") for part in parts]
        self._weights = [0, *accumulate(half_words(line) for line in self._lines)]

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, number: int) -> str:
        return self._lines[number - 1]

    def text(self, first: int, last: int) -> str:
        """Some lines as one text, without a line end after the last."""
        return "\n".join(self._lines[first - 1 : last])

    def tokens(self, first: int, last: int) -> int:
        """The tokens of some lines."""
        return of_half_words(self.weight(first, last))

    def weight(self, first: int, last: int) -> int:
        """The half words of some lines; 0 where the last lies before the first."""
        return self._weights[last] - self._weights[first - 1] if first <= last else 0

    def blank(self, number: int) -> bool:
        return not self._lines[number - 1].strip()

    def trimmed(self, first: int, last: int) -> tuple[int, int]:
        """The lines of a stretch without blank ones at either end; the first lies behind the last where all
        are blank.
        """
        while first <= last and self.blank(first):
            first += 1
        while last >= first and self.blank(last):
            last -= 1
        return first, last


def cut(first: int, last: int, starts: Iterable[int]) -> list[tuple[int, int]]:
    """A stretch of lines cut before each of some lines that lie inside it, given in order."""
    out: list[tuple[int, int]] = []
    begin = first
    for start in starts:
        if begin < start <= last:
            out.append((begin, start - 1))
            begin = start
    if begin <= last:
        out.append((begin, last))
    return out
