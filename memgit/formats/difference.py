"""The part in which two versions of an entry file differ, cut where sections begin.

An entry file may hold hundreds of records, and most commits change one of them. What stands before and after the sections that differ
holds the same records in both versions, so a comparison need not read it.
"""

from __future__ import annotations

from memgit.formats.blocks import outline
from memgit.formats.text import MAX_BYTES
from memgit.model.pattern import pattern

_TAG = pattern(r"(?:\A|\n) {0,3}<")
_BLOCK_END = pattern(r"\n---[ \t]*\r?\n")
_HEADING = "\n## "
TRIES = 4
"""Headings that may turn out to stand inside a code fence before a whole file is read instead."""
_MARKERS = ("\0", "\ufeff", "<<<<<<<", ">>>>>>>")


def differing(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Two entry files without the sections at their beginning and end that are the same in both.

    Whole files come back where a part would not read alone as it reads in its file: bytes that are no text, a byte order mark, an open
    code fence or comment, conflict markers, a difference in the frontmatter.
    """
    if max(len(old), len(new)) > MAX_BYTES:
        return old, new
    try:
        before, after = old.decode(), new.decode()
    except UnicodeDecodeError:
        return old, new
    for mark in _MARKERS:
        if mark in before or mark in after:
            return old, new
    same = _common(before, after)
    first = _first(before, same)
    if before.startswith("---") or after.startswith("---"):
        end = _BLOCK_END.search(before, 0, first)
        if end is None:
            return old, new
    if not before[same:].strip():
        # Sections were only appended, as `record` does it: what is there already need not be read at all.
        start = len(after) - len(after[same:].lstrip())
        if start > first and after.startswith(_HEADING, start - 1) and _settled(after[:start]):
            return b"", after[start:].encode()
    before, after = before[first:], after[first:]
    tail = _tail(before, after, _common(before[::-1], after[::-1]))
    return before[: len(before) - tail].encode(), after[: len(after) - tail].encode()


def _first(text: str, same: int) -> int:
    """The last place up to which two texts are the same and a section begins, 0 for none."""
    place = same
    for _ in range(TRIES):
        place = text.rfind(_HEADING, 0, place)
        if place < 0:
            return 0
        if _settled(text[: place + 1]):
            return place + 1
        place += 1
    return 0


def _tail(one: str, two: str, same: int) -> int:
    """The length of the longest end, of at most so many characters, that two texts share and that begins with a section."""
    place = len(one) - same
    for _ in range(TRIES):
        place = one.find(_HEADING, place)
        if place < 0:
            return 0
        length = len(one) - place - 1
        if _settled(one[: len(one) - length]) and _settled(two[: len(two) - length]):
            return length
        place += 1
    return 0


def _common(one: str, two: str) -> int:
    """How many characters two texts have in common at their beginning."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == two[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _settled(text: str) -> bool:
    """Whether no code fence, comment or other HTML is still open at the end of a text, so that a heading may follow."""
    if "```" not in text and "~~~" not in text and ("<" not in text or _TAG.search(text) is None):
        return True
    found = outline(text, setext=False)
    return found.unclosed is None and not (found.hidden and found.hidden[-1].weak and found.hidden[-1].end >= len(text))
