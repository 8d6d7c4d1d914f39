"""The rows of parsed files: their tables, what is kept of a file and its records, and how they are written
and dropped.

A file row stands for one content (blob) at one path read in one way (place of the layout). It says in
`snapshots`, one bit each, which snapshots hold it. The records of a file have consecutive numbers from `f`,
its own, on; no number is ever used twice.
"""

from __future__ import annotations

import json
import sqlite3
import time
import zlib
from contextlib import contextmanager, nullcontext

from memgit import TYPE_CHECKING
from memgit.cache.db import pages
from memgit.cache.tokens import TOKENIZER, fold
from memgit.errors import MemgitError
from memgit.model.kinds import KINDS
from memgit.model.layout import Layout, Place
from memgit.model.link import normal, own_names
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import ParsedFile, Problem, Record, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any, Protocol

    from memgit.git.repository import Repository
else:
    Protocol = object


class Parse(Protocol):
    """What reads a file: as `formats.forms.parse_file`, told the git hash of the bytes where that is known."""

    def __call__(
        self,
        layout: Layout,
        path: str,
        data: bytes,
        found: tuple[Place, str] | None = None,
        *,
        blob: bytes | None = None,
    ) -> ParsedFile: ...


VERSION = 9
"""Of the rows: to be raised with every change of the tables, of what is kept in them, or of what the parsers
give for the same bytes.
"""

_SCHEMA = """
create table snapshot(
    bit integer primary key, name text not null unique, family text not null, commit_id text not null, used integer not null,
    records integer not null, length integer not null);
create table tally(bit integer not null, kind text not null, live integer not null, primary key(bit, kind)) without rowid;
create table place(id integer primary key, text text not null unique);
create table file(
    f integer primary key, kind text not null, key not null, path not null, blob blob not null, place integer not null,
    size integer not null, snapshots integer not null, stem not null, tail, hidden_links integer, problems text, meta text, stale integer);
create unique index file_path on file(path, blob, place);
create index file_kind on file(kind, path);
create index file_key on file(kind, key collate nocase);
create index file_size on file(kind, snapshots, size);
create index file_stem on file(stem);
create index file_tail on file(tail) where tail is not null;
create index file_links on file(f) where hidden_links is not null;
create index file_problems on file(f) where problems is not null;
create index file_meta on file(kind) where meta is not null;
create index file_stale on file(stale) where snapshots = 0;
create table record(
    n integer primary key, f integer not null, kind text not null, day text not null, archived integer not null, title not null,
    name not null, id text, address, line integer not null, end_line integer not null, fields text not null, problem text,
    crc integer not null);
create index record_name on record(name);
create index record_id on record(id) where id is not null;
create index record_day on record(kind, day);
create index record_archived on record(kind, f) where archived;
create table measure(n integer primary key, f integer not null, length integer not null, snapshots integer not null);
create table ending(n integer not null, name not null);
create index ending_n on ending(n);
create index ending_name on ending(name);
create table loose(f integer primary key, data blob not null);
create table held(name text not null, f integer not null, primary key(name, f)) without rowid;
create table gone(id text primary key) without rowid;
create table counter(next integer not null, files integer not null, ghosts integer not null);
insert into counter values (1, 0, 0);
create virtual table words using fts5(title, keywords, context, body, rest, content='', columnsize=0, tokenize="TOKENIZER");
insert into words(rowid, title) values (0, 'LONE');
insert into words(words, rank) values ('rank', 'bm25(WEIGHTS)');
insert into words(words, rank) values ('automerge', 0);
insert into words(words, rank) values ('crisismerge', 1000);
insert into words(words, rank) values ('usermerge', 8)
"""
WEIGHTS = (6.0, 3.0, 1.5, 1.0, 0.5)
"""How much one occurrence in each column of the full-text index counts; in halves (see `cache.scores`)."""
LONE = "memgitlone"
"""The one word in the title of row 0 of the full-text index, which stands for no record: what it weighs there
tells how FTS5 reckons.
"""
SCHEMA = (
    _SCHEMA.replace("TOKENIZER", TOKENIZER)
    .replace("LONE", LONE)
    .replace("WEIGHTS", ", ".join(map(str, WEIGHTS)))
)
"""A snapshot is a bit in `file.snapshots`, and in `measure`, which has of each record what its score depends
on (`cache.scores`), in narrow rows, as a search reads very many of them; `snapshot.records` and `.length` are
their number and sum. `tally` has how many records of a snapshot are not archived. `ending` has aliases of notes and ends of titles
that start at a slash or hash inside; `loose` the bytes of uncommitted files; `held` the rows that working
trees show in place of their commit's; `gone` the ids of records that were dropped."""

