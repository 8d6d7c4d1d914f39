"""Three-way merge of lines, and the markers around what conflicts.

What git merges cleanly comes out the same. Where both sides changed the same lines, only what differs between
them stands between markers. A merge with conflicts never loses a line that both sides have: where lines that
stand several times would make it vanish, the texts are compared without their base.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from merge3 import Merge3

from memgit.formats.merging.linediff import matching

MIN_COMMON_LINES = 3
"""Common lines between two conflicts that are too few to keep them apart, as in git."""


class Markers:
    """The markers of one merge, and what they are about.

    While a merge is being put together, the line that opens a conflict carries its number after a NUL, which
    no text can hold; `settle` takes the numbers off again and tells the lines.
    """

    def __init__(self, ours: str, theirs: str, end: str = "") -> None:
        self.ours = ours
        self.theirs = theirs
        self._end = end
        self._about: list[tuple[str | None, str]] = []

    def around(
        self, ours: Sequence[str], theirs: Sequence[str], address: str | None, message: str
    ) -> list[str]:
        """Two versions between markers."""
        self._about.append((address, message))
        end = self._end
        return [
            f"<<<<<<< {self.ours}{end}\0{len(self._about) - 1}",
            *ours,
            f"======={end}",
            *theirs,
            f">>>>>>> {self.theirs}{end}",
        ]

    def settle(self, lines: list[str]) -> list[tuple[int, str | None, str]]:
        """Line, address and message of every conflict in a merged text, whose lines are made ready."""
        out: list[tuple[int, str | None, str]] = []
        for number, line in enumerate(lines):
            if "\0" in line:
                lines[number], _, index = line.partition("\0")
                out.append((number + 1, *self._about[int(index)]))
        return out


class _Matcher:
    """What merge3 asks about two lists of lines."""

    def __init__(
        self, isjunk: object = None, a: Sequence[str] = "", b: Sequence[str] = "", autojunk: bool = True
    ) -> None:
        self._a, self._b = a, b

    def get_matching_blocks(self) -> list[tuple[int, int, int]]:
        return [*matching(self._a, self._b), (len(self._a), len(self._b), 0)]


Around = Callable[[Sequence[str], Sequence[str]], list[str]]


def merge_lines(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str], around: Around
) -> tuple[list[str], bool]:
    """The merged lines, and whether nothing conflicted. `around` puts two versions between markers."""
    out: list[str] = []
    clean = True
    for group in Merge3(base, ours, theirs, sequence_matcher=_Matcher).merge_groups():
        if group[0] == "conflict":
            clean = False
            out += between(group[2], group[3], around)
        else:
            out += group[1]
    if not clean and lost(ours, theirs, out):
        return between(ours, theirs, around), False
    return out, clean


def lost(ours: Sequence[str], theirs: Sequence[str], merged: Sequence[str]) -> bool:
    """Whether a merge left out a line that both sides have; blank lines do not count."""
    there = set(merged)
    theirs_too = set(theirs)
    return any(line not in there and line in theirs_too and line.strip() for line in ours)


def between(ours: Sequence[str], theirs: Sequence[str], around: Around) -> list[str]:
    """Two versions without a base: what they have in common, and what differs between markers."""
    out: list[str] = []
    left = right = 0  # up to here everything is written
    for i, j, n in [*matching(ours, theirs), (len(ours), len(theirs), 0)]:
        first = i == j == 0
        last = i + n == len(ours) and j + n == len(theirs)
        if n <= MIN_COMMON_LINES and not first and not last:
            continue
        if i > left or j > right:
            out += around(ours[left:i], theirs[right:j])
        out += ours[i : i + n]
        left, right = i + n, j + n
    return out
