"""Which ids were handed out already, as far as the cache has read."""

from __future__ import annotations

from zlib import crc32

from memgit import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from memgit.cache.db import Cache


def key_of(name: str) -> int:
    """The number that stands for an id or address in `event_name`.

    Two names may have the same one: whoever finds it looks closer.
    """
    return crc32(name.encode("utf-8", "surrogatepass"))


def seen(cache: Cache, ids: Collection[str]) -> set[str]:
    """Those of some ids (a few hundred at most) that the cache has read so far, without bringing it up to
    date first.
    """
    asked: tuple[tuple[str, str, Mapping[str, str | int]], ...] = (
        ("record", "id", {one: one for one in ids}),
        ("gone", "id", {one: one for one in ids}),
        ("event_name", "name", {one: key_of(one) for one in ids}),  # a chance hit only costs another draw
    )

    def work() -> set[str]:
        connection = cache.connection
        tables = {
            name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")
        }
        found: set[str] = set()
        for table, column, keys in asked:
            if table in tables:
                sql = f"select {column} from {table} where {column} in ({', '.join('?' * len(keys))})"
                there = {key for (key,) in connection.execute(sql, list(keys.values()))}
                found.update(one for one, key in keys.items() if key in there)
        return found

    return cache.run(work)
