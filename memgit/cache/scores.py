"""BM25 within one snapshot, by an index that holds the records of them all.

FTS5's own `bm25` counts whatever lies in its index: old versions of records, and those of other branches. Two
clones of one commit that have seen different things would then answer differently. So here FTS5 only tells
how often a term stands in a record; how many records there are, how many of them hold the term and how long
they are is counted in the snapshot.

SQL has one way to ask FTS5 how often: its rank for one term is c * f / (f + k), where f is the weighted
number of times. The index keeps no lengths of its own (`columnsize=0`), so that k is the same for every
record, and is known from row 0, whose f is known; c is what the rank would be without end of times. All
weights are halves, so 2f is a whole number, and comes out exactly. That takes a quarter of the time of a rank
that looks up the length of every record.

Scores are sums of whole numbers: no order of adding up changes them, and what is alike is alike to the last
digit.
"""

from __future__ import annotations

import sqlite3
from math import log

from memgit import TYPE_CHECKING
from memgit.cache.rows import FROM_MEASURES, FROM_RECORDS, HEAD, LONE, WEIGHTS
from memgit.cache.tokens import Term
from memgit.model.kinds import KINDS
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Protocol, TypeVar

    from memgit.cache.db import Cache
    from memgit.model.record import Record

    T = TypeVar("T")

    class Source(Protocol):
        """What is asked of the records of one state: see `records.Snapshot`."""

        cache: Cache

        def query(self, work: Callable[[sqlite3.Connection], T]) -> T: ...
        def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]: ...
        def heads(self, sql: str, values: Sequence[Any] = ()) -> list[Record]: ...
        def paths(self, kind: str | None = None) -> list[str]: ...
        def visible_in(self, table: str) -> str: ...
        def counts_kept(self) -> dict[str, int]: ...
        def extent(self, connection: sqlite3.Connection) -> tuple[int, int]: ...


K1, B = 1.2, 0.75
"""The parameters of BM25 as FTS5 has them."""
PRIOR = 100
"""Words that count as part of every record: among short records, length says little about what they are
about. `docs/search.md` has what was tried.
"""
ONE = 10**12
"""Scores are whole numbers of this part of one."""
MAX_COUNTS = 50_000
"""Counts that are kept of one commit."""
TINY = 1e-4
"""k below which rounding would tell on a term that stands in a record very often."""

Counted = tuple[Term, int]
"""A term and the number of records of the snapshot that hold it."""
Scored = tuple[int, int]
"""A score and the number of the record that has it."""

_ENDLESS = f"bm25(words, {', '.join(['1e18'] * len(WEIGHTS))})"
_ENTRIES = ", ".join(f"'{name}'" for name, kind in KINDS.items() if kind.stored == "entry")
_ADDRESS = (
    f"coalesce(record.address, file.kind || '/' || file.key || case when file.kind in ({_ENTRIES}) then "
    "'#' || record.title else '' end)"
)
_BY_ADDRESS = f"cast({_ADDRESS} as blob), cast(file.path as blob), record.n"
"""An order of records that does not depend on when the cache has read them."""


class Counts:
    """How many records of a snapshot hold each term, looked up once. For use within one `query`."""

    def __init__(self, connection: sqlite3.Connection, source: Source) -> None:
        self._connection = connection
        self._source = source
        self._known = source.counts_kept()
        if len(self._known) > MAX_COUNTS:
            self._known.clear()
        self.records, _ = source.extent(connection)
        self._sql: str | None = None

    def _counting(self, what: str) -> str:
        if self._sql is None:
            self._sql = f"{FROM_MEASURES} where words match ? and {self._source.visible_in('measure')}"
            rows, ghosts = self._connection.execute(
                "select (select count(*) from measure), ghosts from counter"
            ).fetchone()
            # the index holds nothing else, and need not be compared row by row
            if not ghosts and rows == self.records:
                self._sql = "from words where words match ? and rowid > 0"
        return f"select {what} {self._sql}"

    def at_most(self, match: str, limit: int) -> int:
        """The same, where more than a limit are alike: then one more than the limit."""
        found = self._known.get(match)
        if found is None:
            key = f"{limit} {match}"
            found = self._known.get(key)
            if found is None:
                sql = f"select count(*) from ({self._counting('1')} limit {limit + 1})"
                found = self._known[key] = int(self._connection.execute(sql, (match,)).fetchone()[0])
        return min(found, limit + 1)

    def of(self, match: str) -> int:
        """Of an expression of FTS5."""
        if match not in self._known:
            sql = self._counting("count(*)")
            self._known[match] = int(self._connection.execute(sql, (match,)).fetchone()[0])
        return self._known[match]


