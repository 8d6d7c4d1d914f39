"""Where the page of a record is in the site, and how one page links to another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import sha256
from urllib.parse import quote

from memgit.app.read.listing import group_of
from memgit.model.record import Record
from memgit.model.slug import slug

HASH_DIGITS = 8


def anchor(text: str, kind: str = "h") -> str:
    """The id of a heading (`h`) or a block (`b`): prefixed, so that no text can take an id that a script uses."""
    return f"{kind}-{slug(text)}"


def record_paths(records: Iterable[Record]) -> dict[str, str]:
    """The page of each record, by address: `records/<kind>/<group>/<title>.html`."""
    return unique_paths({record.address: _plain(record) for record in records})


def unique_paths(wanted: Mapping[str, str]) -> dict[str, str]:
    """The page of each name, from the path that it would like to have, without `.html`.

    Paths that differ only by case, or not at all, get a hash of the name each, so that a page keeps its place
    whatever comes beside it.
    """
    taken = Counter(path.casefold() for path in wanted.values())
    return {
        name: f"{path}.html"
        if taken[path.casefold()] == 1
        else f"{path}-{sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:HASH_DIGITS]}.html"
        for name, path in wanted.items()
    }


def _plain(record: Record) -> str:
    group = [slug(part) for part in group_of(record).split("/") if part]
    tail = record.address.rpartition("#" if "#" in record.address else "/")[2]
    return "/".join(["records", record.kind, *group, slug(tail)])


def relative(path: str, start: str) -> str:
    """The link from the page `start` to `path`, both from the top of the site; a fragment stays."""
    path, mark, fragment = path.partition("#")
    return "../" * start.count("/") + _quoted(path or start) + mark + _quoted(fragment)


@lru_cache(maxsize=100_000)
def _quoted(text: str) -> str:
    return quote(text)
