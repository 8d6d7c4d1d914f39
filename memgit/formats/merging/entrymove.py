"""An entry that one side moved to another file while the other side changed it where it was: the change
follows the entry.

A merge of one file sees a record that was deleted and changed. Who has all files at hand finds it again and
merges it where it is now.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memgit.formats.merging.entrymerge import ALIKE, Section, Version, bag_of, likeness, units_of, version_of
from memgit.formats.merging.merge import Merged, Side, merge_file
from memgit.model.link import normal


class Gone(NamedTuple):
    """A record that one side changed and the other has no more in this file.

    Attributes:
        title, id: as in the common ancestor.
        ours: whether it is our side that has it no more.
        base, changed: its text in the ancestor, and as the other side has it.
    """

    title: str
    id: str | None
    ours: bool
    base: str
    changed: str


def gone(base: bytes | None, ours: bytes | None, theirs: bytes | None) -> list[Gone]:
    """The records of an entry file that one side changed and the other has no more; none where the versions
    cannot be taken apart.
    """
    versions = [_read(data or b"") for data in (base, ours, theirs)]
    b, o, t = versions
    if b is None or o is None or t is None:
        return []
    out = []
    for unit in units_of(b.records, o.records, t.records):
        if unit.base is None or (unit.ours is None) == (unit.theirs is None):
            continue
        was = b.records[unit.base]
        other = t.records[unit.theirs] if unit.theirs is not None else o.records[unit.ours or 0]
        if other.text != was.text:
            out.append(Gone(was.title, was.id, unit.ours is None, was.text, other.text))
    return out


def place_in(data: bytes, record: Gone) -> int | None:
    """Where among the records of another file a record stands now: by id, else by a title and text that are
    alike; None: nowhere.
    """
    if record.id is not None and record.id.encode() not in data:
        return None
    version = _read(data)
    if version is None:
        return None
    for number, found in enumerate(version.records):
        if record.id is not None and found.id == record.id:
            return number
    if record.id is not None:
        return None
    bag = bag_of(record.base)
    for number, found in enumerate(version.records):
        if (
            found.id is None
            and normal(found.title) == normal(record.title)
            and likeness(bag, bag_of(found.text)) >= ALIKE
        ):
            return number
    return None


def without(data: bytes | None, records: Sequence[Gone]) -> bytes | None:
    """A version of the file that the records left, without them; None where nothing remains."""
    version = None if data is None else _read(data)
    if data is None or version is None:
        return data
    leave = {
        number
        for number, found in enumerate(version.records)
        if any(_is(found, record) for record in records)
    }
    kept = [record for number, record in enumerate(version.records) if number not in leave]
    text = version.head + "".join(record.above + record.text for record in kept) + version.tail
    return (
        _bytes(text if version.head or not kept else text.lstrip("\n"), Side(data)) if text.strip() else None
    )


def _is(found: Section, record: Gone) -> bool:
    return found.id == record.id if record.id is not None else found.text in (record.base, record.changed)


def follow(kind: str, target: bytes, record: Gone) -> Merged | None:
    """Merges the change of a record into the file that it was moved to, None where it is not there."""
    version, number = _read(target), place_in(target, record)
    if version is None or number is None:
        return None
    side = Side(target)
    base, changed = (_bytes(_with(version, number, text), side) for text in (record.base, record.changed))
    return merge_file("entries", kind, base, *((target, changed) if record.ours else (changed, target)))


def _with(version: Version, number: int, text: str) -> str:
    parts = [one.above + (text if place == number else one.text) for place, one in enumerate(version.records)]
    return version.head + "".join(parts) + version.tail


def _read(data: bytes) -> Version | None:
    side = Side(data)
    return None if side.mixed else version_of(side.text)


def _bytes(text: str, side: Side) -> bytes:
    """A text with the mark, line ends and final newline of a version."""
    if not side.final:
        text = text.removesuffix("\n")
    data = text.replace("\n", side.newline).encode("utf-8", "surrogateescape")
    return b"\xef\xbb\xbf" + data if side.bom else data
