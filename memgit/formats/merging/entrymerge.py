"""Merge of an entry file, record by record: by id, then by title, then by likeness.

Two records added at one place both stay. Of a record that both sides changed the fields are merged one by
one, lists as sets, of two dates the newest, and its body by lines; a new title on one side goes with a change
on the other. A record that one side deleted and the other changed is a conflict. Markers stand inside the
record that they are about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from memgit.errors import MemgitError
from memgit.formats.mem_skill.compose import Habits
from memgit.formats.mem_skill.entry import Entry
from memgit.formats.mem_skill.entry_file import EntryFile, habits_of, take_apart
from memgit.formats.mem_skill.labels import LISTS, ORDER
from memgit.formats.mem_skill.sections import fields
from memgit.formats.merging import DELETED
from memgit.formats.merging.frontmerge import merge_document, merge_sets
from memgit.formats.merging.textmerge import Markers, merge_lines
from memgit.model.link import normal
from memgit.model.record import Value

SIMILARITY_THRESHOLD = 0.5
"""Share of their text that two records must have in common to be one under another title, as git has it for
files.
"""
_DATES = ("created", "updated", "archived")


class Section(NamedTuple):
    """One section: its text without the last line end, what stands above it, its title and id."""

    text: str
    above: str
    title: str
    id: str | None


class Version(NamedTuple):
    """One version of a file: what stands before its first record, the records, what stands after the last."""

    head: str
    records: list[Section]
    tail: str
    file: EntryFile


class _Unit(NamedTuple):
    """One record in its three versions, each by its place among the records of its file, None where it is not
    there.
    """

    base: int | None
    ours: int | None
    theirs: int | None


def merge_entries(kind: str, base: str, ours: str, theirs: str, markers: Markers) -> str | None:
    """The merged text of an entry file, None where a version cannot be taken apart: markers left in, an open
    fence, a broken block.

    Texts are without byte order mark, every line ended by `\\n`.
    """
    versions = [version_of(text) for text in (base, ours, theirs)]
    if any(version is None for version in versions):
        return None
    b, o, t = (version for version in versions if version is not None)
    head = _head(b.head, o.head, t.head, markers)
    if head is None:
        return None
    units = _in_order(units_of(b.records, o.records, t.records))
    out: list[str] = [head]
    usual = _usual(o.records + t.records)
    habits = habits_of(o.file if o.records else t.file, kind)
    first = True
    for unit in units:
        text = _merge(unit, b, o, t, habits, markers)
        if text is None:
            continue
        out += (_above(unit, b, o, t, usual, first, head), text)
        first = False
    if first:
        return head + _choose(b.tail, o.tail, t.tail)
    return "".join(out) + (_choose(b.tail, o.tail, t.tail) or "\n")


def version_of(text: str) -> Version | None:
    """A file taken apart, or None."""
    file = take_apart(text)
    if file.fault is not None or file.markers or file.outline.unclosed is not None:
        return None
    records: list[Section] = []
    position = (
        len(text[: file.sections[0].start].rstrip(" \t\n")) if file.sections else len(text.rstrip(" \t\n"))
    )
    head = text[:position]
    for section in file.sections:
        id_ = fields(text, file.mask, section.head, section.end).values.get("id")
        title = section.title if section.record else text[section.start : section.head]
        records.append(
            Section(
                text[section.start : section.end],
                text[position : section.start],
                title,
                id_ if isinstance(id_, str) else None,
            )
        )
        position = section.end
    return Version(head, records, text[position:], file)


def _choose(base: str, ours: str, theirs: str) -> str:
    """Three-way choice of a text that nobody minds: ours where both changed it."""
    return theirs if ours == base else ours


def _head(base: str, ours: str, theirs: str, markers: Markers) -> str | None:
    """What stands before the first record: the frontmatter of the category and a preamble."""
    if theirs in (base, ours):
        return ours
    if ours == base:
        return theirs
    ended = [f"{text}\n" if text else "" for text in (base, ours, theirs)]
    merged = merge_document(ended[0], ended[1], ended[2], "", markers)
    if merged is None:
        lines, _ = merge_lines(
            base.split("\n"),
            ours.split("\n"),
            theirs.split("\n"),
            lambda left, right: markers.around(left, right, None, "both sides changed the head of the file"),
        )
        merged = "\n".join(lines)
    return merged.rstrip("\n")


# Which record is which.


def _pairs(old: Sequence[Section], new: Sequence[Section]) -> dict[int, int]:
    """The records of one version in another, by place: the same id, else the same title, else alike; two ids
    are two records.
    """
    found: dict[int, int] = {}
    taken: set[int] = set()

    def pair(i: int, j: int) -> None:
        found[i] = j
        taken.add(j)

    ids = {record.id: number for number, record in enumerate(new) if record.id}
    for i, record in enumerate(old):
        j = ids.get(record.id) if record.id else None
        if j is not None and j not in taken:
            pair(i, j)
    named: dict[str, list[int]] = {}
    for j, record in enumerate(new):
        if j not in taken:
            named.setdefault(normal(record.title), []).append(j)
    for i, record in enumerate(old):
        if i in found:
            continue
        same = named.get(normal(record.title), [])
        j = next((j for j in same if not _two(record, new[j])), None)
        if j is not None:
            same.remove(j)
            pair(i, j)
    left = [i for i in range(len(old)) if i not in found]
    right = [j for j in range(len(new)) if j not in taken]
    bags = {j: bag_of(new[j].text) for j in right} if left else {}
    likes = sorted(
        (
            (likeness(bag_of(old[i].text), bags[j]), -i, -j)
            for i in left
            for j in right
            if not _two(old[i], new[j])
        ),
        reverse=True,
    )
    for share, i, j in likes:
        if share >= SIMILARITY_THRESHOLD and -i not in found and -j not in taken:
            pair(-i, -j)
    return found


def _two(one: Section, other: Section) -> bool:
    return bool(one.id and other.id and one.id != other.id)


_COMMON = (
    "**Date",
    "**Updated",
    "**Source",
    "**Skill",
    "**Id",
    "**Archived",
    "**日期",
    "**技能",
    "**source",
    "**id",
    "**updated",
    "**archived",
    "**Merged into",
    "**merged into",
)


def bag_of(text: str) -> Counter[str]:
    """The lines of a record that tell it from others: not its title, nor labels and fields that many have
    alike.
    """
    lines = text.split("\n")[1:]
    return Counter(
        line
        for line in lines
        if line.strip() and not line.startswith(_COMMON) and not line.rstrip().endswith((":**", "：**"))
    )


def likeness(one: Counter[str], other: Counter[str]) -> float:
    common = sum(len(line) * count for line, count in (one & other).items())
    size = max(sum(len(line) * count for line, count in bag.items()) for bag in (one, other))
    return common / size if size else 0.0


def units_of(base: Sequence[Section], ours: Sequence[Section], theirs: Sequence[Section]) -> list[_Unit]:
    """Every record of the three versions, once."""
    left, right = _pairs(base, ours), _pairs(base, theirs)
    units = [_Unit(i, left.get(i), right.get(i)) for i in range(len(base))]
    mine = [j for j in range(len(ours)) if j not in left.values()]
    other = [j for j in range(len(theirs)) if j not in right.values()]
    both = _pairs_of_new([ours[j] for j in mine], [theirs[j] for j in other])
    units += [
        _Unit(None, j, other[both[number]] if number in both else None) for number, j in enumerate(mine)
    ]
    units += [_Unit(None, None, j) for number, j in enumerate(other) if number not in both.values()]
    return units


def _pairs_of_new(ours: list[Section], theirs: list[Section]) -> dict[int, int]:
    """Records that both sides added: one and the same only by id or title, never by likeness."""
    pairs = _pairs(ours, theirs)
    return {
        i: j
        for i, j in pairs.items()
        if normal(ours[i].title) == normal(theirs[j].title) or (ours[i].id and ours[i].id == theirs[j].id)
    }


def _in_order(units: list[_Unit]) -> list[_Unit]:
    """The units as they stand in ours, or in theirs where only that side moved records; what the other side
    alone has comes after what it follows there, and after what this side put at the same place."""
    common = [
        unit for unit in units if unit.base is not None and unit.ours is not None and unit.theirs is not None
    ]
    mine = [unit.base for unit in sorted(common, key=lambda unit: unit.ours or 0)]
    other = [unit.base for unit in sorted(common, key=lambda unit: unit.theirs or 0)]
    flipped = mine == sorted(mine, key=lambda place: place or 0) and other != mine
    main = sorted(
        (unit for unit in units if (unit.theirs if flipped else unit.ours) is not None),
        key=lambda unit: (unit.theirs if flipped else unit.ours) or 0,
    )
    rest = sorted(
        (unit for unit in units if (unit.ours if flipped else unit.theirs) is not None),
        key=lambda unit: (unit.ours if flipped else unit.theirs) or 0,
    )
    out = list(main)
    there = set(main)
    shared = set(rest)
    anchor: _Unit | None = None
    for unit in rest:
        if unit not in there:
            at = 0 if anchor is None else out.index(anchor) + 1
            while at < len(out) and out[at] not in shared and (anchor is not None or out[at].base is None):
                at += 1
            out.insert(at, unit)
        anchor = unit
    return out


# What stands between records.


def _usual(records: Sequence[Section]) -> str:
    """What mostly stands above a record that is not the first."""
    gaps = Counter(record.above for record in records if record.above.count("\n") > 1)
    return gaps.most_common(1)[0][0] if gaps else "\n\n"


def _above(unit: _Unit, b: Version, o: Version, t: Version, usual: str, first: bool, head: str) -> str:
    """What stands above a record in the merged file."""
    if first:
        leads = [version.records[0].above if version.records else None for version in (b, o, t)]
    else:
        places = ((b, unit.base), (o, unit.ours), (t, unit.theirs))
        leads = [version.records[place].above if place else None for version, place in places]
    base, ours, theirs = leads
    above = theirs if ours is None or (theirs is not None and ours == base) else ours
    if first and not head:
        return above or ""
    return above if above and "\n" in above else usual


# One record.


def _merge(unit: _Unit, b: Version, o: Version, t: Version, habits: Habits, markers: Markers) -> str | None:
    """The merged text of one record, None where it is gone."""
    base = b.records[unit.base].text if unit.base is not None else None
    ours = o.records[unit.ours].text if unit.ours is not None else None
    theirs = t.records[unit.theirs].text if unit.theirs is not None else None
    if ours == theirs or (base is not None and theirs == base):
        return ours
    if base is not None and ours == base:
        return theirs
    if ours is None or theirs is None:
        if base is None:
            return ours if theirs is None else theirs
        gone, kept = (markers.ours, markers.theirs) if ours is None else (markers.theirs, markers.ours)
        title = (t.records[unit.theirs] if unit.theirs is not None else b.records[unit.base or 0]).title
        if unit.ours is not None:
            title = o.records[unit.ours].title
        left = [] if ours is None else ours.split("\n")
        right = [] if theirs is None else theirs.split("\n")
        return "\n".join(markers.around(left, right, f"#{title}", f"{DELETED}{gone}, changed by {kept}"))
    title = o.records[unit.ours or 0].title
    return _merge_record(base, ours, theirs, title, habits, markers)


def _merge_record(
    base: str | None, ours: str, theirs: str, title: str, habits: Habits, markers: Markers
) -> str:
    """The merge of one record that both sides changed, or both added."""
    texts = [[] if base is None else base.split("\n"), ours.split("\n"), theirs.split("\n")]
    lines, clean = merge_lines(texts[0], texts[1], texts[2], lambda left, right: [])
    if clean:
        entry = _entry(lines, habits)
        if entry.whole and not entry.fields.twice and entry.unclosed is None and not entry.hides_next:
            return "\n".join(lines)
    try:
        return "\n".join(_fieldwise(texts, title, habits, markers))
    except MemgitError:
        lines, _ = merge_lines(
            texts[0],
            texts[1],
            texts[2],
            lambda left, right: markers.around(left, right, f"#{title}", "both sides changed these lines"),
        )
        return "\n".join(lines)


def _entry(lines: Sequence[str], habits: Habits) -> Entry:
    return Entry([f"{line}\n" for line in lines], "\n", habits)


def _fieldwise(texts: Sequence[list[str]], title: str, habits: Habits, markers: Markers) -> list[str]:
    """A record merged field by field, from ours on.

    Raises:
        MemgitError: it cannot be written that way.
    """
    address = f"#{title}"
    b = _entry(texts[0], habits) if texts[0] else None
    o, t = _entry(texts[1], habits), _entry(texts[2], habits)
    if not o.whole or not t.whole or o.fields.twice or t.fields.twice:
        raise MemgitError("not one record a side")
    old = b.fields.values if b else {}
    changes: dict[str, Value] = {}
    clashes: list[str] = []
    for name in ORDER:
        if name == "body":
            continue
        before, left, right = (
            old.get(name) or None,
            o.fields.values.get(name) or None,
            t.fields.values.get(name) or None,
        )
        if right in (before, left):
            continue
        if left == before:
            changes[name] = right
        elif name in LISTS:
            changes[name] = merge_sets(_items(before), _items(left), _items(right))
        elif name in _DATES or name == "id":
            known = [value for value in (left, right) if isinstance(value, str)]
            changes[name] = min(known) if name == "id" else max(known)
        else:
            clashes.append(name)
    before_title = b.title if b else o.title
    if o.title == before_title:
        changes["title"] = t.title
    renamed = t.title not in (before_title, o.title) and o.title != before_title
    raw_clash = _bodies(b, o, t, changes)
    whole = _entry(texts[1], habits)
    whole.change(changes, as_is=True)
    if (
        t.field_lines("related")
        and not whole.field_lines("related")
        and (b is None or not b.field_lines("related"))
    ):
        whole.backfill("related", None)  # a label without links is Mem Skill's, and their side has added it
    if raw_clash:
        lines, _ = merge_lines(
            b.body_lines() if b else [],
            o.body_lines(),
            t.body_lines(),
            lambda left, right: markers.around(
                left, right, address, "both sides changed this part of the body"
            ),
        )
        whole.overwrite_body(lines)
    for name in clashes:
        lines = markers.around(
            o.field_lines(name), t.field_lines(name), address, f"both sides changed {name!r}"
        )
        whole.overwrite_field(name, lines)
    if renamed:
        lines = markers.around([o.plain[0]], [t.plain[0]], address, "both sides changed the title")
        whole.overwrite_title(lines)
    return list(whole.plain)


def _items(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


def _bodies(b: Entry | None, o: Entry, t: Entry, changes: dict[str, Value]) -> bool:
    """Merges the bodies into `changes`; whether they conflict."""
    before, left, right = b.fields.body if b else "", o.fields.body, t.fields.body
    if right in (before, left):
        return False
    if left == before:
        changes["body"] = right
        return False
    lines, clean = merge_lines(_split(before), _split(left), _split(right), lambda left, right: [])
    if clean:
        changes["body"] = "\n".join(lines)
    return not clean


def _split(text: str) -> list[str]:
    return text.split("\n") if text else []
