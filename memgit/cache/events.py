"""Events remembered by commit, so that the log costs what it shows.

What is remembered depends on the commit, the layout and the version of memgit alone, never on a branch.
Beside it stand *lines*: for a few recent heads the order in which `git log` gives their commits. A head that
moved on by plain commits continues its line; any other move numbers it anew. git is asked wherever the memory
has no answer, and the memory may vanish at any time.
"""

from __future__ import annotations

import sqlite3
from itertools import chain

from memgit import TYPE_CHECKING
from memgit.cache.db import FAILURES, Cache, memory_cache, pages
from memgit.cache.event_rows import (
    SCHEMA,
    SCHEMA_VERSION,
    Draft,
    drafted,
    fingerprint,
    forget_old,
    use,
    whole_numbers,
)
from memgit.cache.event_text import EVERYTHING, Entry, Filter, from_text
from memgit.cache.ids import key_of
from memgit.errors import NotFound, Refused
from memgit.git.history import history
from memgit.git.history.activity import Activity
from memgit.git.history.history import RawCommit
from memgit.git.repository import Repository
from memgit.model.layout import Layout
from memgit.model.namedtuple import NamedTuple
from memgit.model.operation import Event

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any


LINES = 4
STEPS = 2000
"""Plain commits up to which a moved head is followed back to a known line; beyond it the line is numbered
anew.
"""
FILL_PAGES = 32_000
"""KiB of pages in memory while a whole history is put in: ids and names come in no order, and their indexes
are looked up all the time.
"""
FIRST, BATCH = 25, 400
"""Commits that are looked up and stored together: few at first, so that a short answer comes at once."""


class _Stretch(NamedTuple):
    """The part of a line that belongs to a head: all of it, or up to a place."""

    line: int
    upto: int | None

    def where(self) -> tuple[str, list[str | int]]:
        """The stretch as a condition on `event_reach r`, with its parameters."""
        return (
            ("r.line = ?", [self.line])
            if self.upto is None
            else ("r.line = ? and r.seq <= ?", [self.line, self.upto])
        )


class BrokenOff(Exception):
    """Whoever tells events has failed, and not told them all."""


