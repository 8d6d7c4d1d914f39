"""How often records were used and read, summed over the usage refs of all clones.

Each clone appends to a ref of its own (`refs/memgit/usage/<clone id>`), so counts never conflict: a sum over
the refs is right in every clone that has fetched them. The sums are kept in the cache with the tips that they
stand for; only commits since then are read.
"""

from __future__ import annotations

import json

from memgit import TYPE_CHECKING
from memgit.formats.messages import message as messages
from memgit.git.history import usage as refs
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgit.cache.db import Cache
    from memgit.git.repository import Repository

SCHEMA = "create table usage_sum(key text primary key, value text not null) without rowid;"
SCHEMA_VERSION = 1


class Count(NamedTuple):
    """Uses and reads of one record (one version of a skill), and the day of the last use."""

    uses: int = 0
    reads: int = 0
    last_used: str | None = None


class Usage:
    """The counts of one repository.

    A record is looked up by its id, and by its address for what was counted before it had one.
    """

    def __init__(self, counts: Mapping[str, Count]) -> None:
        self._counts = counts

    def of(self, id_: str | None, address: str, version: int | None = None) -> Count:
        """The counts of a record; of a skill, those of one version."""
        suffix = "" if version is None else f"@{version}"
        names = {f"{name}{suffix}" for name in (id_, address) if name}
        found = [self._counts[name] for name in sorted(names) if name in self._counts]
        return Count(
            sum(count.uses for count in found),
            sum(count.reads for count in found),
            max((count.last_used for count in found if count.last_used), default=None),
        )


def load(repo: Repository, cache: Cache | None) -> Usage:
    """The counts of all usage refs that this clone has."""
    tips = refs.tips(repo)
    if not tips:
        return Usage({})
    held = _recall(cache) if cache is not None else None
    counts: dict[str, Count] = {}
    known: list[str] = []
    if held is not None:
        if held[0] == tips:
            return Usage(held[1])
        # Sums can be continued only where every ref that they hold is still there and grew from where it was.
        if all(ref in tips and repo.is_ancestor(tip, tips[ref]) for ref, tip in held[0].items()):
            counts, known = dict(held[1]), list(held[0].values())
    for name, count in _read(repo, list(tips.values()), known):
        old = counts.get(name, Count())
        last = max(filter(None, (old.last_used, count.last_used)), default=None)
        counts[name] = Count(old.uses + count.uses, old.reads + count.reads, last)
    if cache is not None:
        _keep(cache, tips, counts)
    return Usage(counts)


def _read(repo: Repository, tips: list[str], known: list[str]) -> Iterator[tuple[str, Count]]:
    for counted in refs.commits(repo, tips, known):
        for block in messages.parse(counted.text).blocks:
            for change in block.records:
                if change.action not in ("use", "read"):
                    continue
                kind, _, rest = change.address.partition("/")
                version = rest.rpartition("@")[2] if kind == "skill" and "@" in rest else ""
                name = f"{change.id}@{version}" if change.id and version else change.id or change.address
                yield name, Count(1, 0, counted.date[:10]) if change.action == "use" else Count(0, 1)


def _recall(cache: Cache) -> tuple[dict[str, str], dict[str, Count]] | None:
    def work() -> str | None:
        cache.schema("usage", SCHEMA_VERSION, SCHEMA)
        row = cache.connection.execute("select value from usage_sum where key = 'state'").fetchone()
        return None if row is None else str(row[0])

    text = cache.run(work)
    if text is None:
        return None
    try:
        data = json.loads(text)
        return data["tips"], {name: Count(*values) for name, values in data["counts"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _keep(cache: Cache, tips: Mapping[str, str], counts: Mapping[str, Count]) -> None:
    text = json.dumps({"tips": tips, "counts": counts})

    def work() -> None:
        cache.schema("usage", SCHEMA_VERSION, SCHEMA)
        with cache.write() as connection:
            connection.execute("insert or replace into usage_sum values ('state', ?)", (text,))

    cache.run(work)
