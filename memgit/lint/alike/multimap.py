"""A table of many numbers under many keys, in little room: what joins and lookups of what is alike are made
of.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

MAX_PER_KEY = 24
"""A key that more numbers than this stand under, such as a title or run of words, says nothing about which of
them are alike.
"""


class Keyed:
    """Numbers, each under some keys: what stands under one key together is what may be alike.

    A key and a number are one whole of 64 bits. Nearly every key stands over one number alone; sorted,
    millions of them take a tenth of the room of a table of lists. Keys lose bits, so that now and then two
    are one: then strangers are in a group, and callers compare.

    Args:
        count: numbers are less than this.
    """

    def __init__(self, count: int) -> None:
        self._shift = max(1, count.bit_length())
        self._modulus = 1 << (64 - self._shift)
        self._rows = array("Q")

    def add(self, keys: Iterable[int], number: int) -> None:
        """Puts a number under some keys, which may be as large as they like."""
        shift, modulus = self._shift, self._modulus
        self._rows.extend([key % modulus << shift | number for key in keys])

    def groups(self) -> Iterator[tuple[int, list[int]]]:
        """Every key of more than one number, as `cut` makes it, with its numbers in order."""
        shift, mask = self._shift, (1 << self._shift) - 1
        key, group = -1, [0]
        for row in sorted(self._rows):
            if row >> shift == key:
                group.append(row & mask)
            else:
                if len(group) > 1:
                    yield key, group
                key, group = row >> shift, [row & mask]
        if len(group) > 1:
            yield key, group

    def crowds(self) -> Iterator[tuple[int, list[int]]]:
        """The groups of at most `MAX_PER_KEY` numbers."""
        return ((key, group) for key, group in self.groups() if len(group) <= MAX_PER_KEY)

    def cut(self, key: int) -> int:
        """A key as `groups` gives it."""
        return key % self._modulus
