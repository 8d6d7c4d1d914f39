"""What lint found out about single files, kept by content: a run over everything then looks only into files that are new."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from memgit.cache.rows import Text, from_text, to_text

if TYPE_CHECKING:
    import sqlite3

    from memgit.cache.db import Cache

VERSION = 1
SCHEMA = """
create table lint(path text not null, blob text not null, made text not null, data blob not null, primary key(path, blob)) without rowid;
"""
SPARE = 4
"""Rows of contents that are not there any more are dropped once they are a quarter of all."""


def load(cache: Cache, made: str) -> dict[tuple[str, str], bytes]:
    """Everything that is known, by path and blob.

    Args:
        made: names the version of the code and the layout that the rows depend on; those of another are not given.
    """

    def work() -> dict[tuple[str, str], bytes]:
        cache.schema("lint", VERSION, SCHEMA)
        rows = cache.connection.execute("select path, blob, data from lint where made = ?", (made,))
        return {(from_text(path), blob): data for path, blob, data in rows}

    return cache.run(work)


def keep(cache: Cache, made: str, new: Mapping[tuple[str, str], bytes], present: Iterable[tuple[str, str]] | None) -> None:
    """Keeps what was found out, and drops what nothing needs any more.

    Args:
        new: by path and blob.
        present: path and blob of every file of the state that was looked at; None where there is more to come, and nothing is dropped.
    """
    there = None if present is None else {(to_text(path), blob) for path, blob in present}

    def work() -> None:
        cache.schema("lint", VERSION, SCHEMA)
        with cache.write() as connection:
            connection.executemany(
                "insert or replace into lint values (?, ?, ?, ?)", [(to_text(path), blob, made, data) for (path, blob), data in new.items()]
            )
            if there is not None:
                _prune(connection, made, there)

    cache.run(work)


def _prune(connection: sqlite3.Connection, made: str, there: set[tuple[Text, str]]) -> None:
    known = list(connection.execute("select path, blob, made from lint"))
    gone = [(path, blob) for path, blob, by in known if by != made or (path, blob) not in there]
    if len(gone) * SPARE > len(known):
        connection.executemany("delete from lint where path = ? and blob = ?", gone)
