"""Writing and dropping rows of parsed files, within one write transaction."""

from __future__ import annotations

import sqlite3
import time
import zlib
from contextlib import contextmanager, nullcontext

from memgit import TYPE_CHECKING
from memgit.cache.db import pages
from memgit.cache.rows import (
    BATCH,
    BULK_BYTES,
    BULK_PAGES,
    KEPT,
    MAX_GHOST_RECORDS,
    MAX_PRUNED_ROWS,
    MERGED_PAGES,
    Content,
    Parse,
    checksum,
    day_of,
    endings,
    from_text,
    indexed,
    joined,
    layout_of,
    length_of,
    line_starts,
    place_number,
    place_text,
    span,
    to_fields,
    to_json,
    to_text,
)
from memgit.errors import MemgitError
from memgit.formats.tags import tags_of
from memgit.model.kinds import KINDS
from memgit.model.layout import Layout, Place
from memgit.model.link import normal
from memgit.model.record import ParsedFile, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet
    from typing import Any

    from memgit.git.repository import Repository


class Writer:
    """Writes file rows within one write transaction; to be had from `writing`."""

    def __init__(
        self, connection: sqlite3.Connection, repo: Repository, parse: Parse, *, bulk: bool = False
    ) -> None:
        self._connection = connection
        self._repo = repo
        self._parse = parse
        self._next: int
        self._files: int
        self._ghosts: int
        self._next, self._files, self._ghosts = connection.execute(
            "select next, files, ghosts from counter"
        ).fetchone()
        self._first = self._next
        self._places: dict[tuple[Place, str], int] = {}
        self._rows: list[tuple[Any, ...]] = []
        self._records: list[tuple[Any, ...]] = []
        self._words: list[tuple[Any, ...]] = []
        self._measures: list[tuple[int, int, int, int]] = []
        self._grown: dict[int, tuple[int, int]] = {}
        self._endings: list[tuple[Any, ...]] = []
        self._loose: list[tuple[int, bytes]] = []
        self._now = int(time.time())
        self._bulk = bulk
        self._bare = not self._files
        if bulk:
            connection.execute("insert into words(words, rank) values ('hashsize', ?)", (BULK_BYTES,))
        self._later = _without_indexes(connection) if bulk and self._bare else []

    @classmethod
    @contextmanager
    def writing(
        cls, connection: sqlite3.Connection, repo: Repository, parse: Parse, *, bulk: bool
    ) -> Iterator[Writer]:
        """A writer; what it has gathered is written at the end of the block, unless that raises.

        `bulk`: it gets very many files.
        """
        with pages(connection, BULK_PAGES) if bulk else nullcontext():
            writer = cls(connection, repo, parse, bulk=bulk)
            yield writer
            writer.finish()

    def place(self, layout: Layout, place: Place) -> int:
        """The number of a place, written down if it is new."""
        key = (place, layout.base)
        found = self._places.get(key)
        if found is None:
            self._connection.execute(
                "insert or ignore into place(text) values (?)", (place_text(layout, place),)
            )
            found = self._places[key] = place_number(self._connection, layout, place) or 0
        return found

    def add(self, layout: Layout, path: str, place: Place, key: str, content: Content, snapshots: int) -> int:
        """The number of the row for a content at a path; read and written unless it is there.

        `snapshots` are bits to be set in it.
        """
        known = self.known(layout, path, place, content, snapshots)
        return self.read(layout, path, place, key, content, snapshots) if known is None else known

    def known(self, layout: Layout, path: str, place: Place, content: Content, snapshots: int) -> int | None:
        """The number of a row that is there; its bits are set."""
        if self._bare:
            return None
        row = self._connection.execute(
            "select f, snapshots, size from file where path = ? and blob = ? and place = ?",
            (to_text(path), content.blob, self.place(layout, place)),
        ).fetchone()
        if row is None:
            return None
        f, held = int(row[0]), int(row[1])
        if held | snapshots != held:
            self._connection.execute(
                "update file set snapshots = snapshots | ?, stale = null where f = ?", (snapshots, f)
            )
            self._mark(f, int(row[2]), snapshots & ~held)
        elif not held:
            self._connection.execute("update file set stale = ? where f = ?", (self._now, f))
        return f

    def read(
        self,
        layout: Layout,
        path: str,
        place: Place,
        key: str,
        content: Content,
        snapshots: int,
        data: bytes | None = None,
    ) -> int:
        """Reads a content that has no row yet, and gives the number of its row.

        `data` are its bytes, where they are at hand.
        """
        f = self._next
        parsed = ParsedFile(())
        if content.problem is not None:
            parsed = ParsedFile((), (content.problem,))
        else:
            try:
                if data is None:
                    data = self._repo.blob(content.blob.hex()) if content.data is None else content.data
                parsed = self._parse(layout, path, data, (place, key), blob=content.blob)
            except MemgitError as error:  # missing or broken in the repository: the other files still count
                parsed = ParsedFile((), (Problem("MG001", 1, error.message, True),))
        self._put(f, path, place, key, self.place(layout, place), content, snapshots, parsed, data or b"")
        if content.data is not None:
            self._loose.append((f, zlib.compress(content.data, 1)))
        self._next += max(1, len(parsed.records))
        self._files += 1
        if len(self._rows) >= BATCH or not self._bulk:
            self.flush()
        return f

    def _put(
        self,
        f: int,
        path: str,
        place: Place,
        key: str,
        number: int,
        content: Content,
        snapshots: int,
        parsed: ParsedFile,
        data: bytes,
    ) -> None:
        stem = normal(path.removesuffix(".md").rpartition("/")[2])
        tail = normal(key.rpartition("/")[2])
        problems = to_json(parsed.problems) if parsed.problems else None
        meta = to_json(dict(parsed.meta)) if parsed.meta else None
        entry = place.kind in KINDS and KINDS[place.kind].stored == "entry"
        length = 0
        starts = line_starts(data) if len(parsed.records) > 1 else []
        for ordinal, record in enumerate(parsed.records):
            n = f + ordinal
            texts = indexed(record)
            whole = joined(texts)
            name = normal(record.title)
            address = f"{place.kind}/{key}#{record.title}" if entry else f"{place.kind}/{key}"
            lines = (starts[record.line - 1], starts[record.end_line]) if starts else (0, len(data))
            tags = tags_of(record)
            self._records.append(
                (
                    n,
                    f,
                    record.kind,
                    day_of(record),
                    1 if record.archived else 0,
                    to_text(record.title),
                    to_text(name),
                    record.id,
                    None if record.address == address else to_text(record.address),
                    record.line,
                    record.end_line,
                    to_fields(record.fields),
                    to_json(record.problem) if record.problem is not None else None,
                    zlib.crc32(whole),
                    *span(data, record.body, lines),
                    to_json(tags) if tags else None,
                )
            )
            self._words.append((n, *texts))
            long = length_of(whole)
            self._measures.append((n, f, long, snapshots))
            length += long
            self._endings += [(n, to_text(ending)) for ending in endings(record)]
        if snapshots:
            self._grow(snapshots, len(parsed.records), length)
        self._rows.append(
            (
                f,
                place.kind,
                to_text(key),
                to_text(path),
                content.blob,
                number,
                len(parsed.records),
                snapshots,
                to_text(stem),
                None if tail == stem else to_text(tail),
                _outside(data, parsed),
                problems,
                meta,
                None if snapshots else self._now,
            )
        )

    def hold(self, name: str, files: AbstractSet[int]) -> None:
        """Keeps rows that are in no snapshot because a snapshot of that name shows them in place of its own;
        those it held before go.
        """
        held = {f for (f,) in self._connection.execute("select f from held where name = ?", (name,))}
        self._connection.executemany("insert into held values (?, ?)", [(name, f) for f in files - held])
        self._connection.executemany(
            "delete from held where name = ? and f = ?", [(name, f) for f in held - files]
        )

    def drop(self, f: int, bit: int) -> None:
        """Takes a row out of a snapshot."""
        self._connection.execute(
            (
                "update file set snapshots = snapshots & ~?, stale = case when snapshots & ~? then null "
                "else ? end where f = ?"
            ),
            (bit, bit, self._now, f),
        )
        self._mark(
            f,
            self._connection.execute("select size from file where f = ?", (f,)).fetchone()[0],
            bit,
            taken=False,
        )

    def _mark(self, f: int, size: int, bits: int, *, taken: bool = True) -> None:
        """Takes the measures of a file's records into snapshots, or out of them."""
        span = (f, f + size - 1)
        records, length = self._connection.execute(
            "select count(*), total(length) from measure where n between ? and ?", span
        ).fetchone()
        change = "snapshots | ?" if taken else "snapshots & ~?"
        self._connection.execute(
            f"update measure set snapshots = {change} where n between ? and ?", (bits, *span)
        )
        self._grow(bits, records if taken else -records, int(length) if taken else -int(length))

    def _grow(self, bits: int, records: int, length: int) -> None:
        known = self._grown.get(bits, (0, 0))
        self._grown[bits] = (known[0] + records, known[1] + length)

    def flush(self) -> None:
        """Writes what was gathered."""
        many = self._connection.executemany
        many("insert into file values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", self._rows)
        many("insert into record values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", self._records)
        many(
            "insert into words(rowid, title, keywords, context, body, rest) values (?, ?, ?, ?, ?, ?)",
            self._words,
        )
        many("insert into measure values (?, ?, ?, ?)", self._measures)
        if self._endings:
            many("insert into ending values (?, ?)", self._endings)
        if self._loose:
            many("insert or replace into loose values (?, ?)", self._loose)
        for rows in (self._rows, self._records, self._words, self._measures, self._endings, self._loose):
            rows.clear()

    def finish(self) -> None:
        """Writes the rest, and drops old rows that no snapshot holds where there are too many of them."""
        self.flush()
        for statement in self._later:
            self._connection.execute(statement)
        if self._bulk:
            if self._bare:
                # What a build leaves in pieces, the writes that follow would put together: milliseconds of
                # each for hundreds of them.
                self._connection.execute("insert into words(words) values ('optimize')")
            self._connection.execute("insert into words(words, rank) values ('hashsize', 1048576)")
        else:
            self._connection.execute("insert into words(words, rank) values ('merge', ?)", (MERGED_PAGES,))
        grown = [(*sums, bits) for bits, sums in self._grown.items()]
        self._connection.executemany(
            "update snapshot set records = records + ?, length = length + ? where ? >> bit & 1", grown
        )
        self._prune()
        self._connection.execute(
            "update counter set next = ?, files = ?, ghosts = ?", (self._next, self._files, self._ghosts)
        )

    def _prune(self) -> None:
        """Drops the rows that were in a snapshot longest ago; those that were just written stay, and those
        that are held.
        """
        # Left to itself, SQLite looks through the whole table by `f`.
        spare = (
            "from file indexed by file_stale where snapshots = 0 and f < ? and f not in (select f from held)"
        )
        count = self._connection.execute(f"select count(*) {spare}", (self._first,)).fetchone()[0]
        most = max(4, self._files // KEPT)
        if count <= most:
            return
        oldest = f"select f {spare} order by stale, f limit ?"
        doomed = self._connection.execute(
            (
                "select file.f, path, blob, size, text from file join place on place.id = file.place "
                f"where file.f in ({oldest})"
            ),
            (self._first, min(count - most // 2, MAX_PRUNED_ROWS)),
        ).fetchall()
        for f, path, blob, size, place in doomed:
            self._remove(f, from_text(path), blob, size, place)
        if self._ghosts > MAX_GHOST_RECORDS + self._files // 2:
            raise sqlite3.DatabaseError("the full-text index holds too many records that are gone")

    def _remove(self, f: int, path: str, blob: bytes, size: int, place: str) -> None:
        connection = self._connection
        crcs = dict(
            connection.execute("select n, crc from record where n between ? and ?", (f, f + size - 1))
        )
        for n, texts in self._old_words(f, path, blob, place).items():
            if crcs.get(n) == checksum(texts):
                del crcs[n]
                connection.execute(
                    (
                        "insert into words(words, rowid, title, keywords, context, body, rest) values "
                        "('delete', ?, ?, ?, ?, ?, ?)"
                    ),
                    (n, *texts),
                )
        # A search leaves out numbers without a record, so what stays in the index is a loss of space only.
        self._ghosts += len(crcs)
        self._files -= 1
        span = (f, f + size - 1)
        connection.execute(
            "insert or ignore into gone select id from record where n between ? and ? and id is not null",
            span,
        )
        connection.execute("delete from ending where n between ? and ?", span)
        connection.execute("delete from measure where n between ? and ?", span)
        connection.execute("delete from record where n between ? and ?", span)
        connection.execute("delete from loose where f = ?", (f,))
        connection.execute("delete from file where f = ?", (f,))

    def _old_words(self, f: int, path: str, blob: bytes, place: str) -> Mapping[int, tuple[str, ...]]:
        """What was put into the full-text index for a file, from its bytes; empty where they are gone."""
        loose = self._connection.execute("select data from loose where f = ?", (f,)).fetchone()
        try:
            data = zlib.decompress(loose[0]) if loose is not None else self._repo.blob(blob.hex())
        except (MemgitError, zlib.error):
            return {}
        return {
            f + ordinal: indexed(record)
            for ordinal, record in enumerate(self._parse(layout_of(place), path, data).records)
        }


def _without_indexes(connection: sqlite3.Connection) -> list[str]:
    """Drops the indexes of the empty tables, and gives the statements that make them again: all at once,
    sorted, costs half as much.
    """
    query = (
        "select name, sql from sqlite_master where type = 'index' and tbl_name in ('file', 'record', "
        "'ending') and sql is not null"
    )
    found = connection.execute(query).fetchall()
    for name, _ in found:
        connection.execute(f"drop index {name}")
    return [sql for _, sql in found]


def _outside(data: bytes, parsed: ParsedFile) -> int | None:
    """1 where a file has wikilinks that are part of no record (above the first entry, in a block that cannot
    be read), else None.
    """
    if b"[[" not in data:
        return None
    if any(record.problem is not None for record in parsed.records):
        return 1
    first = parsed.records[0].line if parsed.records else data.count(b"\n") + 2
    return 1 if b"[[" in b"\n".join(data.split(b"\n", first - 1)[: first - 1]) else None