HEAD = (
    "record.n, record.f, file.kind, file.key, file.path, record.title, record.line, record.end_line, "
    "record.address, record.fields,"
    " record.problem"
)
"""The columns that make the head of a record."""
FROM_FILES = "from file cross join record on record.n between file.f and file.f + file.size - 1"
FROM_RECORDS = "from record cross join file on file.f = record.f"
FROM_WORDS = "from words cross join record on record.n = words.rowid cross join file on file.f = record.f"
"""The same rows, found by their file, by themselves, or by full text; SQLite takes the tables in this order.
"""
FROM_MEASURES = "from words cross join measure on measure.n = words.rowid"
"""What full text finds, without its columns."""

BATCH = 500
"""Files that are written together."""
BULK = 1_000
"""From this many files on, the full-text index gathers words in memory before it writes them: 40 % less time
at 100,000 records.
"""
BULK_BYTES = 32 << 20
BULK_PAGES = 64_000
"""KiB of pages kept in memory meanwhile, so that the indexes of names and ids, which grow in no order, are
not read again and again.
"""
MERGED_PAGES = 64
"""Pages of the full-text index that each write puts in order. Left to itself, FTS5 orders it all at once in
every 250th write or so, which takes seconds at 100,000 records; in small pieces it takes a millisecond or two
of each write until it is in order, and then hardly any."""
KEPT = 16
"""One in so many file rows may be in no snapshot."""
MAX_PRUNED_ROWS = 300
"""Rows that one write drops: taking a record out of the full-text index takes as long as putting it in."""
MAX_GHOST_RECORDS = 1_000
"""Records that could not be taken out of the full-text index, because their old text is gone, before all is
made anew.
"""

_KEYWORDS = frozenset(["keywords", "topics", "tags"])
_CONTEXT = frozenset(["context", "description", "summary"])
_UNINDEXED = frozenset(
    ["id", "title", "created", "updated", "at", "archived", "version", "usage_count", "last_used"]
)

_IN_WORDS = bytes(byte for byte in range(256) if byte > 127 or chr(byte).isalnum() or byte == ord("_"))
"""The bytes of a text that are part of words."""

Text = str | bytes
"""Text in the database; bytes where it came from a file name that is not UTF-8, which SQLite takes for no
text.
"""


class Content(NamedTuple):
    """What there is to read at a path.

    Attributes:
        blob: git's name of it as bytes; a mark in front tells symlinks and submodules, which are not read.
        data: its bytes, where they lie in no blob yet.
        problem: why it is not read.
    """

    blob: bytes
    data: bytes | None = None
    problem: Problem | None = None


def to_text(text: str) -> Text:
    """Text as it is kept."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        escaped = all("\udc80" <= char <= "\udcff" for char in text if "\ud800" <= char <= "\udfff")
        return text.encode("utf-8", "surrogateescape" if escaped else "surrogatepass")
    return text


def from_text(kept: Text) -> str:
    """Text as it was before it was kept."""
    return kept if isinstance(kept, str) else kept.decode("utf-8", "surrogateescape")


_COMPACT = (",", ":")
_quoted = json.encoder.encode_basestring


def to_json(value: Any) -> str:
    """A value as one line; file names that are not UTF-8 are escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=_COMPACT)
    return text if isinstance(to_text(text), str) else json.dumps(value, separators=_COMPACT)


def to_fields(fields: Mapping[str, Value]) -> str:
    """The fields of a record as one line, the same as `to_json` gives; made for each record."""
    parts: list[str] = []
    for name, value in fields.items():
        written = (
            _quoted(value)
            if isinstance(value, str)
            else "null"
            if value is None
            else f"[{','.join(map(_quoted, value))}]"
        )
        parts.append(f"{_quoted(name)}:{written}")
    text = f"{{{','.join(parts)}}}"
    return text if text.isascii() or isinstance(to_text(text), str) else to_json(dict(fields))


def from_fields(text: str) -> dict[str, Value]:
    """The fields of a record.

    Raises:
        sqlite3.DatabaseError: the row is broken.
    """
    try:
        return {
            name: tuple(value) if type(value) is list else value for name, value in json.loads(text).items()
        }
    except (ValueError, AttributeError) as error:
        raise sqlite3.DatabaseError(f"a row is broken: {error}") from None


