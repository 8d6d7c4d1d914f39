"""The records of one commit, read without opening a file, and of a commit with uncommitted edits on top.

`refresh` brings the rows up to date in proportion to what changed since they were last looked at. A
`Snapshot` answers for one commit, an `OverlaySnapshot` for a commit and the files that differ from it in the working
tree. Both see one state however long they are read and whatever other processes write meanwhile, and neither
ever raises an error of SQLite: where the cache fails, it is made anew, or in memory.
"""

from __future__ import annotations

import sqlite3
from json import loads

from memgit import TYPE_CHECKING
from memgit.cache import lookup, rows
from memgit.cache import refresh as refreshing
from memgit.cache.db import Cache
from memgit.cache.refresh import Progress
from memgit.cache.rows import (
    FROM_FILES,
    FROM_RECORDS,
    FROM_WORDS,
    HEAD,
    Parse,
    address_of,
    from_fields,
    from_text,
    text_at,
    to_text,
)
from memgit.cache.tokens import phrase
from memgit.errors import NotFound
from memgit.formats.codecs import parse_file
from memgit.model.kinds import KINDS
from memgit.model.layout import Layout, Place
from memgit.model.link import Wikilink
from memgit.model.record import ParsedFile, Problem, Record, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeVar

    from memgit.git.repository import Repository

    T = TypeVar("T")

PAGE = 1_000
"""Records that are read at once."""
MAX_SAME_DAY = 2_000
"""Records of one day from which on they are looked for by their paths."""
MAX_KEPT_BLOB = 1 << 15
"""Bytes of a file that a process keeps in memory."""
KEPT_FILES = 512
"""Parsed files kept in memory for `load`."""


def refresh(
    cache: Cache,
    repo: Repository,
    layout: Layout,
    commit: str | None,
    progress: Progress | None = None,
    *,
    label: str = "",
    parse: Parse | None = None,
) -> Snapshot:
    """The records of a commit (None: of the empty tree), brought up to date.

    Args:
        cache: an open cache; of `memory_cache` where there is no other.
        repo: at its knowledge root.
        progress: told how many files of how many are done, where it takes long.
        label: keeps a second snapshot beside the worktree's own; for readers of other revisions, such as
            `at`.
        parse: what reads files; `formats.codecs.parse_file` unless given.

    Raises:
        NotFound: the commit is not there.
    """
    snapshot = Snapshot(cache, repo, layout, commit, label=label, progress=progress, parse=parse)
    snapshot.query(lambda _: None)
    return snapshot


