"""The search index of the site: stems and the records that hold them, in parts that a browser loads as it needs them.

SQLite cuts the stems, with the tokenizer of `memgit search`, so that both find the same words. A stem is in the
part that its hash names (32-bit FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/, modulo `PARTS`); a part maps
each stem to one flat list: record number, weighted count, length, and again. Records are described in parts of
their own, `DOCS` to a part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from memgit.cache.stems import stems
from memgit.formats.plain_text import words_of_line
from memgit.model.record import Record
from memgit.site.collect import Collected, Item
from memgit.site.render import visible

PARTS = 64
DOCS = 500
WEIGHTS = {"title": 6, "words": 3, "body": 1}
SUMMARY = 160
"""Characters of a record that a result shows."""

Part = dict[str, list[int]]


def part_of(term: str) -> int:
    """The number of the part that holds a stem."""
    value = 0x811C9DC5
    for byte in term.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value % PARTS


def update_index(
    collected: Collected, state: Mapping[str, Any], read: Callable[[str], bytes | None]
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The parts that differ from those of the last build.

    Args:
        state: what this function returned the last time, empty for the first one.
        read: gives the bytes of a part of the last build.

    Returns:
        the new state, and the parts to write by path.
    """
    known: dict[str, list[Any]] = dict(state.get("docs", {}))
    changed = [item for name, item in collected.items.items() if known.get(name, [0, ""])[1] != _key(item)]
    gone = {number for name, (number, key, *_) in known.items() if _stale(collected, name, key)}
    if known and not changed and not gone:
        return dict(state), {}
    parts = {number: _load(read, number) for number in range(PARTS)} if known else {}
    if any(part is None for part in parts.values()):
        known, parts, changed, gone = {}, {}, list(collected.items.values()), set()
    touched: set[int] = set()
    terms = {number: part or {} for number, part in parts.items()} or {n: {} for n in range(PARTS)}
    if gone:
        for number, part in terms.items():
            if _drop(part, gone):
                touched.add(number)
    docs = {name: row for name, row in known.items() if name in collected.items}
    following = int(state.get("next", 0)) if known else 0
    for item in changed:
        docs[item.record.address] = [following, _key(item), 0, ""]
        following += 1
    for address, length, summary, found in _described(collected, changed):
        docs[address][2:] = length, summary
        for term, weight in found.items():
            terms[part_of(term)].setdefault(term, []).extend((docs[address][0], weight, length))
            touched.add(part_of(term))
    made = {
        f"search/terms-{number}.json": _dump(terms[number])
        for number in range(PARTS)
        if not known or number in touched
    }
    described = dict(_documents(collected, docs))
    lengths = [row[2] for row in docs.values()]
    made["search/meta.json"] = _dump(
        {"records": len(docs), "length": sum(lengths) / max(1, len(lengths)), "parts": PARTS, "docs": DOCS}
    )
    named = [*(f"search/terms-{number}.json" for number in range(PARTS)), *described, "search/meta.json"]
    return {"docs": docs, "next": following, "parts": named}, {**made, **described}


def _key(item: Item) -> str:
    return f"{item.digest}:{item.page}"


def _stale(collected: Collected, name: str, key: str) -> bool:
    item = collected.items.get(name)
    return item is None or _key(item) != key


def _load(read: Callable[[str], bytes | None], number: int) -> Part | None:
    data = read(f"search/terms-{number}.json")
    try:
        return None if data is None else dict(json.loads(data))
    except ValueError:
        return None


def _drop(part: Part, gone: set[int]) -> bool:
    """Takes records out of a part; whether it held any."""
    dropped = False
    for term, rows in list(part.items()):
        if not gone.isdisjoint(rows[::3]):
            dropped = True
            kept = [
                n
                for place in range(0, len(rows), 3)
                if rows[place] not in gone
                for n in rows[place : place + 3]
            ]
            if kept:
                part[term] = kept
            else:
                del part[term]
    return dropped


def _described(collected: Collected, items: Sequence[Item]) -> Iterator[tuple[str, int, str, dict[str, int]]]:
    """The address, length, first line and weighted stems of each record; the texts of `DOCS` are held at once."""
    for start in range(0, len(items), DOCS):
        yield from _stems([collected.full(item.record) for item in items[start : start + DOCS]])


def _stems(records: Sequence[Record]) -> Iterator[tuple[str, int, str, dict[str, int]]]:
    rows = [(record.title, " ".join(_words(record)), record.body) for record in records]
    for record, found in zip(records, stems(rows, tuple(WEIGHTS)), strict=True):
        terms: dict[str, int] = {}
        for (term, column), times in found.items():
            terms[term] = terms.get(term, 0) + WEIGHTS[column] * times
        first = next((line for line in map(words_of_line, record.body.split("\n")) if line), "")
        yield record.address, sum(terms.values()), visible(first[:SUMMARY]), terms


def _words(record: Record) -> Iterable[str]:
    return (*record.keywords, *record.topics, *record.items("tags"), record.text("context") or "")


def _documents(collected: Collected, docs: Mapping[str, list[Any]]) -> Iterable[tuple[str, bytes]]:
    """What a result shows of each record, in parts by number."""
    parts: dict[int, dict[str, list[str]]] = {}
    for address, (number, _, _, summary) in docs.items():
        item = collected.items[address]
        parts.setdefault(number // DOCS, {})[str(number)] = [
            visible(item.record.title),
            item.page,
            item.record.kind,
            summary,
        ]
    for number, rows in parts.items():
        yield f"search/docs-{number}.json", _dump(rows)


def _dump(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
