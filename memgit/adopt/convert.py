"""A record of one system as a record of another: where it goes, what each field becomes there, and what has
no place.

Text and links are kept; a field that the other system does not have is named in the report of the export,
never put somewhere by guess.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from memgit.adopt.systems import EXPORTS
from memgit.derive import dates
from memgit.formats import markdown
from memgit.formats.adr import without
from memgit.formats.codec import Draft
from memgit.formats.mnema_block import SHAPES
from memgit.formats.page import heading
from memgit.model import link
from memgit.model.ids import is_id
from memgit.model.kinds import FIELDS
from memgit.model.layout import Layout, Place
from memgit.model.record import Record, Value
from memgit.model.slug import slug

_MERGED = {
    "created": ("at", "updated"),
    "context": ("summary", "description"),
    "summary": ("context", "description"),
    "keywords": ("tags", "topics"),
    "topics": ("keywords", "tags"),
    "tags": (),
}
"""Where a field comes from that a record lacks: the first of these that it has."""


BODY_KEYS = frozenset(piece.key for shape in SHAPES.values() for piece in shape)
_PROSE = ("context",)
"""Fields that are a paragraph of text: where there is no such field, they stand before the text."""


class Destination(NamedTuple):
    """Where one record goes: its file, its place there, and its title."""

    path: str
    place: Place
    title: str


def kind_of(system: str, kind: str) -> str:
    """The kind that a kind becomes in a system."""
    export = EXPORTS[system]
    return kind if kind in export.kinds else export.rest


def stays(source: Place, system: str) -> bool:
    """Whether a file of a system's own layout stays where it is; beside Mem Skill's entries that layout has
    records of other kinds.
    """
    keeps = EXPORTS[system].keeps
    return keeps is None or source.form in keeps


def copies(source: Place, system: str, layout: Layout) -> Place | None:
    """The place to which a file can go as it is: one of the same kind and form.

    None where each record has to be converted.
    """
    if kind_of(system, source.kind) != source.kind:
        return None
    return next((place for place in layout.of(source.kind) if place.form == source.form), None)


class Destinations:
    """The places of converted records, no two alike."""

    def __init__(self, system: str, layout: Layout) -> None:
        self._system = system
        self._layout = layout
        self._taken: set[str] = set()
        self._titles: dict[str, set[str]] = {}

    def take(self, path: str) -> None:
        """Says that a path is used already."""
        self._taken.add(path.casefold())

    def place(self, record: Record, source: Place, key: str) -> Destination:
        """Where a record goes; a title that its new file has already gets a number."""
        kind = kind_of(self._system, record.kind)
        place = self._place_of(kind)
        if place.form == "entries":
            return self._entry(record, place, category_of(record, source, key))
        stem = (
            key
            if kind == record.kind and place.form != "vault"
            else slug(record.title, ascii_only=place.form == "vault")
        )
        if kind == record.kind == "memory" and source.form == "vault":
            stem = key.removeprefix("MEM-")
        day = dates.day(record.created or record.text("at")) or "0000-00"
        path, number = "", 1
        while not path or path.casefold() in self._taken:
            path = place.path(stem if number == 1 else f"{stem}-{number}", year=day[:4], month=day[5:7])
            number += 1
        self.take(path)
        return Destination(path, place, record.title)

    def _place_of(self, kind: str) -> Place:
        return self._layout.of(kind)[-1 if kind in EXPORTS[self._system].last else 0]

    def _entry(self, record: Record, place: Place, category: str) -> Destination:
        path = place.path(category)
        held = self._titles.setdefault(path, set())
        title, number = record.title, 1
        while link.normal(title) in held:
            number += 1
            title = f"{record.title} ({number})"
        held.add(link.normal(title))
        return Destination(path, place, title)


def category_of(record: Record, source: Place, key: str) -> str:
    """The category of a record that had none: its first topic's head, its scope or folder, else its kind."""
    if source.form == "entries":
        return key
    if record.kind in ("decision", "observation", "skill"):
        return f"{record.kind}s"
    topic = (record.topics[0] if record.topics else record.text("scope") or "").split("/")[0]
    if not topic and record.kind == "note":
        topic = record.address.removeprefix("note/").rpartition("/")[0].rpartition("/")[2]
    return slug(topic, ascii_only=False) if topic else "memories" if record.kind == "memory" else "notes"