def count(source: Source, match: str) -> int:
    """How many records of a snapshot an expression of FTS5 finds."""
    known = source.counts_kept().get(match)
    return (
        known if known is not None else source.query(lambda connection: Counts(connection, source).of(match))
    )


def settle(source: Source) -> None:
    """Sees to it that k is no zero, which it comes close to where the records of the cache have 15 words on
    average.
    """

    def widen() -> None:
        with source.cache.write() as connection:
            records = connection.execute("select next from counter").fetchone()[0]
            connection.execute("insert into words(rowid, rest) values (0, ?)", ("x " * (20 + records // 50),))

    while abs(source.query(_constant)) < TINY:
        source.cache.run(widen)


def _constant(connection: sqlite3.Connection) -> float:
    """k, as row 0 has it.

    Raises:
        sqlite3.DatabaseError: the row is not there.
    """
    row = connection.execute(
        f"select {_ENDLESS}, rank from words where words match ? and rowid = 0", (LONE,)
    ).fetchone()
    if row is None:
        raise sqlite3.DatabaseError("the full-text index has lost its first row")
    return float(WEIGHTS[0] * (row[0] / row[1] - 1))


class Plan(NamedTuple):
    """How a query is answered.

    Attributes:
        bringing: terms each of which brings in the records that hold it.
        adding: terms that only add to the scores of records that something else brings in.
        needed: an expression of FTS5 that brings in records; None where the terms do.
    """

    bringing: tuple[Counted, ...] = ()
    adding: tuple[Counted, ...] = ()
    needed: str | None = None


class Scores:
    """The records that a plan brings in, with their scores. Made and asked within one `query`."""

    def __init__(self, connection: sqlite3.Connection, source: Source, plan: Plan, *, least: int = 0) -> None:
        """`least`: so many of the best will be asked for."""
        self._connection = connection
        self._least = least
        self._asked = 0
        self._rows: list[Sequence[int]] = []
        self._records, length = source.extent(connection)
        slope = B / (max(1, length) / max(1, self._records) + PRIOR)
        self._common: list[float] = [
            2 * K1 * (1 - B + slope * PRIOR),
            2 * K1 * slope,
            2 * _constant(connection),
        ]
        self._values: list[Any] = []
        visible = source.visible_in("measure")
        parts = [self._part(counted, FROM_MEASURES, f" and {visible}") for counted in plan.bringing]
        self._sql = self._candidates(plan, parts, visible) if plan.adding else _summed(parts)

    def expand(self, extra: Sequence[Counted], pool: int) -> None:
        """Lets more terms add to the scores of the best records, `pool` of them at most. From here on it is
        these alone that were brought in.
        """
        rows = self._top(pool)[:pool]
        if len(rows) == pool:  # those alike to the last one may be anywhere in the order of numbers
            rows = [row for row in rows if row[0] > rows[-1][0]]
        self._sql = self._added([(n, length, s) for s, n, length, *_ in rows], extra)
        self._rows, self._asked = [], 0

    def _candidates(self, plan: Plan, parts: Sequence[str], visible: str) -> str:
        """What is brought in, with the terms that only add to it, as SQL."""
        if plan.needed is None:
            found, values = f"select n, length, s from ({_summed(parts)})", self._values
        else:
            found, values = (
                f"select words.rowid, length, 0 {FROM_MEASURES} where words match ? and {visible}",
                [plan.needed],
            )
        return self._added(self._connection.execute(found, values).fetchall(), plan.adding)

    def _added(self, rows: Sequence[Sequence[int]], adding: Sequence[Counted]) -> str:
        """Writes down number, length and score of what is brought in, and adds to the scores."""
        connection = self._connection
        connection.execute(
            "create temp table if not exists candidate(n integer primary key, length integer, s integer)"
        )
        connection.execute("delete from temp.candidate")
        connection.executemany("insert into temp.candidate values (?, ?, ?)", rows)
        # What else the terms stand in is passed over without ranking it.
        joined = "from words cross join temp.candidate on candidate.n = words.rowid"
        self._values.clear()
        parts = [self._part(counted, joined) for counted in adding]
        return _summed(["select s, n, length from temp.candidate", *parts])

    def _part(self, counted: Counted, joined: str, condition: str = "") -> str:
        """Score, number and length of the records that hold a term, as SQL; adds its values in their order."""
        term, holders = counted
        endless = _ENDLESS
        values = [weight(self._records, holders) * term.weight * (K1 + 1) * ONE, *self._common]
        if not term.prefix and len(term.words) < 2:  # of others, finding the rows a second time takes longer
            sql = f"select {_ENDLESS} from words where words match ? limit 1"
            values.append((self._connection.execute(sql, (term.match,)).fetchone() or (0,))[0])
            endless = "?"
        self._values += [*values, term.match]
        often = f"round(? / ({endless} / words.rank - 1.0))"
        score = f"cast(? / (1.0 + (? + ? * length) / {often}) as integer)"
        return f"select {score} as s, words.rowid as n, length {joined} where words match ?{condition}"

    def best(self, most: int) -> list[Scored]:
        """The best ones, the best first; alike ones in any order."""
        return [(s, n) for s, n, *_ in self._top(most)[:most]]

    def _top(self, most: int) -> list[Sequence[int]]:
        """Score, number and length of the best ones, at least so many; worked out once."""
        if self._asked < most:
            self._asked = max(most, self._least)
            sql = f"{self._sql} order by s desc limit {self._asked}"
            self._rows = self._connection.execute(sql, self._values).fetchall()
        return self._rows

    def alike(self, score: int, conditions: str, values: Sequence[Any]) -> sqlite3.Cursor:
        """Score and head of all those with one score that fit some conditions, by address."""
        scored = f"select * from ({self._sql}) where s = {score}"
        return self._scored(scored, f"{conditions} order by {_BY_ADDRESS}", values)

    def below(self, score: int, conditions: str, values: Sequence[Any]) -> sqlite3.Cursor:
        """Score and head of those with lower ones, the best first."""
        # The limit keeps SQLite from taking the order for useless.
        scored = f"select * from ({self._sql}) where s < {score} order by s desc limit -1"
        return self._scored(scored, conditions, values)

    def heads(
        self, found: Sequence[Scored], conditions: str, values: Sequence[Any]
    ) -> Iterator[tuple[Any, ...]]:
        """Score and head of each of those that fit some conditions, in any order."""
        scores = {n: score for score, n in found}
        sql = (
            f"select record.n, {HEAD} {FROM_RECORDS} where record.n in "
            f"({', '.join(map(str, scores))}){conditions}"
        )
        return ((scores[n], *head) for n, *head in self._connection.execute(sql, values))

    def _scored(self, scored: str, rest: str, values: Sequence[Any]) -> sqlite3.Cursor:
        joined = (
            f"({scored}) scored cross join record on record.n = scored.n cross join file on file.f = record.f"
        )
        sql = f"select scored.s, {HEAD} from {joined} where true{rest}"
        return self._connection.execute(sql, [*self._values, *values])


def _summed(parts: Sequence[str]) -> str:
    return (
        parts[0]
        if len(parts) == 1
        else f"select sum(s) as s, n, length from ({' union all '.join(parts)}) group by n"
    )


def weight(records: int, holders: int) -> float:
    """The weight (inverse document frequency) of a term that so many of all records hold.

    With one added, as Lucene reckons it, so that a word that most records hold still says something.
    """
    return log(1 + (records - holders + 0.5) / (holders + 0.5)) if 0 <= holders <= records else 0.0
