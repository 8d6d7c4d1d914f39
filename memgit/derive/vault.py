"""What the derived files of a memory vault know of its memories, and `memory-index.json`, the one for
programs.

The index holds counters that live nowhere else, and texts that older files lack, so the one that is there is
an input: a text comes from the file, else from the index; a counter is the larger of both. Everything else is
derived again: `token_count` is the words of the text times 1.3, `generated_at` the newest day on which a
memory was made, changed or tombstoned. Tombstoned memories stay listed with their status. Shape, order and
unknown keys are kept; an entry without a file goes. None of these files appears where its owner has none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from memgit.derive import dates
from memgit.derive.jsonindex import Index, Item, Shape, read
from memgit.derive.jsontext import Json, Style
from memgit.derive.links import one_line
from memgit.derive.view import DerivedFile, Rendered, View
from memgit.errors import UnreadableFile
from memgit.formats import frontmatter
from memgit.formats.text import decode
from memgit.model.layout import Layout, Place
from memgit.model.record import Record

NAME = "memory-index.json"
MAX_SUMMARY = 120
TOMBSTONED = "tombstoned"

_KEYS = (
    "id",
    "path",
    "title",
    "summary",
    "topic",
    "category",
    "keywords",
    "token_count",
    "created",
    "modified",
    "last_retrieved",
    "retrieval_count",
)


class Memory(NamedTuple):
    """One memory as the derived files show it. Dates are days or as typed, empty texts are missing ones."""

    id: str
    path: str
    title: str
    summary: str
    topic: str
    category: str
    keywords: tuple[str, ...]
    tokens: int
    created: str | None
    modified: str | None
    last_retrieved: str | None
    retrievals: int
    tombstoned: bool
    tombstoned_at: str | None
    source: str
    tags: tuple[str, ...]


def place_of(layout: Layout) -> Place | None:
    """The folder of memories of a vault, None for another layout."""
    return next((place for place in layout.places if place.kind == "memory" and place.form == "vault"), None)


def index_path(layout: Layout) -> str:
    return layout.base + NAME


def affected(layout: Layout, path: str, derived: str) -> Iterator[str]:
    """A derived file of a vault, where a path is one of its inputs: it hangs on every memory, on the index
    and on itself.
    """
    place = place_of(layout)
    if place is None:
        return
    if path in (derived, index_path(layout)) or (path.startswith(place.folder) and layout.holds(path)):
        yield derived


def existing(view: View, path: str) -> Iterator[str]:
    """A derived file of a vault is kept up to date only where it is there already."""
    if place_of(view.layout) is not None and view.data(path) is not None:
        yield path


# Reading


def _foreign(value: Json) -> str | None:
    if not isinstance(value, dict):
        return (
            f"it holds {'an array' if isinstance(value, list) else 'a single value'} where an object "
            "with `entries` is expected"
        )
    items = value.get("entries")
    if not isinstance(items, list) or not all(
        isinstance(item, dict) and ("id" in item or "path" in item) for item in items
    ):
        return "its `entries` is not a list of memories"
    return None


def _file(item: Item) -> str | None:
    """The name of the file that an entry is about."""
    path, id_ = item.get("path"), item.get("id")
    if isinstance(path, str) and path.endswith(".md"):
        return path.rpartition("/")[2]
    return f"{id_}.md" if isinstance(id_, str) and id_ else None


SHAPE = Shape(
    "entries",
    {"version": "1.0.0", "generated_at": None, "entry_count": 0, "total_tokens": 0, "entries": []},
    Style(),
    _foreign,
    _file,
)


class Since(NamedTuple):
    """The state before a change, the derived files of which are right, and the paths that the change touched."""

    base: View
    changed: Collection[str]


def memories(
    view: View, index: Index | None = None, since: Since | None = None, need: Iterable[str] = ()
) -> list[Memory]:
    """Every memory of a vault by file name, tombstoned ones too, with what only the index knows.

    With `since`, what did not change is taken from the index where that has every key, those of `need` too.
    """
    place = place_of(view.layout)
    if place is None:
        return []
    index = read(view, index_path(view.layout), SHAPE) if index is None else index
    items = {_file(item): item for item in reversed(index.items(SHAPE))}
    keys = (*_KEYS, *need)
    trusted = since is not None and _untouched(view, since, index)
    out: list[Memory] = []
    for name in sorted(view.names(place.folder)):
        path = place.folder + name
        if not name.endswith(".md") or view.layout.find(path) is None:
            continue
        item = items.get(name, {})
        if trusted and since is not None and path not in since.changed and all(key in item for key in keys):
            out.append(_listed(item, path))
            continue
        memory = _read(view, path, item)
        if memory is not None:
            out.append(memory)
    return out


def counted(view: View) -> dict[str, tuple[int, str | None]]:
    """How often, and on which day (YYYY-MM-DD) at last, the index says that each memory was retrieved, by
    path.
    """
    place = place_of(view.layout)
    if place is None:
        return {}
    out: dict[str, tuple[int, str | None]] = {}
    for item in read(view, index_path(view.layout), SHAPE).items(SHAPE):
        name, uses, last = _file(item), item.get("retrieval_count"), item.get("last_retrieved")
        if name is not None:
            out[place.folder + name] = (
                uses if type(uses) is int else 0,
                dates.day(last) if isinstance(last, str) else None,
            )
    return out


def _untouched(view: View, since: Since, index: Index) -> bool:
    """Whether the index is that of the base, and whole."""
    path = index_path(view.layout)
    return (
        path not in since.changed
        and not index.problems
        and view.data(path) is not None
        and view.data(path) == since.base.data(path)
    )


def _listed(item: Item, path: str) -> Memory:
    """A memory as the index has it."""
    tokens, uses = item["token_count"], item["retrieval_count"]
    return Memory(
        path.rpartition("/")[2].removesuffix(".md"),
        path,
        _known(item, "title"),
        _known(item, "summary"),
        _known(item, "topic"),
        _known(item, "category"),
        tuple(word for word in item["keywords"] or () if isinstance(word, str)),
        tokens if type(tokens) is int else 0,
        _known(item, "created") or None,
        _known(item, "modified") or None,
        _known(item, "last_retrieved") or None,
        uses if type(uses) is int else 0,
        item.get("status") == TOMBSTONED,
        None,
        _known(item, "source"),
        tuple(tag for tag in item.get("tags") or () if isinstance(tag, str)),
    )


def _read(view: View, path: str, item: Item) -> Memory | None:
    """A memory as its file has it, with what only the index knows; None for a file that is not there or holds
    none.
    """
    record = next(iter(view.parsed(path).records), None)
    return None if record is None else _memory(record, view.data(path) or b"", item)


def _memory(record: Record, data: bytes, item: Item) -> Memory:
    tags = record.items("tags")
    first = tags[0].strip().strip("[]") if tags else ""
    category = (record.text("category") or record.text("Category") or "").strip().strip("[]")
    uses, used = record.usage_count, record.text("last_used")
    known, last = item.get("retrieval_count"), item.get("last_retrieved")
    return Memory(
        record.stem,
        record.path,
        record.title,
        record.text("summary") or _known(item, "summary") or _opening(record.body),
        (record.text("topics") or _known(item, "topic")),
        category or (first if first.isupper() else _known(item, "category") or first),
        record.keywords or tuple(word for word in item.get("keywords") or () if isinstance(word, str)),
        tokens(data),
        record.created or _known(item, "created") or None,
        record.text("updated") or _known(item, "modified") or record.created,
        dates.newest((used, last if isinstance(last, str) else None)),
        max(uses, known if type(known) is int else 0),
        record.archived is not None or record.text("status") == TOMBSTONED,
        record.archived,
        record.source or "",
        tags,
    )


def _known(item: Item, key: str) -> str:
    text = item.get(key)
    return text if isinstance(text, str) else ""


def _opening(body: str) -> str:
    """The first line of text of a memory, for one that has no summary anywhere."""
    for line in body.split("\n"):
        if line.strip() and not line.startswith(("#", "<!--", "```", "~~~")):
            return one_line(line.lstrip("-*> "))[:MAX_SUMMARY]
    return ""


def tokens(data: bytes) -> int:
    """The tokens of a memory, words times 1.3, floored: those of the text after its frontmatter."""
    try:
        text = decode(data)
    except UnreadableFile:
        return 0
    return len(text[frontmatter.split(text).body :].split()) * 13 // 10


# Writing


def _build(view: View, path: str) -> Rendered:
    data = view.data(path)
    if data is None:
        return Rendered(None)
    index = read(view, path, SHAPE)
    if index.value is None:
        return Rendered(data, index.problems)
    found = memories(view, index)
    return _rendered(index, found, newest_of(found))


def newest_of(found: Iterable[Memory]) -> str | None:
    """The newest day on which one of the memories was made, changed or tombstoned."""
    return dates.newest(text for one in found for text in (one.created, one.modified, one.tombstoned_at))


def _quick(view: View, base: View, path: str, changed: Collection[str]) -> Rendered | None:
    index = read(view, path, SHAPE)
    since = Since(base, changed)
    if index.value is None or not _untouched(view, since, index):
        return None
    found = memories(view, index, since)
    stamp = index.value.get("generated_at")
    present = dates.day(stamp) if isinstance(stamp, str) else None
    newest = newest_of(one for one in found if one.path in changed)
    if "generated_at" in index.value:
        # The newest day is that of the base, unless a memory had it that no longer does: then the others must
        # be asked.
        items = {_file(item): item for item in reversed(index.items(SHAPE))}
        old = (
            _read(base, file, items.get(file.rpartition("/")[2], {}))
            for file in changed
            if path in affected(view.layout, file, path)
        )
        before = newest_of(one for one in old if one is not None)
        if present is None or (
            before is not None and before >= present and (newest is None or newest < present)
        ):
            return None
        newest = dates.newest((present, newest))
    return _rendered(index, found, newest)


def _rendered(index: Index, live: list[Memory], newest: str | None) -> Rendered:
    found = {memory.id + ".md": memory for memory in live}
    items: list[Item] = []
    listed: set[str | None] = {None}
    for item in index.items(SHAPE):
        name = _file(item)
        if name in found and name not in listed:
            items.append(_entry(item, found[name]))
        listed.add(name)
    keys = tuple(key for key in items[-1] if key != "status") if items else _KEYS
    items += [
        _entry(dict.fromkeys(keys), found[name], new=True) for name in sorted(found) if name not in listed
    ]
    value = {**(index.value or {}), "entries": items}
    if "generated_at" in value and newest is not None:
        value["generated_at"] = dates.like(value["generated_at"], newest)
    if "entry_count" in value:
        value["entry_count"] = len(items)
    if "total_tokens" in value:
        counts = [item.get("token_count") for item in items]
        value["total_tokens"] = sum(count for count in counts if type(count) is int)
    return Rendered(index.write(value, lambda old, new: _file(old) == _file(new)), index.problems)


def _entry(item: Item, memory: Memory, *, new: bool = False) -> Item:
    """An entry brought up to date; it keeps the keys that it has and gains only the status of a tombstone."""
    values: Item = {
        "id": memory.id,
        "path": item["path"] if _same_path(item.get("path"), memory.path) else memory.path,
        "title": memory.title,
        "summary": memory.summary,
        "topic": memory.topic,
        "category": memory.category,
        "keywords": list(memory.keywords),
        "token_count": memory.tokens,
        "created": _date(item.get("created"), memory.created),
        "modified": _date(item.get("modified"), memory.modified),
        "last_retrieved": _date(item.get("last_retrieved"), memory.last_retrieved),
        "retrieval_count": memory.retrievals,
        "source": memory.source,
        "tags": list(memory.tags),
    }
    out = {key: values.get(key, held) for key, held in item.items() if not new or key in values}
    if memory.tombstoned:
        out["status"] = TOMBSTONED
    elif item.get("status") == TOMBSTONED:
        out["status"] = "active"
    return out


def _same_path(present: Json, path: str) -> bool:
    """Whether a path as written means a file, be it written from another folder: folder and name agree."""
    return (
        isinstance(present, str)
        and present.split("/")[-2:] == path.split("/")[-2:]
        and ".." not in present.split("/")
    )


def _date(present: Json, new: str | None) -> Json:
    """A date as it stands in the index, or that of the file, as a day where it is one."""
    found = dates.day(new)
    if found is None:
        return new if new is not None else present or None
    return dates.like(present, found)


VAULT_INDEX = DerivedFile(
    "memory-index.json",
    lambda view: existing(view, index_path(view.layout)),
    lambda layout, path: affected(layout, path, index_path(layout)),
    _build,
    _quick,
)