class Events:
    """The activity log of one repository and layout, with or without a cache; where the cache fails, git
    alone answers.
    """

    def __init__(self, repo: Repository, layout: Layout, cache: Cache | None = None) -> None:
        self._repo = repo
        self._layout = layout
        self._activity: Activity | None = None
        self._cache: Cache | None = None
        self._generation = 0
        self._view = 0
        self._private = False
        if cache is not None:
            self._take(cache)

    def _take(self, cache: Cache) -> None:
        """Works with a cache from now on, unless it cannot hold events.

        One that is read-only is never written to.
        """
        self._cache = None
        try:
            if not cache.readonly:
                cache.schema("events", SCHEMA_VERSION, SCHEMA)
            name = fingerprint(self._repo, self._layout)
            query = "select id from event_view where fingerprint = ?"
            found = cache.connection.execute(query, (name,)).fetchone()
            if found is None and cache.readonly:
                return
            if found is None:
                with cache.write() as db:
                    db.execute("insert or ignore into event_view (fingerprint) values (?)", (name,))
                    found = db.execute(query, (name,)).fetchone()
                    forget_old(db)
        except FAILURES as error:
            if not cache.readonly:
                self._give_up(cache, error)
        else:
            self._cache, self._view, self._generation = cache, found[0], cache.generation

    def _give_up(self, cache: Cache | None, error: Exception) -> None:
        """Lets the cache fix itself for the next user, and goes on without it."""
        self._cache = None
        if cache is not None:
            cache.recover(error)

    def _memory(self) -> Cache | None:
        """The cache as long as it is the one that the view's number was read from."""
        if self._cache is not None and self._cache.generation != self._generation:
            self._take(self._cache)
        return self._cache

    def walk(
        self, head: str, without: Sequence[str] = (), wanted: Filter = EVERYTHING, limit: int | None = None
    ) -> Iterator[Entry]:
        """The events of the commits that can be reached from a head, in the order of `git log`, newest first.

        Args:
            head: full hash of a commit.
            without: commits whose history is left out.
            limit: at most so many.

        Raises:
            Refused: git cannot read a commit; raised where the log breaks off.
        """
        given = 0
        if limit is not None and limit <= 0:
            return
        cache = None if without else self._memory()
        if cache is not None:
            try:
                line = self._line(cache, head)
                if line is not None:
                    for entry in self._selected(cache, line, wanted, limit):
                        given += 1
                        yield entry
                    return
            except FAILURES as error:
                self._give_up(cache, error)
        passed = 0
        everything = wanted.everything
        for entry in self._told(head, without, lazily=limit is not None):
            if everything or wanted.takes(entry.event):
                passed += 1
                if passed > given:
                    yield entry
                if passed == limit:
                    return

    def count(self, head: str) -> int | None:
        """How many events the history of a head has, where all of them are remembered; else None."""
        cache = self._memory()
        if cache is None:
            return None
        try:
            line = self._line(cache, head)
            if line is None:
                return None
            where, values = line.where()
            row = cache.connection.execute(f"select count(*) from event_reach r where {where}", values)
            return int(row.fetchone()[0])
        except FAILURES as error:
            self._give_up(cache, error)
            return None

    def fill(self, head: str, batches: Iterable[Sequence[Draft]]) -> int | None:
        """Remembers all events of a head, told elsewhere, newest first; how many they are, None where not all
        are remembered now.

        Where `batches` raises `BrokenOff`, those that were told are remembered.
        """
        cache = self._memory()
        if cache is None or cache.readonly:
            return None
        numbers: array[int] | None = whole_numbers()
        try:
            with pages(cache.connection, FILL_PAGES):
                for drafts in batches:  # waits for whoever tells them: nobody else is to wait meanwhile
                    stored = self._put(cache, drafts)
                    if stored is None or numbers is None:
                        numbers = None
                    else:
                        numbers.extend(stored)
                if numbers:
                    self._write_line(cache, head, numbers)
        except BrokenOff:
            return None
        except FAILURES as error:
            self._give_up(cache, error)
            return None
        return len(numbers) if numbers else None

    def touching(self, head: str, names: Iterable[str]) -> list[tuple[int, Event]]:
        """The events in the history of a head that may concern one of some ids or addresses, newest first.

        Each comes with its place in the log, counted from the oldest commit. A few may concern none of them:
        the caller looks.

        Raises:
            Refused: git cannot read a commit.
        """
        names = tuple(names)
        found = self._touching(head, names)
        if found is None:
            with memory_cache() as cache:
                self._private = True
                self._take(cache)
                found = self._touching(head, names)
                self._cache, self._private = None, False
        if found is None:
            raise Refused("the activity log cannot be held in memory")
        return found

    def _touching(self, head: str, names: Iterable[str]) -> list[tuple[int, Event]] | None:
        cache = self._memory()
        if cache is None:
            return None
        try:
            line = self._line(cache, head)
            if line is None and not cache.readonly:
                for _ in self._told(head, (), lazily=False):
                    pass
                line = self._line(cache, head) if self._memory() is cache else None
            return self._named(cache, line, names) if line is not None else None
        except FAILURES as error:
            self._give_up(cache, error)
            return None

    # Reading what is remembered

    def _line(self, cache: Cache, head: str) -> _Stretch | None:
        """Where the commits of a head stand: a line that ends in it or leads through it, or one that is
        continued to it.
        """
        query = "select id, head from event_line where view = ? order by used desc"
        lines = {known: line for line, known in cache.connection.execute(query, (self._view,))}
        if head in lines:
            if next(iter(lines)) != head and not cache.readonly:
                with cache.write() as db:
                    use(db, lines[head])
            return _Stretch(lines[head], None)
        if not lines or history.bent(self._repo):
            return None
        base = head
        chain: list[str] = []
        while base not in lines:
            place = cache.connection.execute(
                "select r.line, r.seq, l.head from event e cross join event_reach r on r.n = e.n cross join event_line l on l.id = r.line"
                " where e.id = ? and e.view = ? order by l.used desc limit 1",
                (base, self._view),
            ).fetchone()
            if place is not None:
                line, seq, was = place
                if not self._plain(was, base):
                    return None
                return self._continued(cache, line, was, seq, chain, base) if chain else _Stretch(line, seq)
            parents = self._parents(base)
            if parents is None or len(parents) != 1 or len(chain) >= STEPS:
                return None
            chain.append(base)
            base = parents[0]
        return self._continued(cache, lines[base], base, None, chain, base)

    def _continued(
        self, cache: Cache, line: int, was: str, keep: int | None, chain: Sequence[str], base: str
    ) -> _Stretch | None:
        """A line led on to the newest of a chain of plain commits, after what stands above `keep` was taken
        off it.
        """
        if cache.readonly:
            return None
        if self._repo.prefix:
            read = list(history.commits(self._repo, [chain[0], f"^{base}"]))
        else:
            read = list(history.listed(self._repo, self._unknown(chain)))
        known = self._recall([commit.commit for commit in read] if self._repo.prefix else chain)
        fresh = {
            commit.commit: Entry(self._activity_of().event(commit), None)
            for commit in read
            if commit.commit not in known
        }
        ids = [commit.commit for commit in read] if self._repo.prefix else chain
        stored = self._stored(cache, list(fresh.values()))
        if stored is None:
            return None
        place = {**{id_: n for id_, (n, _) in known.items()}, **dict(zip(fresh, stored, strict=True))}
        with cache.write() as db:
            if db.execute("select head from event_line where id = ?", (line,)).fetchone() != (was,):
                return None
            if keep is not None:
                db.execute("delete from event_reach where line = ? and seq > ?", (line, keep))
            top = db.execute("select max(seq) from event_reach where line = ?", (line,)).fetchone()[0] or 0
            db.executemany(
                "insert into event_reach (line, seq, n) values (?, ?, ?)",
                [(line, seq, place[id_]) for seq, id_ in enumerate(reversed(ids), top + 1)],
            )
            db.execute("update event_line set head = ? where id = ?", (chain[0], line))
            use(db, line)
        return _Stretch(line, None)

    def _plain(self, head: str, base: str) -> bool:
        """Whether only commits with one parent lead from a head down to one of its ancestors."""
        for _ in range(STEPS):
            if head == base:
                return True
            parents = self._parents(head)
            if parents is None or len(parents) != 1:
                return False
            head = parents[0]
        return False

    def _parents(self, commit: str) -> list[str] | None:
        try:
            return self._repo.parents_of(commit)
        except NotFound:
            return None

    def _selected(
        self, cache: Cache, stretch: _Stretch, wanted: Filter, limit: int | None
    ) -> Iterator[Entry]:
        """The events of a line.

        Their numbers are read at once, so that a slow reader holds up no writer and sees one state.
        """
        where, values = stretch.where()
        query = f"select n from event_reach r where {where}"
        if not wanted.everything:
            condition, more = wanted.where()
            query = f"select n from event_reach r join event using (n) where {where} and {condition}"
            values += more
        rows = cache.connection.execute(
            f"{query} order by seq desc limit ?", (*values, -1 if limit is None else limit)
        )
        numbers: Sequence[int] = [n for (n,) in rows.fetchmany(BATCH)]
        if len(numbers) == BATCH:  # there may be very many
            numbers = whole_numbers(chain(numbers, (n for (n,) in rows)))
        for start in range(0, len(numbers), BATCH):
            chunk = numbers[start : start + BATCH]
            found = dict(
                cache.connection.execute(
                    f"select n, text from event where n in ({','.join(map(str, chunk))})"
                )
            )
            for n in chunk:
                if n not in found:
                    raise sqlite3.OperationalError("the remembered events were cleared meanwhile")
                yield Entry(None, found[n])

    def _named(self, cache: Cache, stretch: _Stretch, names: Iterable[str]) -> list[tuple[int, Event]]:
        where, values = stretch.where()
        keys = ",".join(str(key_of(name)) for name in names)
        rows = cache.connection.execute(
            # `cross join` keeps SQLite to this order: from the few rows of a name, not from the many of a
            # line.
            "select distinct r.seq, e.text from event_name m cross join event_reach r on r.n = m.n cross join event e on e.n = m.n"
            f" where {where} and m.name in ({keys}) order by r.seq desc",
            values,
        )
        try:
            return [(seq, from_text(text)) for seq, text in rows]
        except ValueError as error:
            raise sqlite3.DatabaseError(f"a row is broken: {error}") from None

    # Asking git, and remembering

    def _activity_of(self) -> Activity:
        # Reading files needs all formats; an answer from memory needs none.
        if self._activity is None:
            self._activity = Activity(self._repo, self._layout)
        return self._activity

    def _told(self, head: str, without: Sequence[str], lazily: bool) -> Iterator[Entry]:
        """The events as git tells the commits; those that are remembered are not read again, and new ones are
        remembered.

        Where all of them are read, the line of the head is written at the end. `lazily` says that the reader
        may stop early.
        """
        revisions = [head, *(f"^{commit}" for commit in without)]
        activity = self._activity_of()
        if self._memory() is None:
            told = history.commits(self._repo, revisions)
            for event in map(activity.event, told) if lazily else activity.events(told):
                yield Entry(event, None)
            return
        numbers: array[int] | None = whole_numbers() if not without else None
        for entries in self._chunks(revisions, lazily):
            stored = self._kept([entry for n, entry in entries if not n])
            if stored is None:
                numbers = None
            elif numbers is not None:
                fresh = iter(stored)
                numbers.extend(n or next(fresh) for n, _ in entries)
            for _, entry in entries:
                yield entry
        cache = self._memory()
        if numbers is not None and cache is not None:
            try:
                self._write_line(cache, head, numbers)
            except FAILURES as error:
                self._give_up(cache, error)

    def _kept(self, entries: Sequence[Entry]) -> list[int] | None:
        """As `_stored`; None also where there is no cache that takes them."""
        cache = self._memory()
        if cache is None or cache.readonly:
            return None
        try:
            return self._stored(cache, entries)
        except FAILURES as error:
            self._give_up(cache, error)
            return None

    def _chunks(self, revisions: Sequence[str], lazily: bool) -> Iterator[list[tuple[int, Entry]]]:
        """The events of a range in the order of the log, some at a time, each with the number under which it
        is remembered, or 0.
        """
        activity = self._activity_of()
        size = FIRST
        if self._remembers_nothing():
            told = history.commits(self._repo, revisions)
            fresh: list[tuple[int, Entry]] = []
            for event in map(activity.event, told) if lazily else activity.events(told):
                fresh.append((0, Entry(event, None)))
                if len(fresh) >= size:
                    yield fresh
                    fresh, size = [], BATCH
            yield fresh
        elif lazily:
            waiting: list[RawCommit] = []
            for commit in history.commits(self._repo, revisions):
                waiting.append(commit)
                if len(waiting) >= size:
                    yield self._looked_up(waiting)
                    waiting, size = [], BATCH
            yield self._looked_up(waiting)
        else:
            ids = list(history.order(self._repo, revisions))
            absent = [
                id_
                for start in range(0, len(ids), BATCH)
                for id_ in self._unknown(ids[start : start + BATCH])
            ]
            source = activity.events(history.listed(self._repo, absent))
            missing = set(absent)
            for start in range(0, len(ids), BATCH):
                chunk = ids[start : start + BATCH]
                known = self._recall([id_ for id_ in chunk if id_ not in missing])
                yield [
                    known.get(id_) or (0, Entry(next(source) if id_ in missing else self._alone(id_), None))
                    for id_ in chunk
                ]

    def _looked_up(self, commits: Sequence[RawCommit]) -> list[tuple[int, Entry]]:
        known = self._recall([commit.commit for commit in commits])
        return [
            known.get(commit.commit) or (0, Entry(self._activity_of().event(commit), None))
            for commit in commits
        ]

    def _alone(self, id_: str) -> Event:
        """An event that was remembered a moment ago and is not any more."""
        return self._activity_of().event(next(history.listed(self._repo, [id_])))

    def _remembers_nothing(self) -> bool:
        cache = self._memory()
        try:
            return (
                cache is None
                or cache.connection.execute(
                    "select 1 from event where view = ? limit 1", (self._view,)
                ).fetchone()
                is None
            )
        except FAILURES as error:
            self._give_up(cache, error)
            return True

    def _unknown(self, ids: Sequence[str]) -> list[str]:
        known = self._rows("id", ids)
        there = {row[0] for row in known}
        return [id_ for id_ in ids if id_ not in there]

    def _recall(self, ids: Sequence[str]) -> dict[str, tuple[int, Entry]]:
        return {id_: (n, Entry(None, text)) for id_, n, text in self._rows("id, n, text", ids)}

    def _rows(self, columns: str, ids: Sequence[str]) -> list[tuple[Any, ...]]:
        cache = self._memory()
        if cache is None or not ids:
            return []
        try:
            return cache.connection.execute(
                f"select {columns} from event where view = ? and id in ({','.join('?' * len(ids))})",
                (self._view, *ids),
            ).fetchall()
        except FAILURES as error:
            self._give_up(cache, error)
            return []

    def _stored(self, cache: Cache, entries: Sequence[Entry]) -> list[int] | None:
        """Remembers events and returns their numbers; None where one must not be, for files that are absent
        now may come later.
        """
        if not entries:
            return []
        border = self._activity_of().border
        return self._put(cache, [drafted(entry, border) for entry in entries])

    def _put(self, cache: Cache, drafts: Sequence[Draft]) -> list[int] | None:
        keep = [draft for draft in drafts if self._private or draft.lasting]
        rows = [draft.row for draft in keep]
        with cache.write() as db:
            top = db.execute("select max(n) from event").fetchone()[0] or 0
            before = db.total_changes
            db.executemany(
                "insert or ignore into event (n, view, id, op, actor, run, day, moment, kinds, text) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(n, self._view, *row) for n, row in enumerate(rows, top + 1)],
            )
            if db.total_changes - before == len(rows):
                places = list(range(top + 1, top + 1 + len(rows)))
            else:
                known = dict(self._rows_of(db, [row.id for row in rows]))
                places = [known[row.id] for row in rows]
            db.executemany(
                "insert or ignore into event_name (name, n) values (?, ?)",
                sorted([(name, n) for draft, n in zip(keep, places, strict=True) for name in draft.names]),
            )
        return places if len(keep) == len(drafts) else None

    def _rows_of(self, db: sqlite3.Connection, ids: Sequence[str]) -> Iterator[tuple[str, int]]:
        for start in range(0, len(ids), BATCH):
            chunk = ids[start : start + BATCH]
            yield from db.execute(
                f"select id, n from event where view = ? and id in ({','.join('?' * len(chunk))})",
                (self._view, *chunk),
            )

    def _write_line(self, cache: Cache, head: str, numbers: array[int]) -> None:
        """Numbers all commits of a head, oldest first; only what differs from the line that it takes over is
        written.
        """
        reached = set(numbers)
        with cache.write() as db:
            # Read here, for another process may have written a line while this one waited.
            lines = db.execute(
                "select id, head from event_line where view = ? order by used desc", (self._view,)
            ).fetchall()
            # The line to go on with is one whose newest commit belongs to this history, else a new one, else
            # the one not used for longest.
            line = lines[-1][0] if len(lines) >= LINES else None
            for one, known in reversed(lines):
                top = db.execute(
                    "select n from event_reach where line = ? order by seq desc limit 1", (one,)
                ).fetchone()
                if known == head or (top is not None and top[0] in reached):
                    line = one
            if line is None:
                db.execute("insert into event_line (view, head, used) values (?, ?, 0)", (self._view, head))
                line = int(db.execute("select last_insert_rowid()").fetchone()[0])
            there = whole_numbers(
                n for (n,) in db.execute("select n from event_reach where line = ? order by seq", (line,))
            )
            numbers = whole_numbers(reversed(numbers))
            same = 0
            while same < min(len(there), len(numbers)) and there[same] == numbers[same]:
                same += 1
            db.execute("delete from event_reach where line = ? and seq > ?", (line, same))
            db.executemany(
                "insert into event_reach (line, seq, n) values (?, ?, ?)",
                ((line, seq, n) for seq, n in enumerate(numbers[same:], same + 1)),
            )
            db.execute("update event_line set head = ? where id = ?", (head, line))
            use(db, line)
