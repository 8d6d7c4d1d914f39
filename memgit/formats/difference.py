"""The part in which two versions of an entry file differ, cut where sections begin.

An entry file may hold hundreds of records, and most commits change one of them. What stands before and after the sections that differ
holds the same records in both versions, so a comparison need not read it.
"""

from __future__ import annotations

import re

from memgit.formats.blocks import outline
from memgit.formats.text import MAX_BYTES

_TAG = re.compile(r"(?:\A|\n) {0,3}<")
_BLOCK_END = re.compile(r"\n---[ \t]*\r?\n")
_HEADING = "\n## "
_MARKERS = ("\0", "<<<<<<<", ">>>>>>>")


def differing(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Two entry files without the sections at their beginning and end that are the same in both.

    Whole files come back where a part would not read alone as it reads in its file: bytes that are no text, an open code fence or
    comment, conflict markers, a difference in the frontmatter.
    """
    if max(len(old), len(new)) > MAX_BYTES:
        return old, new
    try:
        before, after = old.decode(), new.decode()
    except UnicodeDecodeError:
        return old, new
    if any(mark in before or mark in after for mark in _MARKERS):
        return old, new
    first = before.rfind(_HEADING, 0, _common(before, after)) + 1
    if first and not _settled(before[:first]):
        return old, new
    if before.startswith(("---", "\ufeff")) or after.startswith(("---", "\ufeff")):
        end = _BLOCK_END.search(before, 0, first)
        if end is None:
            return old, new
    before, after = before[first:], after[first:]
    same = _common(before[::-1], after[::-1])
    start = before.find(_HEADING, len(before) - same) + 1
    tail = len(before) - start if start else 0
    before, rest = before[: len(before) - tail], after[: len(after) - tail]
    if tail and not (_settled(before) and _settled(rest)):
        rest = after
        before = old.decode()[first:]
    return before.encode(), rest.encode()


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
