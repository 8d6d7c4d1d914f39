"""What was found out about single files, kept by content: whoever looks at everything then looks only into
files that are new.

There are several kinds of facts, each with a table of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from memgit.cache.rows import Text, from_text, to_text

if TYPE_CHECKING:
    import sqlite3

    from memgit.cache.db import Cache

VERSION = 1
_SCHEMA = """
create table {kind}(path text not null, blob text not null, made text not null, data blob not null, primary key(path, blob)) without rowid;
"""
LINT, TOKENS = "lint", "tokens"
"""What rules need to know of a file, and the tokens of each of its records."""
SPARE = 4
"""Rows of contents that are not there any more are dropped once they are a quarter of all."""


def load(cache: Cache, kind: str, made: str) -> dict[tuple[str, str], bytes]:
    """Everything that is known, by path and blob.

    Args:
        kind: `LINT` or `TOKENS`.
        made: names the version of the code and the layout that the rows depend on; those of another are not
            given.
    """

    def work() -> dict[tuple[str, str], bytes]:
        cache.schema(kind, VERSION, _SCHEMA.format(kind=kind))
        rows = cache.connection.execute(f"select path, blob, data from {kind} where made = ?", (made,))
        return {(from_text(path), blob): data for path, blob, data in rows}

    return cache.run(work)


def keep(
    cache: Cache,
    kind: str,
    made: str,
    new: Mapping[tuple[str, str], bytes],
    present: Iterable[tuple[str, str]] | None,
) -> None:
    """Keeps what was found out, and drops what nothing needs any more.

    Args:
        new: by path and blob.
        present: path and blob of every file of the state that was looked at; None where there is more to
            come, and nothing is dropped.
    """
    there = None if present is None else {(to_text(path), blob) for path, blob in present}

    def work() -> None:
        cache.schema(kind, VERSION, _SCHEMA.format(kind=kind))
        with cache.write() as connection:
            connection.executemany(
                f"insert or replace into {kind} values (?, ?, ?, ?)",
                [(to_text(path), blob, made, data) for (path, blob), data in new.items()],
            )
            if there is not None:
                _prune(connection, kind, made, there)

    cache.run(work)


def _prune(connection: sqlite3.Connection, kind: str, made: str, there: set[tuple[Text, str]]) -> None:
    known = list(connection.execute(f"select path, blob, made from {kind}"))
    gone = [(path, blob) for path, blob, by in known if by != made or (path, blob) not in there]
    if len(gone) * SPARE > len(known):
        connection.executemany(f"delete from {kind} where path = ? and blob = ?", gone)
