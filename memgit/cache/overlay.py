"""The records of a commit with the uncommitted edits of the working tree counted in."""

from __future__ import annotations

import sqlite3

from memgit import TYPE_CHECKING
from memgit.cache import rows
from memgit.cache.records import Snapshot
from memgit.cache.rows import Content, to_text
from memgit.cache.writer import Writer
from memgit.model.layout import Place
from memgit.model.record import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping


class OverlaySnapshot(Snapshot):
    """The records of a commit with the uncommitted edits of the working tree counted in.

    Args:
        base: the snapshot of the commit.
        dirty: every file that differs from the commit: its bytes, None where there is none any more, or why
            it is not read (a symbolic link). Paths that hold no records are ignored.
    """

    def __init__(self, base: Snapshot, dirty: Mapping[str, bytes | Problem | None]) -> None:
        super().__init__(
            base.cache, base.repo, base.layout, base.commit, progress=base._progress, parse=base._parse
        )
        self._name = base._name
        self._dirty: dict[str, tuple[Place, str, Content | None]] = {}
        self._bytes: dict[str, bytes] = {}
        for path, content in dirty.items():
            found = self.layout.find(path)
            if found is None:
                continue
            if isinstance(content, bytes):
                self._bytes[path] = content
                self._dirty[path] = (*found, Content(bytes.fromhex(self.repo.hash_blob(content)), content))
            elif content is None:
                self._dirty[path] = (*found, None)
            else:
                mark = self.repo.hash_blob(repr(content).encode("utf-8", "surrogateescape"))
                self._dirty[path] = (*found, Content(b"p" + bytes.fromhex(mark), problem=content))
        self._table = f"over_{id(self):x}"

    def visible_in(self, table: str) -> str:
        if not self._dirty:
            return super().visible_in(table)
        shown = f"select shown from temp.{self._table} over where over.f = {table}.f"
        return f"(case ({shown}) when 1 then 1 when 0 then 0 else {super().visible_in(table)} end)"

    def counts_kept(self) -> dict[str, int]:
        return super().counts_kept() if not self._dirty else {}

    def extent(self, connection: sqlite3.Connection) -> tuple[int, int]:
        records, length = super().extent(connection)
        if not self._dirty:
            return records, length
        change = f"case when not over.shown then -1 when {super().visible_in('measure')} then 0 else 1 end"
        source = f"from temp.{self._table} over cross join file on file.f = over.f"
        measures = "cross join measure on measure.n between file.f and file.f + file.size - 1"
        found = connection.execute(
            f"select total({change}), total({change} * length) {source} {measures}"
        ).fetchone()
        return records + int(found[0]), length + int(found[1])

    def _in_use(self, connection: sqlite3.Connection, kind: str) -> int:
        committed = super()._in_use(connection, kind)
        if not self._dirty:
            return committed
        change = f"case when not over.shown then -1 when {super().visible_in('file')} then 0 else 1 end"
        source = f"from temp.{self._table} over cross join file on file.f = over.f"
        records = "cross join record on record.n between file.f and file.f + file.size - 1"
        sql = f"select total({change}) {source} {records} where file.kind = ? and not record.archived"
        return committed + int(connection.execute(sql, (to_text(kind),)).fetchone()[0])

    def _data(self, path: str, blob: bytes) -> bytes | None:
        return self._bytes.get(path) if path in self._dirty else super()._data(path, blob)

    def _prepare(self) -> None:
        """Reads the contents that have no row yet.

        Those of the working tree are held as long as they are there.
        """
        known = self._known()
        if len(known) == sum(content is not None for _, _, content in self._dirty.values()):
            return
        with self.cache.write() as connection:
            known = self._known()
            missing = [
                (path, *found)
                for path, found in self._dirty.items()
                if found[2] is not None and path not in known
            ]
            with Writer.writing(connection, self.repo, self._parse, bulk=len(missing) >= rows.BULK) as writer:
                for path, place, key, content in missing:
                    if content is not None:
                        known[path] = writer.add(self.layout, path, place, key, content, 0)
                writer.hold(self._name[0], set(known.values()))

    def _known(self) -> dict[str, int]:
        """The rows of the uncommitted contents that were read before, by path."""
        connection = self.cache.connection
        places = {
            place: rows.place_number(connection, self.layout, place)
            for place in {found[0] for found in self._dirty.values()}
        }
        out: dict[str, int] = {}
        for path, (place, _, content) in self._dirty.items():
            if content is not None:
                select = "select f from file where path = ? and blob = ? and place = ?"
                row = connection.execute(select, (to_text(path), content.blob, places[place])).fetchone()
                if row is not None:
                    out[path] = row[0]
        return out

    def _prepared(self) -> bool:
        if not self._dirty:
            return True
        connection = self.cache.connection
        known = self._known()
        shown: dict[int, int] = {}
        for path, (_, _, content) in self._dirty.items():
            select = f"select f from file where path = ? and {super().visible_in('file')}"
            shown.update((f, 0) for (f,) in connection.execute(select, (to_text(path),)))
            if content is not None:
                if path not in known:
                    return False
                shown[known[path]] = 1
        connection.execute(
            f"create temp table if not exists {self._table}(f integer primary key, shown integer)"
        )
        connection.execute(f"delete from temp.{self._table}")
        connection.executemany(f"insert into temp.{self._table} values (?, ?)", shown.items())
        return True
