"""What the site shows: the records that may be published, their links and what happened to them."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from hashlib import sha256
from json import dumps
from typing import NamedTuple
from urllib.parse import unquote

from memgit.app.check.settings import nested
from memgit.app.read.listing import group_of
from memgit.app.read.log import log
from memgit.app.read.reader import Reader
from memgit.app.workspace import Workspace
from memgit.errors import BadInput
from memgit.formats.markdown import relative_links, wikilinks
from memgit.model import link
from memgit.model.kinds import KINDS
from memgit.model.link import Names
from memgit.model.operation import Event, RecordChange
from memgit.model.record import Record
from memgit.site.render import anchors
from memgit.site.urls import anchor, record_paths, relative

IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif")
KEYS = ("title", "url", "exclude", "archived")


class Settings(NamedTuple):
    """The key `site` of the configuration.

    Attributes:
        title: of the site; by default the name of the folder.
        url: where it will be published, for feeds and the site map; without it they are left out.
        exclude: kinds, addresses or paths (with `*`) that are not published.
        archived: whether archived records are published, too.
    """

    title: str = ""
    url: str = ""
    exclude: tuple[str, ...] = ()
    archived: bool = False

    def hides(self, record: Record) -> bool:
        """Whether a record stays out of the site."""
        names = (record.kind, record.address, record.path)
        return (bool(record.archived) and not self.archived) or any(
            fnmatchcase(name, pattern) for pattern in self.exclude for name in names
        )


def settings_of(workspace: Workspace) -> Settings:
    """The settings of a knowledge root.

    Raises:
        BadInput: an unknown key under `site`.
    """
    values = nested(workspace.config.site) if workspace.config.site else {}
    unknown = [key for key in values if key not in KEYS]
    if unknown:
        raise BadInput(f"site.{unknown[0]} is not a key", path=".memgit.yaml", hint=f"use {', '.join(KEYS)}")
    exclude = values.get("exclude") or ()
    name = os.path.basename(os.path.abspath(workspace.root or workspace.require_repository().git_dir))
    return Settings(
        str(values.get("title") or name),
        str(values.get("url") or "").rstrip("/"),
        (exclude,) if isinstance(exclude, str) else tuple(exclude),
        str(values.get("archived") or "").lower() in ("true", "yes"),
    )


class Link(NamedTuple):
    """One link of a record: as written, whether it is a path, and the record that it leads to, if any."""

    text: str
    is_path: bool
    target: str | None = None


class Item(NamedTuple):
    """One record of the site.

    Attributes:
        record: it may lack its text (see `Collected.full`).
        page: its page, from the top of the site.
        digest: of its fields and text: the same as long as they are.
        events: what happened to it, newest first, each with its own change.
    """

    record: Record
    page: str
    digest: str
    events: Sequence[tuple[Event, RecordChange]]

    @property
    def group(self) -> str:
        return group_of(self.record)


Digests = tuple[str, Mapping[str, str]]
"""The blob of a file, and the digest of each of its records by address."""


class Collected(NamedTuple):
    """Everything that pages are made from.

    `names` are those of every record, of hidden ones too: a link to one of them is unresolved else.
    `hidden` are the names of records that are not published. `full` gives a record with its text.
    `digests` are the digests of the records of each file whose blob is known, with that blob: what the next
    build needs to tell which files it has to read.
    """

    settings: Settings
    revision: str | None
    items: Mapping[str, Item]
    events: Sequence[Event]
    names: Names
    full: Callable[[Record], Record]
    digests: Mapping[str, Digests]
    hidden: frozenset[str] = frozenset()

    def names_hidden(self, text: str) -> bool:
        """Whether a text names a record that is not published."""
        return any(name in text for name in self.hidden)


def collect(
    workspace: Workspace, reader: Reader, settings: Settings, known: Mapping[str, Digests]
) -> Collected:
    """The records that may be published, by address, and the log of what happened to them.

    Args:
        known: the `digests` of an earlier build; files that have the same blob are not read.
    """
    everything = list(reader.heads())
    records = [record for record in everything if not settings.hides(record)]
    hidden = {
        name
        for record in everything
        if settings.hides(record) and not record.archived
        for name in (record.title, record.address, record.path)
    }
    unique = {record.address: record for record in reversed(records)}
    records = sorted(unique.values(), key=lambda record: record.address)
    paths = record_paths(records)
    events = list(log(workspace, reader.revision, cache=workspace.cache)) if reader.revision else []
    by_record = _events_of(events)
    digests = _digests(reader, records, known)
    items = {
        record.address: Item(
            record,
            paths[record.address],
            digests[record.path][1][record.address],
            by_record.get(record.id or "", by_record.get(record.address, ())),
        )
        for record in records
    }
    ids = {item.record.id for item in items.values() if item.record.id}
    shown = [_shown(event, items, ids) for event in events]
    return Collected(
        settings,
        reader.revision,
        items,
        [event for event in shown if event.records],
        Names(everything),
        reader.load,
        {path: one for path, one in digests.items() if one[0]},
        frozenset(hidden),
    )


def _shown(event: Event, items: Mapping[str, Item], ids: Collection[str]) -> Event:
    """An event with the changes of published records alone, and no word about others."""
    changes = tuple(change for change in event.records if change.address in items or (change.id or "") in ids)
    if len(changes) == len(event.records):
        return event
    return event._replace(records=changes, subject=event.op, reason=None, operations=())


def _digests(
    reader: Reader, records: Iterable[Record], known: Mapping[str, Digests]
) -> dict[str, tuple[str, dict[str, str]]]:
    """The digest of every record by path and address, with the blob of its file, empty where that is not known."""
    blobs = reader.blobs()
    out: dict[str, tuple[str, dict[str, str]]] = {}
    for record in records:
        blob = blobs.get(record.path, "")
        before = known.get(record.path, ("", {}))
        held = before[1].get(record.address) if blob and before[0] == blob else None
        _, inside = out.setdefault(record.path, (blob, {}))
        inside[record.address] = held or _digest(reader.load(record))
    return out


def _digest(record: Record) -> str:
    text = dumps([record.address, record.path, record.title, list(record.fields.items()), record.body])
    return sha256(text.encode()).hexdigest()[:20]


def _events_of(events: Iterable[Event]) -> dict[str, list[tuple[Event, RecordChange]]]:
    """The events of each record, by id and by its present address, through renames."""
    found: dict[str, list[tuple[Event, RecordChange]]] = {}
    later: dict[str, str] = {}  # an earlier address, to the one that its record has now
    for event in events:
        for change in event.records:
            now = later.get(change.address, change.address)
            for key in {change.id or now, now}:
                found.setdefault(key, []).append((event, change))
            if change.was:
                later[change.was] = now
    return found


class Links:
    """Where links lead.

    Attributes:
        files: pictures that pages show, by the path in the site, as paths in the root.
    """

    def __init__(self, reader: Reader, collected: Collected) -> None:
        self._reader, self._items, self._names = reader, collected.items, collected.names
        self._full = collected.full
        self._known: dict[tuple[str, str], str | None] = {}
        self._by_path: dict[str, list[Item]] = {}
        for item in collected.items.values():
            self._by_path.setdefault(item.record.path, []).append(item)
        self._pictures: dict[str, str] | None = None
        self._exclude = collected.settings.exclude
        self._anchors: dict[str, set[str]] = {}
        self.files: dict[str, str] = {}

    def of(self, record: Record) -> list[Link]:
        """The links of a record, in its text and in every field, each once."""
        texts = [record.body, *(part for value in record.fields.values() for part in _parts(value))]
        found = {Link(str(one)[2:-2], False): None for text in texts for _, one in wikilinks(text)}
        found |= {Link(name, False): None for name in (*record.related, *record.derived_from)}
        found |= {Link(one.target, True): None for one in relative_links(record.body)}
        return [self.resolved(record, one) for one in found]

    def resolved(self, record: Record, one: Link) -> Link:
        """A link of a record with where it leads now."""
        if not one.is_path:
            return one._replace(target=self.target(record, one.text))
        path, _, fragment = one.text.partition("#")
        item = self.beside(record, path, fragment)
        return one._replace(target=item.record.address if item is not None else None)

    def target(self, origin: Record, inner: str) -> str | None:
        """The address of the record that a wikilink leads to; None where it leads to none, or to a hidden one."""
        key = (origin.path, inner.partition("|")[0])
        if key not in self._known:
            found = self._names.resolve(link.parse(inner), origin.path).record
            self._known[key] = found.address if found is not None and found.address in self._items else None
        return self._known[key]

    def beside(self, origin: Record, path: str, fragment: str) -> Item | None:
        """The record that a Markdown link to a file leads to."""
        items = (
            self._by_path.get(_joined(origin.path, unquote(path)), ())
            if path
            else self._by_path.get(origin.path, ())
        )
        named = [item for item in items if anchor(item.record.title) == anchor(unquote(fragment))]
        return next(iter(named or items), None)

    def picture(self, origin: Record, path: str) -> str | None:
        """The place in the site of a picture in the root; None for whatever else."""
        if not path.lower().endswith(IMAGES):
            return None
        if self._pictures is None:
            self._pictures = {}
            for place in self._reader.files.paths():
                if (
                    place.lower().endswith(IMAGES)
                    and (self._reader.files.mode(place) or 0) & 0o170000 == 0o100000
                ):
                    self._pictures[place] = place
                    self._pictures.setdefault(posixpath.basename(place), place)
        for name in (_joined(origin.path, path), path.lstrip("/"), posixpath.basename(path)):
            found = self._pictures.get(name)
            if found is not None and not self._hidden(found):
                self.files[f"files/{found}"] = found
                return f"files/{found}"
        return None

    def _hidden(self, path: str) -> bool:
        return any(fnmatchcase(path, pattern) for pattern in self._exclude)

    def url(self, item: Item, fragment: str | None, page: str) -> str:
        """The link from a page to a record, at a heading or block of it where it has that one."""
        if not fragment or (KINDS[item.record.kind].stored == "entry" and item.record.title == fragment):
            return relative(item.page, page)
        last = fragment.rpartition("#")[2]
        mark = anchor(last[1:], "b") if last.startswith("^") else anchor(last)
        if item.page not in self._anchors:
            self._anchors[item.page] = anchors(self._full(item.record).body)
        return relative(f"{item.page}#{mark}" if mark in self._anchors[item.page] else item.page, page)


def _joined(origin: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(origin), path))


def _parts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        return (value,)
    return value if isinstance(value, tuple) else ()
