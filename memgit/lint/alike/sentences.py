"""The sentences of a record that may give advice: plain text, without code, labels and history."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

LANGUAGE_SAMPLE_CHARACTERS = 1_000
"""So many characters of a record tell its language."""


MAX_SENTENCE = 400


_COMMON = frozenset(
    """the a an to of and is are in for it that with you not be on this or use if when by from as at can will do does has have
    must should never always only no your we they its which""".split()
)
"""Words of which English text has one in eight."""


ENGLISH, JUDGED = 0.06, 12
"""A text of so many words has at least that share of them; a shorter one has no letters of other scripts."""


_FOREIGN = re.compile(r"[^\W\d_a-zA-Z]")


_FENCE = re.compile(r"[ \t]*(?:[-+*][ \t]+|\d+[.)][ \t]+)*(`{3,}|~{3,})")


_ITEM = re.compile(r"[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")


_LABEL = re.compile(r"\*\*(?:Context|Best Practices?|Solution|Lesson)(?::\*\*|\*\*:)[ \t]*", re.IGNORECASE)


_OTHER_LABEL = re.compile(r"\*\*[^*\n]{1,40}:\*\*")


_OLD = re.compile(r"#{2,3}[ \t]+(?:History\b|Previous Version\b|Rejected\b|Alternatives?\b)", re.IGNORECASE)


_HEAD = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]")


_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[`*]*[A-Z0-9`])|;\s+|\n")


PLAIN_WORD = re.compile(r"[a-z]+(?:['’-][a-z]+)*")


def is_english(text: str) -> bool:
    """Whether a text is in English, as far as its commonest words and its letters tell."""
    words = PLAIN_WORD.findall(text[:LANGUAGE_SAMPLE_CHARACTERS].lower())
    foreign = len(_FOREIGN.findall(text[:LANGUAGE_SAMPLE_CHARACTERS]))
    if foreign * 20 > sum(map(len, words)):
        return False
    return len(words) < JUDGED or sum(word in _COMMON for word in words) >= ENGLISH * len(words)


def sentences(lines: list[str], start: int, end: int) -> Iterator[tuple[int, str]]:
    """The sentences of the lines from `start` to `end` (from 1, both included) with the line on which each
    begins.

    Code, headings, tables, quotes and sections that keep earlier versions are left out; a list item is a
    sentence of its own.
    """
    fence = ""
    unit: list[tuple[int, str]] = []
    old = 0
    for number in range(start, min(end, len(lines)) + 1):
        line = lines[number - 1]
        stripped = line.strip()
        opening = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            if opening is not None and opening[1].startswith(fence):
                fence = ""
            continue
        if opening is not None:
            yield from _split(unit)
            unit = []
            fence = opening[1]
            continue
        head = _HEAD.match(line) if stripped.startswith("#") else None
        if head is not None:
            yield from _split(unit)
            unit = []
            if _OLD.match(stripped):
                old = len(head[1])
            elif old and len(head[1]) <= old:
                old = 0
            continue
        if (
            old
            or not stripped
            or stripped[0] in "|><"
            or (line.startswith(("    ", "\t")) and not _ITEM.match(line))
        ):
            yield from _split(unit)
            unit = []
            continue
        item = _ITEM.match(line)
        if item is not None or stripped.startswith("**"):
            yield from _split(unit)
            unit = []
            stripped = line[item.end() :].strip() if item is not None else stripped
            label = _LABEL.match(stripped)
            if label is not None:
                stripped = stripped[label.end() :]
            elif item is None and _OTHER_LABEL.match(stripped):
                continue
        if stripped:
            unit.append((number, stripped))
    yield from _split(unit)


def _split(unit: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The sentences of one paragraph or list item."""
    if not unit:
        return
    if len(unit) == 1 and not _END.search(unit[0][1]):
        yield unit[0]
        return
    text = " ".join(line for _, line in unit)
    starts = []
    place = 0
    for _, line in unit:
        starts.append(place)
        place += len(line) + 1
    position = 0
    for match in [*_END.finditer(text), None]:
        stop = match.start() if match is not None else len(text)
        sentence = text[position:stop].strip()
        if sentence:
            yield unit[bisect_right(starts, position) - 1][0], sentence
        position = match.end() if match is not None else stop
