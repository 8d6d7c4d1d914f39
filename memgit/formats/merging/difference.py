"""The part in which two versions of an entry file differ, cut where sections begin.

An entry file may hold hundreds of records, and most commits change one of them. What stands before and after
the sections that differ holds the same records in both versions, so a comparison need not read it.
"""

from __future__ import annotations

from memgit.formats.blocks import outline
from memgit.formats.text import MAX_BYTES
from memgit.model.lazy_re import pattern

_TAG = pattern(rb"(?:\A|\n) {0,3}<")
_BLOCK_END = pattern(rb"\n---[ \t]*\r?\n")
_HEADING = b"\n## "
MAX_TRIES = 4
"""Headings that may turn out to stand inside a code fence before a whole file is read instead."""
_BOM = b"\xef\xbb\xbf"


class Version:
    """One version of an entry file; what is found out about it once serves all comparisons."""

    __slots__ = ("_known", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._known: tuple[bool, bool] | None = None

    def known(self) -> tuple[bool, bool]:
        """Whether it may be read in parts, and whether it is tame: no code fence, comment or other HTML can
        hide a heading in it.
        """
        if self._known is None:
            self._known = _may_be_cut(self.data), _tame(self.data)
        return self._known

    def begins(self, other: Version) -> bool:
        """Whether another version only goes on where this one ends.

        What makes that one easy to read is then known of this one as well.
        """
        if not other.data.startswith(self.data):
            return False
        following = other.data[len(self.data) : len(self.data) + 1]
        if self._known is None and other.known() == (True, True) and not b"\x80" <= following < b"\xc0":
            self._known = (True, True)
        return True


def parts(old: Version, new: Version) -> tuple[bytes, bytes]:
    """Two entry files without the sections at their beginning and end that are the same in both.

    Whole files come back where a part would not read alone as it reads in its file: bytes that are no text, a
    byte order mark, an open code fence or comment, conflict markers, a difference in the frontmatter.
    """
    before, after = old.data, new.data
    grown = old.begins(new)
    (fit, tame), (also_fit, also_tame) = old.known(), new.known()
    if not fit or not also_fit:
        return before, after
    same = len(before) if grown else _common(before, after)
    first = _first(before, same, tame)
    if before.startswith(b"---") or after.startswith(b"---"):
        end = _BLOCK_END.search(before, 0, first)
        if end is None:
            return before, after
    if grown or not before[same:].strip():
        # Sections were only appended, as `record` does it: what is there already need not be read at all.
        rest = after[same:].lstrip()
        start = len(after) - len(rest)
        if start > first and after.startswith(_HEADING, start - 1) and (also_tame or _settled(after[:start])):
            return b"", rest
    before, after = before[first:], after[first:]
    tail = _tail(before, after, _common_end(before, after), tame and also_tame)
    return before[: len(before) - tail], after[: len(after) - tail]


def _first(text: bytes, same: int, tame: bool) -> int:
    """The last place up to which two texts are the same and a section begins, 0 for none."""
    place = same
    for _ in range(MAX_TRIES):
        place = text.rfind(_HEADING, 0, place)
        if place < 0:
            return 0
        if tame or _settled(text[: place + 1]):
            return place + 1
        place += 1
    return 0


def _tail(one: bytes, two: bytes, same: int, tame: bool) -> int:
    """The length of the longest end, of at most so many bytes, that two texts share and that begins with a
    section.
    """
    place = len(one) - same
    for _ in range(MAX_TRIES):
        place = one.find(_HEADING, place)
        if place < 0:
            return 0
        length = len(one) - place - 1
        if tame or (_settled(one[: len(one) - length]) and _settled(two[: len(two) - length])):
            return length
        place += 1
    return 0


def _common(one: bytes, two: bytes) -> int:
    """How many bytes two texts have in common at their beginning."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == two[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(one: bytes, two: bytes) -> int:
    """How many bytes two texts have in common at their end."""
    end, other_end = len(one), len(two)
    low, high = 0, min(end, other_end)
    while low < high:
        middle = (low + high + 1) // 2
        if one[end - middle : end - low] == two[other_end - middle : other_end - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _may_be_cut(data: bytes) -> bool:
    """Whether bytes are text without anything that concerns a whole file."""
    if len(data) > MAX_BYTES or b"\0" in data or _BOM in data:
        return False
    if (b"<" in data and b"<<<<<<<" in data) or (b">" in data and b">>>>>>>" in data):
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _tame(data: bytes) -> bool:
    """Whether a text holds neither code fences nor HTML, so that a heading may follow anywhere in it."""
    # One letter is found much faster than three in a row.
    if (b"`" in data and b"```" in data) or (b"~" in data and b"~~~" in data):
        return False
    return b"<" not in data or _TAG.search(data) is None


def _settled(text: bytes) -> bool:
    """Whether no code fence, comment or other HTML is still open at the end of a text, so that a heading may
    follow.
    """
    if _tame(text):
        return True
    read = text.decode()
    found = outline(read, setext=False)
    return found.unclosed is None and not (
        found.hidden and found.hidden[-1].weak and found.hidden[-1].end >= len(read)
    )
