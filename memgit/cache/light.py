"""What a file holds without its text, from the rows of one that was read before: by path and content,
whatever commit asks.

Nothing is read into the cache for it: a file that has no row, or whose row leaves a doubt, is for the caller
to read.
"""

from __future__ import annotations

import sqlite3
from json import loads

from memgit import TYPE_CHECKING
from memgit.cache import rows
from memgit.cache.db import Cache
from memgit.cache.rows import address_of, from_fields, from_text, to_text
from memgit.model.layout import Layout, Place
from memgit.model.record import ParsedFile, Problem, Record, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    T = TypeVar("T")

_WHERE = "file.path = ? and file.blob = ? and file.place = (select id from place where text = ?)"
_FILE = f"select size, problems, meta, kind, key from file where {_WHERE}"
_COLUMNS = (
    "record.n - file.f, record.title, record.line, record.end_line, record.address, record.problem, "
    "record.fields"
)
_RECORDS = f"select {_COLUMNS} {rows.FROM_FILES} where {_WHERE} order by record.n"


class LightFiles:
    """The files that a cache has read in one layout."""

    def __init__(self, cache: Cache, layout: Layout) -> None:
        self._cache = cache
        self._layout = layout
        self._places: dict[Place, str] = {}
        self._there = (-1, False)

    def file(self, path: str, place: Place, oid: str) -> ParsedFile | None:
        """What the file of one content holds, its records with an empty `body`; None where the cache cannot
        tell.

        It cannot tell of a record that has no field whether it has a text, nor whether a file that could not
        be read still cannot be.
        """
        return self._ask(path, place, oid, _file)

    def meta(self, path: str, place: Place, oid: str) -> Mapping[str, Value] | None:
        """What the file says about itself, as `file` has it."""
        return self._ask(path, place, oid, _meta)

    def _ask(
        self,
        path: str,
        place: Place,
        oid: str,
        read: Callable[[sqlite3.Connection, str, tuple[Any, ...]], T | None],
    ) -> T | None:
        text = self._places.get(place)
        if text is None:
            text = self._places[place] = rows.place_text(self._layout, place)
        key = (to_text(path), bytes.fromhex(oid), text)
        return self._cache.run(lambda: read(self._cache.connection, path, key) if self._known() else None)

    def _known(self) -> bool:
        """Whether there are rows of the version that is read here."""
        if self._there[0] != self._cache.generation:
            select = "select 1 from part where name = 'records' and version = ?"
            found = self._cache.connection.execute(select, (rows.VERSION,)).fetchone() is not None
            self._there = (self._cache.generation, found)
        return self._there[1]


def _meta(connection: sqlite3.Connection, path: str, key: tuple[Any, ...]) -> Mapping[str, Value] | None:
    row = connection.execute(_FILE, key).fetchone()
    if row is None or _unread(row[0], _problems(row[1])):
        return None
    return {} if row[2] is None else from_fields(row[2])


def _file(connection: sqlite3.Connection, path: str, key: tuple[Any, ...]) -> ParsedFile | None:
    """As `LightFiles.file`.

    Raises:
        sqlite3.DatabaseError: a row is broken.
    """
    head = connection.execute(_FILE, key).fetchone()
    if head is None:
        return None
    size, problems, meta, kind, name = head
    told = _problems(problems)
    if _unread(size, told):
        return None
    found: Sequence[Any] = connection.execute(_RECORDS, key).fetchall() if size else ()
    if [row[0] for row in found] != list(range(size)):  # dropped between the two queries
        return None
    records: list[Record] = []
    try:
        # One text for all is read in half the time.
        for row, named in zip(found, loads(f"[{','.join([row[6] for row in found])}]"), strict=True):
            if len(named) <= ("title" in named):
                return None
            fields = {name: tuple(value) if type(value) is list else value for name, value in named.items()}
            ordinal, title, line, end_line, address, problem, _ = row
            where = address_of(kind, name, title, address)
            wrong = None if problem is None else Problem(*loads(problem))
            records.append(
                Record(kind, where, path, from_text(title), line, end_line, ordinal, fields, "", wrong)
            )
    except (AttributeError, TypeError, ValueError) as error:
        raise sqlite3.DatabaseError(f"a row is broken: {error}") from None
    return ParsedFile(tuple(records), told, from_fields(meta) if meta is not None else {})


def _unread(size: int, problems: Sequence[Problem]) -> bool:
    """Whether a file may be one that could not be read; it may be there by now."""
    return not size and any(problem.fatal for problem in problems)


def _problems(text: str | None) -> tuple[Problem, ...]:
    try:
        return () if text is None else tuple([Problem(*one) for one in loads(text)])
    except (TypeError, ValueError) as error:
        raise sqlite3.DatabaseError(f"a row is broken: {error}") from None
