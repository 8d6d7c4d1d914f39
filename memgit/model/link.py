"""Wikilinks:

`[[file#heading]]`, `[[slug]]`, `[[address]]`, each with `|label`; resolution is strict, never a guess.
"""

from __future__ import annotations

import posixpath
import unicodedata

from memgit import TYPE_CHECKING
from memgit.model.kinds import KINDS
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Protocol
else:
    Protocol = object


class Wikilink(NamedTuple):
    """A link as written: what stands before `#`, the heading after it, the label after `|`."""

    target: str
    heading: str | None = None
    label: str | None = None

    def __str__(self) -> str:
        text = self.target + ("" if self.heading is None else f"#{self.heading}")
        return f"[[{text}]]" if self.label is None else f"[[{text}|{self.label}]]"


def parse(inner: str) -> Wikilink:
    """A wikilink from the text between its brackets; a backslash before `|` (a link in a table) is taken off."""
    body, bar, label = inner.replace("\\|", "|").partition("|")
    target, hash_, heading = body.partition("#")
    return Wikilink(target.strip(), heading.strip() if hash_ else None, label.strip() if bar else None)


def normal(text: str) -> str:
    """The form in which names are compared: composed (NFC), blanks at the ends dropped."""
    return unicodedata.normalize("NFC", text).strip()


class Resolved(NamedTuple):
    """What a link leads to: exactly one record, or none (`candidates` empty), or several that it could mean."""

    record: Record | None
    candidates: tuple[Record, ...] = ()


class Lookup(Protocol):
    """The names that some records answer to; names are given in the form in which they are compared (`normal`)."""

    def full(self, name: str) -> Sequence[Record]:
        """The records with an address or id."""

    def in_files(self, name: str, heading: str | None) -> Sequence[Record]:
        """The records of the files whose path without `.md` is a name or ends in it after a slash; of entries
        those with a heading, where one is given.
        """

    def called(self, name: str) -> Sequence[Record]:
        """The notes with a title or an alias."""


def candidates(lookup: Lookup, link: Wikilink, origin: str | None = None) -> list[Record]:
    """The records that a link in the file `origin` could mean; see `resolved`.

    A link names a record by address or id, else by its file (name, path or the end of a path), else a note by
    title or alias, else a file by its path from `origin`; `/name` is a file at the root. A bare `#heading` is in the file of `origin`. A
    heading names an entry; in a document, where headings are no records, it may be any text and the document
    is meant.
    """
    found = lookup.full(normal(link.target if link.heading is None else f"{link.target}#{link.heading}"))
    if found or not (link.target or (link.heading is not None and origin is not None)):
        return _unique(found)
    if not link.target:
        assert origin is not None
        return _unique(lookup.in_files(normal(origin.removesuffix(".md")), link.heading))
    target = normal(link.target)
    stem = target.removesuffix(".md")
    if stem.startswith("/"):
        found = [one for one in lookup.in_files(stem[1:], link.heading) if one.path == f"{stem[1:]}.md"]
        return _unique(found)
    found = lookup.in_files(stem, link.heading)
    if "/" in stem and len(found) > 1:  # a whole path from the root goes before the end of another
        found = [one for one in found if normal(one.path) == f"{stem}.md"] or found
    if not found and not lookup.in_files(stem, None):
        found = by_heading(lookup.full(target), link.heading) or lookup.called(target)
        if not found and "/" in target and origin is not None:
            beside = posixpath.normpath(posixpath.join(posixpath.dirname(origin), stem))
            found = [one for one in lookup.in_files(beside, link.heading) if one.path == f"{beside}.md"]
    return _unique(found)


def resolved(lookup: Lookup, link: Wikilink, origin: str | None = None) -> list[Record]:
    """Of the records that a link in a file could mean those in the nearest folder; one where it resolves."""
    return nearest(candidates(lookup, link, origin), origin)