def place_text(layout: Layout, place: Place) -> str:
    """All that the reading of a file depends on besides its path and bytes."""
    return to_json(
        [place.kind, place.folder, place.pattern, place.form, sorted(place.never), place.new, layout.base]
    )


def place_number(connection: sqlite3.Connection, layout: Layout, place: Place) -> int | None:
    """The number of a place, None where it has none yet."""
    row = connection.execute("select id from place where text = ?", (place_text(layout, place),)).fetchone()
    return None if row is None else int(row[0])


def layout_of(text: str) -> Layout:
    """A layout of the one place that `place_text` wrote down."""
    kind, folder, pattern, form, never, new, base = json.loads(text)
    return Layout("", (Place(kind, folder, pattern, form, frozenset(never), new),), base)


def indexed(record: Record) -> tuple[str, str, str, str, str]:
    """What the full-text index holds of a record: title, keywords, context, body and all the rest, folded."""
    keywords: list[str] = []
    context: list[str] = []
    rest = [group_of(record)]
    for name, value in record.fields.items():
        if value and name not in _UNINDEXED:
            text = value if isinstance(value, str) else "\n".join(value)
            (keywords if name in _KEYWORDS else context if name in _CONTEXT else rest).append(text)
    return (
        fold(record.title),
        fold("\n".join(keywords)),
        fold("\n".join(context)),
        fold(record.body),
        fold("\n".join(rest)),
    )


def address_of(kind: str, key: Text, title: Text, address: Text | None) -> str:
    """The address of a record, which is written down only where its kind and key do not give it."""
    if address is not None:
        return from_text(address)
    start = f"{kind}/{from_text(key)}"
    return f"{start}#{from_text(title)}" if kind in KINDS and KINDS[kind].stored == "entry" else start


def group_of(record: Record) -> str:
    """The category, skill, scope or folder in a record's address."""
    rest = record.address.partition("/")[2]
    return (
        rest.partition("#")[0]
        if record.kind in KINDS and KINDS[record.kind].stored == "entry"
        else rest.rpartition("/")[0]
    )


def under(name: str, group: str) -> bool:
    """Whether a group (or topic) is another one or lies under it, in any case."""
    name, group = name.casefold(), group.casefold()
    return name == group or name.startswith(group + "/")


def in_group(group: str) -> tuple[str, list[str]]:
    """A condition on `file`, in SQL, with its values, for the records of a group and a few more.

    The index compares keys without regard to the case of ASCII letters; the caller looks closely with
    `under`.
    """
    if not group or not group.isascii():
        return "true", []
    nocase = "file.key collate nocase"
    return f"({nocase} = ? or ({nocase} >= ? and {nocase} < ?))", [group, f"{group}/", f"{group}0"]


def day_of(record: Record) -> str:
    """The day that a record counts for: of its last change, else of its making; empty where it names none."""
    return (record.text("updated") or record.text("created") or record.text("at") or "")[:10]


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
        for ordinal, record in enumerate(parsed.records):
            n = f + ordinal
            texts = indexed(record)
            whole = joined(texts)
            name = normal(record.title)
            address = f"{place.kind}/{key}#{record.title}" if entry else f"{place.kind}/{key}"
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
        many("insert into record values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", self._records)
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


def endings(record: Record) -> Iterator[str]:
    """Endings of an address that start after a slash or hash inside its last part, which are not found by
    that part itself; and the aliases of a note.
    """
    yield from map(normal, own_names(record)[1:])
    last = (
        normal(record.title) if "#" in record.address and record.address.endswith(f"#{record.title}") else ""
    )
    if not last:
        last = normal(record.address).rpartition("/")[2]
        if "#" not in last:
            return
    for position, char in enumerate(last):
        if char in "/#" and position + 1 < len(last):
            yield last[position + 1 :]


def checksum(texts: Sequence[str]) -> int:
    """Of what the full-text index holds of a record: it can be taken out only by giving exactly the same
    again.
    """
    return zlib.crc32(joined(texts))


def length_of(joined: bytes) -> int:
    """How long a record is for a search: the blanks and signs between its words, which are counted sooner
    than the words are.
    """
    return len(joined.translate(None, _IN_WORDS))


def joined(texts: Sequence[str]) -> bytes:
    """What the full-text index holds of a record, as one."""
    return "\0".join(texts).encode("utf-8", "surrogatepass")
