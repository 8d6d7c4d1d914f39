"""The rows of parsed files: their tables, what is kept of a file and its records, and how they are written
and dropped.

A file row stands for one content (blob) at one path read in one way (place of the layout). It says in
`snapshots`, one bit each, which snapshots hold it. The records of a file have consecutive numbers from `f`,
its own, on; no number is ever used twice.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from itertools import accumulate

from memgit import TYPE_CHECKING
from memgit.cache.tokens import TOKENIZER, fold
from memgit.model.kinds import KINDS
from memgit.model.layout import Layout, Place
from memgit.model.link import normal, own_names
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import ParsedFile, Problem, Record, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Protocol

else:
    Protocol = object


class Parse(Protocol):
    """What reads a file: as `formats.codecs.parse_file`, told the git hash of the bytes where that is known."""

    def __call__(
        self,
        layout: Layout,
        path: str,
        data: bytes,
        found: tuple[Place, str] | None = None,
        *,
        blob: bytes | None = None,
    ) -> ParsedFile: ...


VERSION = 10
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
    crc integer not null, start integer, length integer, tags text);
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
their number and sum. `record.start` and `.length` say where in the bytes of the file its text stands, null
where it stands there otherwise (see `span`); `tags` are null where it has none. `tally` has how many records of a
snapshot are not archived. `ending` has aliases of notes and ends of titles that start at a slash or hash inside;
`loose` the bytes of uncommitted files; `held` the rows that working trees show in place of their commit's; `gone` the
ids of records that were dropped."""

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


def span(data: bytes, body: str, within: tuple[int, int]) -> tuple[int, int] | tuple[None, None]:
    """Where a text stands in the bytes of a file, within two offsets: start and length, of which `text_at` makes
    exactly that text; two Nones where it stands there in pieces.
    """
    wanted = body.encode("utf-8", "surrogatepass")
    start = data.find(wanted, *within)
    if start < 0 and b"\r\n" in data:
        wanted = wanted.replace(b"\n", b"\r\n")
        start = data.find(wanted, *within)
    if start < 0 or (b"\r" in wanted and text_at(data, start, len(wanted)) != body):
        return None, None
    return start, len(wanted)


def text_at(data: bytes, start: int, length: int) -> str:
    """The text that `span` found, its lines ended by `\\n`."""
    return data[start : start + length].decode().replace("\r\n", "\n")


def line_starts(data: bytes) -> list[int]:
    """The offset of each line, and of the end after the last one."""
    return [0, *accumulate(len(line) + 1 for line in data.split(b"\n"))]


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
