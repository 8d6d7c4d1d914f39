"""Which line a place in a text is on, for texts with many places: counting from the start each time would
take their product.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property


class Lines:
    """The line ends of a text, found when they are first asked for."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _ends(self) -> list[int]:
        ends = []
        place = self._text.find("\n")
        while place >= 0:
            ends.append(place)
            place = self._text.find("\n", place + 1)
        return ends

    def of(self, place: int) -> int:
        """The line of a place in characters, counted from 1."""
        return bisect_left(self._ends, place) + 1

    def start(self, line: int) -> int | None:
        """The place at which a line starts; None where the text has fewer."""
        if line <= 1:
            return 0
        return self._ends[line - 2] + 1 if line - 2 < len(self._ends) else None
