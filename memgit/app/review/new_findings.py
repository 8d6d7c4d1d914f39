"""Which findings a change brought, and which were there before it: matched by rule, record and words, never
by line alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from memgit.formats.merging.linediff import matching
from memgit.lint.rule import Finding
from memgit.lint.words import named
from memgit.model.change import Change
from memgit.model.record import Record

OF_LINES = frozenset(["MG001", "MG002", "MG104", "MG501", "MG502"])
"""Rules about the text of a line: what such a rule finds on a line that did not change, it found there
before.
"""
MEASURED = frozenset(["MG301", "MG305"])
"""Rules that say by how much: as long as it is about the same records, another number is the same finding."""
_MEASURE = re.compile(r"[\d,.]*\d%?")
_GUESS = re.compile(r" (leads nowhere|could mean)\b.*", re.DOTALL)
_PLACES = re.compile(r":\d+(?=[),\s]|$)|\blines? \d+(?:, \d+)*")

Data = Callable[[str], bytes | None]


class Lines:
    """Which line of the old version of a file a line of the new version is."""

    def __init__(self, before: Data, after: Data, came_from: Callable[[str], str] = str) -> None:
        self._before, self._after, self._came_from = before, after, came_from
        self._known: dict[str, dict[int, int]] = {}

    def old(self, path: str, line: int) -> int | None:
        """The line that it was, counted from 1; None for one that is new."""
        if path not in self._known:
            old, new = self._before(self._came_from(path)), self._after(path)
            pairs: dict[int, int] = {}
            if old is not None and new is not None:
                one, other = (data.decode("utf-8", "surrogateescape").splitlines() for data in (old, new))
                pairs = {j + n + 1: i + n + 1 for i, j, size in matching(one, other) for n in range(size)}
            self._known[path] = pairs
        return self._known[path].get(line)


def came_from(changes: Sequence[Change]) -> Callable[[str], str]:
    """The path that a file had before some changes."""
    moved = {
        change.new.path: change.old.path
        for change in changes
        if change.new is not None and change.old is not None
    }
    return lambda path: moved.get(path, path)


def news(
    found: Sequence[Finding], before: Iterable[Finding], changes: Sequence[Change], lines: Lines
) -> tuple[list[Finding], int]:
    """The findings that were not there before, and how many were.

    Args:
        before: those of the same rules on the same records and files before the change.
        changes: what the change did to records, so that a renamed one is known by its old name.
    """
    olds = list(before)
    left: dict[tuple[str, str, str], int] = {}
    for one in olds:
        key = (one.rule, one.address or one.path, _words(one, one.message))
        left[key] = left.get(key, 0) + 1
    earlier = {
        change.new.address: change.old
        for change in changes
        if change.new is not None and change.old is not None
    }
    later = {change.new.address: change.new for change in changes if change.new is not None}
    back = came_from(changes)
    places = {
        (one.rule, one.path, line)
        for one in olds
        if one.rule in OF_LINES
        for line in range(one.line, one.end_line + 1)
    }
    fresh: set[int] = set()
    # Of two findings in the same words the one on a line that did not change is the old one.
    order = sorted(
        range(len(found)), key=lambda number: lines.old(found[number].path, found[number].line) is None
    )
    for number in order:
        one = found[number]
        address, message = one.address, one.message
        was = earlier.get(address) if address is not None else None
        if was is not None and address is not None:
            address, message = was.address, _renamed(message, later[address], was)
        key = (one.rule, address or back(one.path), _words(one, message))
        if left.get(key, 0) > 0:
            left[key] -= 1
        elif one.rule not in OF_LINES or not any(
            (one.rule, back(one.path), lines.old(one.path, line)) in places
            for line in range(one.line, one.end_line + 1)
        ):
            fresh.add(number)
    return [one for number, one in enumerate(found) if number in fresh], len(found) - len(fresh)


def _words(found: Finding, message: str) -> str:
    """What a finding says, but for the lines that it names and what changes with every edit."""
    if found.rule not in MEASURED:
        # What a link that leads nowhere may have meant depends on all other records.
        return _PLACES.sub("", _GUESS.sub(r" \1", message))
    # Of two records that are alike, the other one is what matters, not in which ways and by how much.
    others = [f"{other.path} {other.message.partition(': ')[0]}" for other in found.related]
    return "\n".join(others) or _MEASURE.sub("", message)


def _renamed(message: str, new: Record, old: Record) -> str:
    """A message about a record as it would name the record before."""
    message = message.replace(named(new), named(old))
    return message.replace(new.address, old.address) if new.address != old.address else message
