"""Wikilinks:

`[[file#heading]]`, `[[slug]]`, `[[address]]`, each with `|label`; resolution is strict, never a guess.
"""

from __future__ import annotations

import unicodedata

from memgit import TYPE_CHECKING
from memgit.model.kinds import KINDS
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


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


class Names:
    """The names that a set of records answers to: address, id, file stem, any tail of the path, each with
    `#title` for entries.
    """

    def __init__(self, records: Iterable[Record]) -> None:
        self._full: dict[str, list[Record]] = {}
        self._file: dict[str, list[Record]] = {}
        for record in records:
            self._add(self._full, record.address, record)
            if record.id:
                self._add(self._full, record.id, record)
            for name in file_names(record.path):
                self._add(self._file, name, record)

    @staticmethod
    def _add(table: dict[str, list[Record]], name: str, record: Record) -> None:
        table.setdefault(normal(name), []).append(record)

    def resolve(self, link: Wikilink, origin: Record | None = None) -> Resolved:
        """The record that a link leads to.

        A bare `#heading` points into the file of `origin`. A heading names an entry; in a document, where
        headings are no records, it may be any text and the document is meant.
        """
        whole = normal(link.target if link.heading is None else f"{link.target}#{link.heading}")
        found = _unique(self._full.get(whole, ()))
        if not found and link.heading is not None and not link.target and origin is not None:
            found = _by_heading(self._file.get(normal(origin.path.removesuffix(".md")), ()), link.heading)
        if not found and link.target:
            named = self._file.get(normal(link.target.removesuffix(".md")), ()) or self._full.get(
                normal(link.target), ()
            )
            found = _unique(named) if link.heading is None else _by_heading(named, link.heading)
        return Resolved(found[0] if len(found) == 1 else None, tuple(found))


def file_names(path: str) -> list[str]:
    """The names that a file answers to in a link: its path without `.md` and every tail of it, the shortest
    first.
    """
    parts = path.removesuffix(".md").split("/")
    return ["/".join(parts[start:]) for start in range(len(parts) - 1, -1, -1)]


def nearest(records: Sequence[Record], path: str) -> list[Record]:
    """Of several records that a link in a file could mean, those in the nearest folder."""
    ranks = [_nearness(record.path, path) for record in records]
    return [record for record, rank in zip(records, ranks, strict=True) if rank == min(ranks)]


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
    """What may stand between the brackets of a link to a record, the best first: `file#title` for an entry,
    the name of the file for a document, then the address and the id. Each may lead to other records as well.
    """
    stem = record.path.rpartition("/")[2].removesuffix(".md")
    entry = KINDS[record.kind].stored == "entry"
    for text in (f"{stem}#{record.title}" if entry else stem, record.address, record.id):
        if (
            text is not None
            and not any(mark in text for mark in ("|", "[[", "]]", "\n"))
            and (entry or "#" not in text)
        ):
            yield text


def _by_heading(records: Sequence[Record], heading: str) -> list[Record]:
    if not records or "#" not in records[0].address:
        return _unique(records)
    return [record for record in records if normal(record.title) == normal(heading)]


def _unique(records: Sequence[Record]) -> list[Record]:
    seen: dict[tuple[str, int], Record] = {(record.path, record.ordinal): record for record in records}
    return list(seen.values())