class Names:
    """The names of a set of records, looked up once."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._full: dict[str, list[Record]] = {}
        self._file: dict[str, list[Record]] = {}
        self._called: dict[str, list[Record]] = {}
        for record in records:
            self._add(self._full, record.address, record)
            if record.id:
                self._add(self._full, record.id, record)
            for name in file_names(record.path):
                self._add(self._file, name, record)
            for name in own_names(record):
                self._add(self._called, name, record)

    @staticmethod
    def _add(table: dict[str, list[Record]], name: str, record: Record) -> None:
        table.setdefault(normal(name), []).append(record)

    def full(self, name: str) -> Sequence[Record]:
        return self._full.get(name, ())

    def in_files(self, name: str, heading: str | None) -> Sequence[Record]:
        return by_heading(self._file.get(name, ()), heading)

    def called(self, name: str) -> Sequence[Record]:
        return self._called.get(name, ())

    def resolve(self, link: Wikilink, origin: str | None = None) -> Resolved:
        """The record that a link leads to, and all that it could mean; see `candidates` and `resolved`."""
        found = candidates(self, link, origin)
        near = nearest(found, origin)
        return Resolved(near[0] if len(near) == 1 else None, tuple(found))


def own_names(record: Record) -> list[str]:
    """The title and the aliases of a note; records of other kinds are not linked by these."""
    if record.kind != "note":
        return []
    out = [record.title]
    for key in ("aliases", "alias"):
        value = record.fields.get(key)
        out += value.split(",") if isinstance(value, str) else value or ()
    return [name for name in map(str.strip, out) if name]


def file_names(path: str) -> list[str]:
    """The names that a file answers to in a link: its path without `.md` and every tail of it, the shortest
    first.
    """
    parts = path.removesuffix(".md").split("/")
    return ["/".join(parts[start:]) for start in range(len(parts) - 1, -1, -1)]


def nearest(records: Sequence[Record], path: str | None) -> list[Record]:
    """Of several records that a link in a file could mean, those in the nearest folder."""
    if path is None or len(records) < 2:
        return list(records)
    ranks = [_nearness(record.path, path) for record in records]
    least = min(ranks)
    return [record for record, rank in zip(records, ranks, strict=True) if rank == least]


def nearest_path(paths: Iterable[str], path: str) -> str:
    """Of several paths the nearest one to a file, the first of those that are equally near."""
    return min(paths, key=lambda other: (_nearness(other, path), other))


def _nearness(other: str, path: str) -> tuple[int, int]:
    """What sorts paths by how near they are to a file: those that share most folders with it, then those with
    the shortest way.
    """
    here, there = path.split("/")[:-1], other.split("/")[:-1]
    shared = 0
    while shared < min(len(here), len(there)) and here[shared] == there[shared]:
        shared += 1
    return -shared, len(there)


def spellings(record: Record) -> Iterator[str]:
    """What may stand between the brackets of a link to a record, the best first: `file#title` for an entry, for
    a document the name of its file or the whole path (with a slash in front at the root), then the address and
    the id. Each may lead to other records as well.
    """
    path = record.path.removesuffix(".md")
    entry = KINDS[record.kind].stored == "entry"
    whole = path if "/" in path else f"/{path}"
    names = [f"{one}#{record.title}" if entry else one for one in (path.rpartition("/")[2], whole)]
    for text in dict.fromkeys((*names, record.address, record.id)):
        if (
            text is not None
            and not any(mark in text for mark in ("|", "[[", "]]", "\n"))
            and (entry or "#" not in text)
        ):
            yield text


def by_heading(records: Sequence[Record], heading: str | None) -> list[Record]:
    """Of entries those with a heading, where one is given; in documents any heading may be meant."""
    if heading is None or not records or "#" not in records[0].address:
        return _unique(records)
    return [record for record in records if normal(record.title) == normal(heading)]


def _unique(records: Sequence[Record]) -> list[Record]:
    seen: dict[tuple[str, int], Record] = {(record.path, record.ordinal): record for record in records}
    return list(seen.values())
