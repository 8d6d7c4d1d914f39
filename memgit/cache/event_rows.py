"""The tables in which events are remembered, and an event as their rows."""

from __future__ import annotations

import sqlite3
from array import array

from memgit import TYPE_CHECKING, __version__
from memgit.cache.event_text import Entry, Row, to_row
from memgit.cache.ids import key_of
from memgit.git.history import history
from memgit.git.repository import Repository
from memgit.model.layout import Layout
from memgit.model.namedtuple import NamedTuple
from memgit.model.operation import Event

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

SCHEMA = """
create table event_view (id integer primary key, fingerprint text not null unique);
create table event (n integer primary key, view integer not null, id text not null, op text not null, actor text, run text,
  day text not null, moment integer not null, kinds text not null, text text not null);
create unique index event_id on event (id, view);
create table event_line (id integer primary key, view integer not null, head text not null, used integer not null);
create table event_reach (line integer not null, seq integer not null, n integer not null, primary key (line, seq)) without rowid;
create unique index event_place on event_reach (n, line);
create table event_name (name integer not null, n integer not null, primary key (name, n)) without rowid;
"""
SCHEMA_VERSION = 1
FORMAT = 3
"""Counts up whenever the same commit may give another event than before, so that what is remembered is read
again.
"""
VIEWS = 4


def fingerprint(repo: Repository, layout: Layout) -> str:
    """All that an event depends on beside its commit."""
    places = [
        (place.kind, place.folder, place.pattern, place.form, sorted(place.never)) for place in layout.places
    ]
    return repr((__version__, FORMAT, layout.base, places, repo.prefix, history.state(repo)))


class Draft(NamedTuple):
    """One event ready to be remembered: its row, the numbers of the names in it, and whether it stays what it
    is (see `Events._stored`).
    """

    row: Row
    names: tuple[int, ...]
    lasting: bool


def drafted(entry: Entry, border: AbstractSet[str]) -> Draft:
    """An event as it is remembered; `border` are the commits at which a shallow clone was cut off."""
    event = entry.event
    return Draft(to_row(entry), tuple(map(key_of, _names(event))), event.complete or event.commit in border)


def use(db: sqlite3.Connection, line: int) -> None:
    db.execute("update event_line set used = (select max(used) + 1 from event_line) where id = ?", (line,))


def forget_old(db: sqlite3.Connection) -> None:
    """Keeps the newest few views."""
    for (view,) in db.execute(
        "select id from event_view order by id desc limit -1 offset ?", (VIEWS,)
    ).fetchall():
        db.execute("delete from event_name where n in (select n from event where view = ?)", (view,))
        db.execute(
            "delete from event_reach where line in (select id from event_line where view = ?)", (view,)
        )
        for table in ("event_line", "event"):
            db.execute(f"delete from {table} where view = ?", (view,))
        db.execute("delete from event_view where id = ?", (view,))


def _names(event: Event) -> set[str]:
    """Every id and address that an event speaks of."""
    out: set[str] = set()
    for change in event.records:
        out.add(change.address)
        out.update(name for name in (change.id, change.was) if name is not None)
    return out


def whole_numbers(values: Iterable[int] = ()) -> array[int]:
    """Whole numbers, in eight bytes each."""
    return array("q", values)