class Snapshot:
    """The records of one commit.

    Records come as heads, with an empty `body`; `load` gives them in full.

    Attributes:
        commit: the commit that the answers are for; None for the empty tree.
        layout: how paths are read.
    """

    def __init__(
        self,
        cache: Cache,
        repo: Repository,
        layout: Layout,
        commit: str | None,
        *,
        label: str = "",
        progress: Progress | None = None,
        parse: Parse | None = None,
    ) -> None:
        self.cache = cache
        self.repo = repo
        self.layout = layout
        self.commit = commit
        self._name = refreshing.name_of(repo, layout, label)
        self._progress = progress
        self._parse = parse or _parse_file
        self._bit = 0
        self._state = (-1, -1)
        self._parsed: dict[tuple[str, bytes], ParsedFile] = cache.kept("parsed", self._name[1], self._parse)

    # Asking the database

    def query(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What `work` reads from the connection, the rows being those of this snapshot. It may be started
        again from its beginning.

        Raises:
            NotFound: the commit is not there.
        """

        def ready() -> T:
            self._ready()
            return work(self.cache.connection)

        return self.cache.run(ready)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of one query, in which `{visible}` is the condition that a row of `file` belongs to this
        snapshot.
        """
        bound = _bound(values)
        return self.query(
            lambda connection: connection.execute(sql.replace("{visible}", self.visible), bound).fetchall()
        )

    @property
    def visible(self) -> str:
        """That condition. It holds within one `query`."""
        return self.visible_in("file")

    def visible_in(self, table: str) -> str:
        """The same for `file` or `measure`."""
        return f"({table}.snapshots & {1 << self._bit})"

    def extent(self, connection: sqlite3.Connection) -> tuple[int, int]:
        """How many records there are, and how long their words are together.

        To be asked within one `query`.
        """
        records, length = connection.execute(
            "select records, length from snapshot where bit = ?", (self._bit,)
        ).fetchone()
        return int(records), int(length)

    def counts_kept(self) -> dict[str, int]:
        """What `scores.Counts` found out about the commit, in this process."""
        return self.cache.kept("counts", *self._name, self.commit)

    def _ready(self) -> None:
        """Sees to it that the rows are those of the commit, and that a read transaction holds them so."""
        cache = self.cache
        if self._state == (cache.generation, cache.serial) and cache.connection.in_transaction:
            return
        cache.schema("records", rows.VERSION, rows.SCHEMA)
        for _ in range(8):
            if not self._holds():
                with cache.write() as connection:
                    refreshing.move(
                        connection,
                        self.repo,
                        self.layout,
                        self.commit,
                        self._name,
                        self._parse,
                        self._progress,
                    )
            self._prepare()
            serial = cache.read()
            if self._holds() and self._prepared():
                self._state = (cache.generation, serial)
                return
            cache.end_read()  # another process moved the snapshot on between the two transactions
        raise sqlite3.OperationalError("another process keeps moving the snapshot")

    def _holds(self) -> bool:
        row = self.cache.connection.execute(
            "select bit, commit_id from snapshot where name = ?", (self._name[0],)
        ).fetchone()
        if row is None or row[1] != (self.commit or ""):
            return False
        self._bit = row[0]
        return True

    def _prepare(self) -> None:
        """What else must be written before reading."""

    def _prepared(self) -> bool:
        """Whether it is there, asked within the read transaction."""
        return True

    def head(self, row: Sequence[Any]) -> Record:
        """The head of a record from the columns `HEAD`.

        Raises:
            sqlite3.DatabaseError: the row is broken.
        """
        n, f, kind, key, path, title, line, end_line, address, fields, problem = row
        try:
            return Record(
                kind,
                address_of(kind, key, title, address),
                from_text(path),
                from_text(title),
                line,
                end_line,
                n - f,
                from_fields(fields),
                "",
                None if problem is None else _problems(f"[{problem}]")[0],
            )
        except (AttributeError, TypeError) as error:
            raise sqlite3.DatabaseError(f"a row is broken: {error}") from None

    def heads(self, sql: str, values: Sequence[Any] = ()) -> list[Record]:
        """The heads that one query finds:

        `{head}` stands for their columns, `{visible}` for the condition on `file`.
        """

        bound = _bound(values)

        def work(connection: sqlite3.Connection) -> list[Record]:
            return [self.head(row) for row in connection.execute(self.sql(sql), bound).fetchall()]

        return self.query(work)

    def sql(self, text: str) -> str:
        """A query with the columns of `{head}` and the condition of `{visible}` put in. It holds within one
        `query`.
        """
        return text.replace("{head}", HEAD).replace("{visible}", self.visible)

    # Reading

    def records(
        self,
        kind: str | None = None,
        group: str | None = None,
        *,
        archived: bool = True,
        topic: str | None = None,
    ) -> Iterator[Record]:
        """Heads of records, in the order of paths (those that are not UTF-8 last) and lines.

        Args:
            kind: only this kind.
            group: only this category, skill, scope or folder and those under it, in any case.
            archived: count archived records in.
            topic: leaves out most records that do not have these words among their keywords, topics or tags;
                the caller looks closely.
        """
        if topic is not None or group is not None:
            yield from self._selected(kind, group, archived, topic)
            return
        path, ordinal = "", -1
        conditions = "file.path >= ? and (file.path > ? or record.n - record.f > ?) and {visible}"
        conditions += ("" if archived else " and not record.archived") + (
            "" if kind is None else " and file.kind = ?"
        )
        sql = f"select {{head}} {FROM_FILES} where {conditions} order by file.path, record.n limit {PAGE}"
        while True:
            page = self.heads(sql, [path, path, ordinal] if kind is None else [path, path, ordinal, kind])
            yield from page
            if len(page) < PAGE:
                return
            path, ordinal = page[-1].path, page[-1].ordinal

    def _selected(
        self, kind: str | None, group: str | None, archived: bool, topic: str | None
    ) -> Iterator[Record]:
        found: Iterable[Record] | None = None if topic is None else self._of_topic(kind, topic)
        if found is None:
            found = (
                self.records(kind, archived=archived)
                if group is None
                else self._of_group(kind, group.strip("/"))
            )
        for record in sorted(found, key=lambda record: (record.path, record.ordinal)):
            if (archived or not record.archived) and (
                group is None or rows.under(rows.group_of(record), group.strip("/"))
            ):
                yield record

    def _of_topic(self, kind: str | None, topic: str) -> list[Record] | None:
        """Records that have the words of a topic side by side among their keywords; None where it has no
        words.
        """
        words = phrase(topic)
        if not words.words:
            return None
        condition, values = ("", []) if kind is None else (" and file.kind = ?", [kind])
        sql = f"select {{head}} {FROM_WORDS} where words match ? and {{visible}}{condition}"
        return self.heads(sql, [f"{{keywords}} : {words.match}", *values])

    def _of_group(self, kind: str | None, group: str) -> list[Record]:
        """Records of a group and a few more."""
        kinds = (
            [kind] if kind is not None else [row[0] for row in self.rows("select distinct kind from file")]
        )
        out: list[Record] = []
        for each in kinds:
            condition, values = rows.in_group(group)
            out += self.heads(
                f"select {{head}} {FROM_FILES} where file.kind = ? and {condition} and {{visible}}",
                [each, *values],
            )
        return out

    def recent(self, kind: str, limit: int) -> list[Record]:
        """The heads of the live records of a kind that were made or changed last, by the days that they name; the
        newest first.

        Those of one day come from the last path to the first, whatever the cache has seen before.
        """
        order = "{visible} and not record.archived order by record.day desc, file.path desc, record.n desc limit ?"
        newest = "where record.kind = ? and {visible} and not record.archived order by record.day desc, record.n desc limit ?"
        found = self.rows(f"select record.day {FROM_RECORDS} {newest}", [kind, limit])
        if len(found) < limit:
            return self.heads(
                f"select {{head}} {FROM_RECORDS} where record.kind = ? and {order}", [kind, limit]
            )
        if not found:
            return []
        last = found[-1][0]
        out = self.heads(
            f"select {{head}} {FROM_RECORDS} where record.kind = ? and record.day > ? and {order}",
            [kind, last, limit],
        )
        same = "select count(*) from (select 1 from record where kind = ? and day = ? limit ?)"
        # Many of one day are found sooner by their paths than put in order.
        tables = (
            FROM_FILES if self.rows(same, [kind, last, MAX_SAME_DAY])[0][0] == MAX_SAME_DAY else FROM_RECORDS
        )
        by = "file.kind" if tables == FROM_FILES else "record.kind"
        rest = f"select {{head}} {tables} where {by} = ? and record.day = ? and {order}"
        return out + self.heads(rest, [kind, last, limit - len(out)])

    def merged(self) -> list[Record]:
        """The heads of the records that were merged into another and archived."""
        found = (
            f"select {{head}} {FROM_RECORDS} where record.archived and record.fields like "
            f"'%\"merged_into\"%' and {{visible}}"
        )
        return [record for record in self.heads(found) if record.archived and record.text("merged_into")]

    def file(self, path: str) -> list[Record]:
        """The heads of the records of one file."""
        return self.heads(
            f"select {{head}} {FROM_FILES} where file.path = ? and {{visible}} order by record.n", [path]
        )

    def total(self) -> int:
        """How many records there are."""
        return self.query(self.extent)[0]

    def size(self, path: str) -> int:
        """How many records one file has."""
        return sum(
            size for (size,) in self.rows("select size from file where path = ? and {visible}", [path])
        )

    def paths(self, kind: str | None = None) -> list[str]:
        """The paths of the files that may hold records (links and submodules at such paths too), sorted."""
        where, values = ("", []) if kind is None else (" and file.kind = ?", [kind])
        return sorted(
            from_text(path)
            for (path,) in self.rows(f"select path from file where {{visible}}{where}", values)
        )

    def load(self, record: Record) -> Record:
        """A record in full, from its head.

        Where the file says something else by now, what stands at its place there. A file is parsed only where
        the text does not stand in it as one piece.
        """
        sql = (
            f"select record.start, record.length, file.blob, {HEAD} {FROM_FILES} "
            "where file.path = ? and record.n = file.f + ? and {visible}"
        )
        found = self.rows(sql, [record.path, record.ordinal])
        if not found:
            return record
        start, length, blob, *head = found[0]
        data = None if start is None else self._data(record.path, blob)
        if data is not None:
            return self.head(head)._replace(body=text_at(data, start, length))
        parsed = self.parsed(record.path)
        return parsed.records[record.ordinal] if record.ordinal < len(parsed.records) else record

    def tags(self) -> Iterator[tuple[Record, Sequence[str]]]:
        """The heads of the records that have tags, with these, in the order of paths and lines."""
        sql = (
            f"select record.tags, {{head}} {FROM_FILES} where record.tags is not null and {{visible}} "
            "order by file.path, record.n"
        )
        found = self.query(lambda connection: connection.execute(self.sql(sql)).fetchall())
        return ((self.head(head), loads(tags)) for tags, *head in found)

    def parsed(self, path: str) -> ParsedFile:
        """What one file holds, in full; empty where there is none."""
        found = self.rows("select blob, f from file where path = ? and {visible}", [path])
        if not found:
            return ParsedFile(())
        key = (path, found[0][0])
        parsed = self._parsed.get(key)
        if parsed is None:
            if len(self._parsed) >= KEPT_FILES:
                self._parsed.clear()
            data = self.data(path)
            parsed = self._parsed[key] = (
                ParsedFile(()) if data is None else self._parse(self.layout, path, data)
            )
        return parsed

    def blobs(self) -> dict[str, str]:
        """The blob of each file that may hold records, by path: the same as long as its bytes are."""
        found = self.rows("select path, blob from file where {visible}")
        return {from_text(path): blob.hex() for path, blob in found}

    def data(self, path: str) -> bytes | None:
        """The bytes of a record file; None where there is none, or none that is read."""
        found = self.rows("select blob from file where path = ? and {visible}", [path])
        return self._data(path, found[0][0]) if found else None

    def _data(self, path: str, blob: bytes) -> bytes | None:
        """The bytes of a record file by its blob."""
        if len(blob) != 20:
            return None
        kept = self.cache.kept("blobs")
        data: bytes | None = kept.get(blob)
        if data is None:
            try:
                data = self.repo.blob(blob.hex())
            except NotFound:
                return None
            if len(data) <= MAX_KEPT_BLOB:
                if len(kept) >= KEPT_FILES:
                    kept.clear()
                kept[blob] = data
        return data

    def problems(self) -> Iterator[tuple[str, Problem]]:
        """What cannot be understood in files, links and submodules among them, by path."""
        sql = "select path, problems from file where problems is not null and {visible}"
        found = self.query(
            lambda connection: [
                (from_text(path), _problems(problems))
                for path, problems in connection.execute(sql.replace("{visible}", self.visible))
            ]
        )
        for path, problems in sorted(found):
            for problem in problems:
                yield path, problem

    def metas(self, kind: str) -> list[tuple[str, str, Mapping[str, Value]]]:
        """Path, key and what the file says about itself (name, keywords), of each file of a kind that says
        something.
        """
        sql = "select path, key, meta from file where kind = ? and meta is not null and {visible}"
        found = self.query(
            lambda connection: [
                (from_text(path), from_text(key), from_fields(meta))
                for path, key, meta in connection.execute(sql.replace("{visible}", self.visible), [kind])
            ]
        )
        return sorted(found, key=lambda item: item[0])

    def in_use_by_path(self, kind: str) -> dict[str, int]:
        """How many records of a kind are not archived, by the path of their file; files without any are left out."""
        sql = f"select file.path, count(*) {FROM_FILES} where file.kind = ? and not record.archived and {{visible}}"
        return {
            from_text(path): count
            for path, count in self.rows(f"{sql} group by file.f order by file.path", [kind])
        }

    def in_use(self, kind: str) -> int:
        """How many records of a kind are not archived."""
        return self.query(lambda connection: self._in_use(connection, kind))

    def _in_use(self, connection: sqlite3.Connection, kind: str) -> int:
        row = connection.execute(
            "select live from tally where bit = ? and kind = ?", (self._bit, to_text(kind))
        ).fetchone()
        return 0 if row is None else int(row[0])

    def groups(self, kind: str) -> dict[str, int]:
        """How many records there are in each category, skill, scope or folder of a kind, archived ones too;
        sorted by name.
        """
        out: dict[str, int] = {}
        entry = kind in KINDS and KINDS[kind].stored == "entry"
        for key, size in self.rows(
            "select key, size from file where kind = ? and size > 0 and {visible}", [kind]
        ):
            name = from_text(key)
            group = name if entry else name.rpartition("/")[0]
            out[group] = out.get(group, 0) + size
        return dict(sorted(out.items()))

    # Names

    def at(self, address: str) -> list[Record]:
        """The heads of the records at a full address (more than one where a file has a title twice)."""
        return lookup.at(self, address)

    def lookup(self, text: str) -> list[Record]:
        """The heads of the records that a text may mean: an address, an id, a wikilink, an ending of an
        address, a title, its ending.
        """
        return lookup.lookup(self, text)

    def named(self, target: Wikilink, origin: str | None = None) -> list[Record]:
        """The heads of the records that a link in the file `origin` may lead to, as `model.link.Names` resolves it."""
        return lookup.named(self, target, origin)

    def suggest(self, text: str, limit: int = 3) -> list[str]:
        """Addresses that a mistyped one may have meant, the likeliest first."""
        return lookup.suggest(self, text, limit)

    def holding(self, names: Iterable[str]) -> list[str]:
        """The paths of files whose text may hold one of some names: all that do, and a few more. Sorted."""
        return lookup.holding(self, names)

    def with_id(self, record_id: str) -> list[Record]:
        """The heads of the records with an id; more than one where it was copied by hand."""
        return lookup.with_id(self, record_id)

    def taken(self, record_id: str) -> bool:
        """Whether an id was ever seen, in whatever commit or uncommitted edit this cache has read or made an
        event of.
        """
        return lookup.taken(self, record_id)


def _bound(values: Sequence[Any]) -> list[Any]:
    return [to_text(value) if isinstance(value, str) else value for value in values]


def _problems(text: str) -> list[Problem]:
    try:
        return [Problem(*found) for found in loads(text)]
    except (ValueError, TypeError) as error:
        raise sqlite3.DatabaseError(f"a row is broken: {error}") from None


def _parse_file(
    layout: Layout,
    path: str,
    data: bytes,
    found: tuple[Place, str] | None = None,
    *,
    blob: bytes | None = None,
) -> ParsedFile:
    return parse_file(layout, path, data, found)
