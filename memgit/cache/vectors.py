"""Vectors of records, kept by the content that they were made from, so that no commit needs them anew."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.cache.rows import FROM_FILES, FROM_RECORDS
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Record

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from memgit.cache.records import Snapshot

VERSION = 1
"""Of the table, and of how vectors are made: to be raised with every change of either."""
_SCHEMA = """
create table vector(blob blob not null, line integer not null, data blob not null, primary key(blob, line)) without rowid;
"""
_JOINED = f"{FROM_FILES} {{}} join vector on vector.blob = file.blob and vector.line = record.line"


class Missing(NamedTuple):
    """A record without a vector, and the content of its file."""

    record: Record
    blob: bytes


def load(source: Snapshot) -> tuple[list[int], bytes]:
    """The numbers of the records of a snapshot that have a vector, and the vectors one after the other."""
    rows = _ready(source).rows(
        f"select record.n, vector.data {_JOINED.format('cross')} where {{visible}} order by record.n"
    )
    return [n for n, _ in rows], b"".join([data for _, data in rows])


def missing(source: Snapshot, limit: int) -> list[Missing]:
    """Records without a vector, at most so many."""
    _ready(source)
    where = "where {visible} and vector.data is null"

    def work(connection: sqlite3.Connection) -> list[Missing]:
        sql = f"select {{head}}, file.blob {_JOINED.format('left')} {where} limit {limit}"
        found = connection.execute(source.sql(sql)).fetchall()
        return [Missing(source.head(head), blob) for *head, blob in found]

    return source.query(work)


def keep(source: Snapshot, made: Iterable[tuple[Missing, bytes]]) -> None:
    """Keeps vectors."""
    rows = [(one.blob, one.record.line, data) for one, data in made]

    def work() -> None:
        with source.cache.write() as connection:
            connection.executemany("insert or replace into vector values (?, ?, ?)", rows)

    source.cache.run(work)


def prune(source: Snapshot) -> None:
    """Drops the vectors of contents that the cache knows no more."""

    def work() -> None:
        with source.cache.write() as connection:
            connection.execute("delete from vector where blob not in (select blob from file)")

    source.cache.run(work)


def numbers(source: Snapshot, records: Sequence[Record]) -> list[int | None]:
    """The numbers of some records, None for one that is not in the snapshot."""
    out: list[int | None] = []
    for record in records:
        row = source.rows("select f from file where path = ? and {visible}", [record.path])
        out.append(row[0][0] + record.ordinal if row else None)
    return out


def heads(source: Snapshot, some: Sequence[int]) -> dict[int, Record]:
    """The heads of records by number."""
    listed = ", ".join(map(str, some))

    def work(connection: sqlite3.Connection) -> dict[int, Record]:
        sql = source.sql(
            f"select record.n, {{head}} {FROM_RECORDS} where record.n in ({listed}) and {{visible}}"
        )
        return {n: source.head(head) for n, *head in connection.execute(sql)}

    return source.query(work)


def _ready(source: Snapshot) -> Snapshot:
    source.cache.run(lambda: source.cache.schema("vectors", VERSION, _SCHEMA))
    return source
