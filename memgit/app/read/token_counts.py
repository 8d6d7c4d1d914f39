"""How many tokens each record has, counted once for every content of a file and kept in the cache."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence

from memgit import __version__
from memgit.app.read.reader import CachedReader, Reader
from memgit.cache.facts import TOKENS, keep, load
from memgit.cache.rows import from_text, place_text, to_json
from memgit.model.record import Record
from memgit.model.tokens import estimate

VERSION = 1
"""Goes up when the same text has other tokens."""


def of_text(record: Record) -> int:
    """The tokens of what a record says: its context and its text. It must come with its text."""
    return estimate(f"{record.text('context') or ''}\n{record.body}")


def counter(reader: Reader) -> Callable[[Record], int]:
    """`of_text` for many records, which may lack their text."""
    if not isinstance(reader, CachedReader) or reader.workspace.cache is None:
        return lambda record: of_text(reader.load(record))
    counts = _counts(reader)

    def count(record: Record) -> int:
        found = counts.get(record.path, ())
        return found[record.ordinal] if record.ordinal < len(found) else of_text(reader.load(record))

    return count


def _counts(reader: CachedReader) -> dict[str, Sequence[int]]:
    """The tokens of the records of every file, by path; those that are not known yet are counted and kept."""
    layout, cache, snapshot = reader.workspace.layout, reader.workspace.cache, reader.snapshot
    if cache is None:
        return {}
    made = to_json([__version__, VERSION, [place_text(layout, place) for place in layout.places]])
    present = [
        (from_text(path), blob.hex())
        for path, blob in snapshot.rows("select path, blob from file where {visible}")
    ]
    known = load(cache, TOKENS, made)
    new: dict[tuple[str, str], bytes] = {}
    out: dict[str, Sequence[int]] = {}
    for key in present:
        data = known.get(key)
        if data is None or len(data) % array("I").itemsize:
            out[key[0]] = counted = array("I", _count(snapshot.parsed(key[0]).records))
            new[key] = counted.tobytes()
        else:
            out[key[0]] = array("I", data)
    if new:
        keep(cache, TOKENS, made, new, present)
    return out


def _count(records: Iterable[Record]) -> list[int]:
    return [of_text(record) for record in records]