class Converted(NamedTuple):
    """A record to be written, and the fields that have no place there."""

    draft: Draft
    left: tuple[str, ...]


def convert(
    record: Record,
    source: Place,
    to: Destination,
    system: str,
) -> Converted:
    """A record in the terms of another system; its links are as they were.

    Args:
        source: the place that it comes from.
    """
    export = EXPORTS[system]
    own = {name: value for name, value in record.fields.items() if name != "title"}
    if source.form == "mnema-block":  # these make up the body
        own = {name: value for name, value in own.items() if name not in BODY_KEYS}
    if own.get("id") and (not export.ids or not is_id(record.id or "")):
        own.pop("id")
    takes = export.fields(to.place)
    fields: dict[str, Value] = {}
    used: set[str] = set()
    for name in FIELDS if takes is None else takes:
        value = own.get(name)
        for other in () if value or takes is None else _MERGED.get(name, ()):
            if own.get(other):
                value = own[other]
                used.add(other)
                break
        if value:
            fields[name] = _as(name, value, to.place)
    if takes is None:
        fields |= {name: value for name, value in own.items() if name not in FIELDS and value}
    entry = source.form == "entries"
    if entry and takes is not None and "topics" in takes:
        fields["topics"] = (record.address.partition("/")[2].partition("#")[0],)
        used.add("skill")
    if "related" in fields:
        fields["related"] = tuple(_targets(record.related))
    body = record.body
    if source.form == "adr" and takes is None:  # there the fields say it
        body = without(body)
    parts = [body]
    for name in _PROSE:
        if own.get(name) and name not in used and name not in fields and takes is not None:
            parts[:0] = [record.text(name) or ""]
            used.add(name)
    if own.get("files") and "files" not in fields:
        parts.append("## Key Files/Paths\n\n" + "\n".join(f"- {item}" for item in record.items("files")))
        used.add("files")
    if own.get("connections") and "connections" not in fields:
        parts.append(f"## Connections\n\n{record.text('connections')}")
        used.add("connections")
    if own.get("related") and "related" not in fields:
        parts.append("Related: " + ", ".join(f"[[{target}]]" for target in _targets(record.related)))
        used.add("related")
    body = "\n\n".join(part for part in parts if part)
    if to.place.form == "entries":
        body = sunk(body)
    if export.tagged and not fields.get("tags"):
        fields["tags"] = (record.kind.upper(),)
    if record.archived is not None and "archived" in fields:
        used |= {"status", "tombstone_reason", "merged_into"}
    if entry:  # labels that no format knows stand in the body as well
        used |= {name for name in own if name not in FIELDS}
    left = [name for name, value in own.items() if value and name not in fields and name not in used]
    return Converted(Draft(to.place.kind, to.title, fields, body), tuple(left))


def _as(name: str, value: Value, place: Place) -> Value:
    """A value in the shape that it has there: one text, a day, a list."""
    if (
        name in ("created", "updated", "archived")
        and isinstance(value, str)
        and place.form in ("entries", "vault")
    ):
        return dates.day(value) or value
    if name in FIELDS and FIELDS[name].many:
        items = value if isinstance(value, tuple) else (value,) if value else ()
        return items[:1] if name == "topics" and place.form == "vault" else items
    return ", ".join(value) if isinstance(value, tuple) else value


def _targets(related: Iterable[str]) -> list[str]:
    """The targets of links without their labels, those that can stand between brackets."""
    found = (str(link.parse(text)._replace(label=None))[2:-2] for text in related)
    return list(
        dict.fromkeys(
            one for one in found if one.strip() and not any(mark in one for mark in ("[", "]", "|", "\n"))
        )
    )


def sunk(text: str) -> str:
    """A text whose headings all lie deeper than level two, as those inside an entry must."""
    heads = markdown.headings(text)
    shift = max([0, *(3 - head.level for head in heads)])
    if not shift:
        return text
    out: list[str] = []
    position = 0
    for head in heads:
        out += (text[position : head.start], "#" * min(6, head.level + shift) + " " + heading(head.title))
        position = head.end
    return "".join((*out, text[position:]))
