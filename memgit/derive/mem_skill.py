"""The two indexes of Mem Skill, `_index.json` in the folder of an entry kind: what both have in common.

An index holds what can be derived (counts, dates, which files there are) beside what cannot: names and
keywords that people chose. The shape of the one that is there is kept to the byte, and keys that Mem Skill
reads are added where it lacks them. Nothing that cannot be derived is ever dropped:

- a category whose file is gone stays listed with a count of 0 (lint reports it, its fix takes it out);
- a name comes from the frontmatter of the file, else from the index, else from the file name;
- keywords are those of the frontmatter and then those that only the index has; without any, those of the
records;
- a name or keywords that an index has not at all, and the file neither, are those of the last index in
history that was whole.

The count of a file is that of its `## ` sections, archived ones too, as Mem Skill counts them; a bare heading
without field and text is not counted. `lastUpdated` is the newest day among the records; without any, it
stays as it is.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.derive import CATEGORY_INDEX, dates
from memgit.derive.jsonindex import Index, Item, Shape, from_history, joined, read, union
from memgit.derive.jsontext import Json, Style
from memgit.derive.view import DerivedFile, Rendered, View
from memgit.formats.text import whole as readable
from memgit.model.layout import Layout
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Record, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

MAX_KEYWORDS = 36
"""As many keywords as are gathered from records for one category or skill; chosen ones are not bounded."""

_FOREIGN = frozenset(["knowledgeBase", "knowledge_bases"])
_TOP = frozenset(["lastUpdated", "version", "totalEntries", "absorbedSkills"])
_DATES = ("lastUpdated", "last_updated")
_SPARE = frozenset(["absorbedSkills"])
"""Keys of a new index that an older one may lack:

Mem Skill itself writes them only where there is something to say.
"""
EMPTY: Mapping[str, Json] = {}


class Spec(NamedTuple):
    """What tells the two indexes apart.

    Attributes:
        kind: the kind of record.
        items: the key of the list.
        ids: the keys that an item may have for its id, the usual one first.
        prefix: what stands before the id in a file name.
        top: a new index without items.
        item: the keys of an item, which every one has, in the order of a new one.
        style: how a new index is laid out.
        grows: whether keywords of new records are added to those that are there.
    """

    kind: str
    items: str
    ids: tuple[str, ...]
    prefix: str
    top: Mapping[str, Json]
    item: tuple[str, ...]
    style: Style
    grows: bool

    @property
    def shape(self) -> Shape:
        return Shape(
            self.items,
            self.top,
            self.style,
            lambda value: foreign(self, value),
            lambda item: file_of(item, self),
            lambda value: whole(self, value),
        )


class Facts(NamedTuple):
    """What one entry file says for the index.

    `entries` is None where the file cannot be read: then the index keeps its count.
    """

    key: str
    entries: int | None
    newest: str | None
    name: str | None
    keywords: tuple[str, ...]
    records: tuple[Record, ...]


def derived(name: str, spec: Spec) -> DerivedFile:
    """The row of an index in the table."""
    return DerivedFile(
        name,
        lambda view: paths(view, spec),
        lambda layout, path: affected(layout, path, spec),
        lambda view, path: build(view, path, spec),
        lambda view, base, path, changed: quick(view, base, path, changed, spec),
    )


def counted(record: Record) -> bool:
    """Whether a section counts as an entry: a heading with neither field nor text does not."""
    return bool(record.body) or len(record.fields) > ("title" in record.fields)


def title_of(key: str) -> str:
    """A name for a category from its id: `design-layout` gives `Design Layout`."""
    words = key.rpartition("/")[2].replace("-", " ").replace("_", " ").split()
    return " ".join(word[:1].upper() + word[1:] for word in words) or key


def name_of(key: str, spec: Spec) -> str:
    """The name of a category or skill that neither its file nor an index names."""
    return title_of(key) if "name" in spec.item else key


# Where


def folders(layout: Layout, spec: Spec) -> list[str]:
    """The folders of a kind that have an index."""
    return sorted({place.folder for place in layout.of(spec.kind) if place.form == "entries"})


def paths(view: View, spec: Spec) -> Iterator[str]:
    """An index stands where one stands already, and where there are entry files."""
    for folder in folders(view.layout, spec):
        if CATEGORY_INDEX in view.names(folder) or next(files(view, folder, spec), None) is not None:
            yield folder + CATEGORY_INDEX


def affected(layout: Layout, path: str, spec: Spec) -> Iterator[str]:
    """The index that lists a file."""
    if path.endswith("/" + CATEGORY_INDEX) or path == CATEGORY_INDEX:
        yield from (
            folder + CATEGORY_INDEX for folder in folders(layout, spec) if path == folder + CATEGORY_INDEX
        )
        return
    found = layout.find(path) if path.endswith(".md") else None
    if found is not None and found[0].kind == spec.kind and found[0].form == "entries":
        yield found[0].folder + CATEGORY_INDEX


def files(view: View, top: str, spec: Spec, folder: str | None = None) -> Iterator[tuple[str, str]]:
    """Path and key of every entry file of a kind whose index lies in `top`."""
    folder = top if folder is None else folder
    for name in view.names(folder):
        if name.endswith(".md"):
            found = view.layout.find(folder + name)
            if found is not None and found[0].kind == spec.kind and found[0].folder == top:
                yield folder + name, found[1]
    for name in view.folders(folder):
        if not name.startswith("."):
            yield from files(view, top, spec, f"{folder}{name}/")


def facts(view: View, path: str, key: str) -> Facts:
    """What one entry file says."""
    parsed = view.parsed(path)
    records, newest = _gathered(parsed.records)
    unreadable = not parsed.records and parsed.fatal
    name = name_in_meta(parsed.meta)
    keywords = keywords_in_meta(parsed.meta)
    return Facts(key, None if unreadable else len(records), newest, name, keywords, records)


_Records = tuple[Record, ...]
_seen: list[tuple[_Records, _Records, str | None]] = [((), (), None)]
"""The records that were looked at last, those of them that count, and the newest day that these say."""


def _gathered(records: _Records) -> tuple[_Records, str | None]:
    """The records that count, and the newest day that they say.

    Of a file to which one after another is appended, only the last is new.
    """
    before, counting, newest = _seen[0]
    if records[: len(before)] != before:
        before, counting, newest = (), (), None
    if len(before) < len(records):
        new = [record for record in records[len(before) :] if counted(record)]
        counting, newest = (*counting, *new), dates.newest([newest, dates.newest_of(new)])
    _seen[0] = records, counting, newest
    return counting, newest


def name_in_meta(meta: Mapping[str, Value]) -> str | None:
    """The name that the frontmatter of an entry file gives."""
    return ", ".join(_texts(meta.get("name"))) or None


def keywords_in_meta(meta: Mapping[str, Value]) -> tuple[str, ...]:
    """The keywords that the frontmatter of an entry file gives."""
    return _texts(meta.get("keywords"))


def _texts(value: Value) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) and value else tuple(value or ())


# Items


def foreign(spec: Spec, value: Json) -> str | None:
    """Why a value is not an index of Mem Skill; None where it is one."""
    if not isinstance(value, dict):
        return (
            f"it holds {'an array' if isinstance(value, list) else 'a single value'} where an object "
            f"with `{spec.items}` is expected"
        )
    strange = _FOREIGN.intersection(value)
    if strange:
        return f"it has `{min(strange)}` in place of `{spec.items}`"
    items = value.get(spec.items)
    if items is None:
        others = sorted(set(value) - _TOP - {spec.items})
        return f"it has no `{spec.items}` but `{others[0]}`" if others else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return f"its `{spec.items}` is not a list of objects"
    if any("skill_id" in item and not any(key in item for key in spec.ids) for item in items):
        return "its items have a `skill_id`"
    return None


def file_of(item: Item, spec: Spec, known: Callable[[str], bool] = lambda _: False) -> str | None:
    """The file that an item is about, relative to the folder: the one of its file, id or name that exists,
    else the first that it has.
    """
    candidates: list[str] = []
    file = item.get("file")
    if isinstance(file, str) and file:
        file = file.removeprefix("./")
        if known(file):
            return file
        candidates += [file, file.rpartition("/")[2]]
    for key in (*spec.ids, "id", "name"):
        text = item.get(key)
        if isinstance(text, str) and text:
            candidates += [f"{spec.prefix}{text}.md", f"{text}.md"] if spec.prefix else [f"{text}.md"]
    return next((name for name in candidates if known(name)), candidates[0] if candidates else None)


def _of_records(records: Iterable[Record]) -> Iterator[str]:
    return (keyword for record in records for keyword in record.keywords if keyword.strip())


def keywords_of(present: list[Json], old_count: Json, said: Facts, spec: Spec) -> list[Json]:
    """The keywords of an item: what its file says, then what only the index has; records give theirs where
    neither has any.

    Where keywords grow with the records (experience), those of the records that the old count does not cover,
    the last ones of the file, are added: as Mem Skill's agent does when it records.
    """
    if said.keywords:
        return union(
            dict.fromkeys(said.keywords),
            (readable(word) if isinstance(word, str) else word for word in present),
        )
    if not present:
        return union((), _of_records(said.records), MAX_KEYWORDS)
    if spec.grows and type(old_count) is int and 0 <= old_count < len(said.records):
        return union(present, _of_records(said.records[old_count:]), MAX_KEYWORDS)
    return present


def _misled(item: Item, file: str) -> bool:
    """Whether an item names another file than the one that its id or name led to."""
    named = item.get("file")
    return (
        isinstance(named, str)
        and bool(named)
        and file not in (named.removeprefix("./"), named.rpartition("/")[2])
    )


def _linked(item: Item, spec: Spec) -> bool:
    """Whether an item tells by more than its name which file it is about, once it has all keys."""
    missing = _keys(item, spec)
    return any(
        key in missing or (item.get(key) and isinstance(item[key], str)) for key in (*spec.ids, "id", "file")
    )


def _updated(item: Item, file: str, said: Facts, spec: Spec) -> Item:
    out = dict(item)
    if _misled(item, file):
        out["file"] = file
    if "count" in item and said.entries is not None:
        out["count"] = said.entries
    if said.name and "name" in item and _linked(item, spec):
        out["name"] = said.name
    if isinstance(item.get("keywords"), list):
        out["keywords"] = keywords_of(item["keywords"], item.get("count"), said, spec)
    for key in _DATES:
        if key in item and said.newest is not None:
            out[key] = dates.like(item[key], said.newest)
    return out


def _orphaned(item: Item) -> Item:
    return {**item, "count": 0} if "count" in item else item


def _keys(item: Iterable[str], spec: Spec) -> list[str]:
    """The keys that an item lacks; another spelling of the id counts as one."""
    held = set(item)
    return [
        key
        for key in spec.item
        if key not in held and not (key == spec.ids[0] and held.intersection((*spec.ids, "id")))
    ]


def _completed(item: Item, file: str, said: Facts | None, past: Item, spec: Spec) -> Item:
    """An item with all keys; what cannot be derived comes from the last whole index (`past`).

    `said` is None where its file is gone.
    """
    missing = _keys(item, spec)
    if not missing:
        return item
    key = file.removesuffix(".md").removeprefix(spec.prefix)
    said = said or Facts(key, 0, None, None, (), ())
    present = past.get("keywords")
    held = list(present) if isinstance(present, list) and not said.keywords else []
    values: Item = {
        spec.ids[0]: said.key,
        "name": said.name or past.get("name") or name_of(said.key, spec),
        "keywords": keywords_of(held, None, said, spec),
        "file": file,
        "count": said.entries or 0,
    }
    return {**item, **{key: values[key] for key in missing}}


def whole(spec: Spec, value: Mapping[str, Json]) -> bool:
    """Whether the items of an index have all keys."""
    return not any(_keys(item, spec) for item in value[spec.items] or [])


def thin(index: Index, spec: Spec) -> bool:
    """Whether an index lacks keys that Mem Skill reads."""
    value = index.value or {}
    return any(key not in value for key in spec.top if key not in _SPARE) or not whole(spec, value)


def past(view: View, path: str, index: Index, spec: Spec) -> Mapping[str, Json]:
    """The last whole index in history, where the one that is there lacks keys; else an empty one."""
    if index.value is None or not thin(index, spec):
        return {}
    return from_history(view, path, spec.shape, spec.shape.whole) or {}


def _made(file: str, said: Facts, keys: Iterable[str], spec: Spec) -> Item:
    """A new item with the keys that its neighbours have."""
    keys = list(keys)
    keys += _keys(keys, spec)
    values: Item = {
        "id": said.key,
        **dict.fromkeys(spec.ids, said.key),
        "name": said.name or name_of(said.key, spec),
        "keywords": keywords_of([], None, said, spec),
        "file": file,
        "count": said.entries or 0,
        **dict.fromkeys(_DATES, said.newest),
    }
    return {key: values[key] for key in keys if key in values}


# Deriving


def build(view: View, path: str, spec: Spec) -> Rendered:
    """The index from all entry files and the index that is there."""
    index = read(view, path, spec.shape)
    if index.value is None:
        return Rendered(view.data(path), index.problems)
    folder = path.removesuffix(CATEGORY_INDEX)
    said = {
        file.removeprefix(folder): facts(view, file, key) for file, key in sorted(files(view, folder, spec))
    }
    if not said and view.data(path) is None:
        return Rendered(None)
    newest = dates.newest(one.newest for one in said.values())
    return _rendered(index, said, said.__contains__, None, newest, spec, past(view, path, index, spec))


def quick(view: View, base: View, path: str, changed: Collection[str], spec: Spec) -> Rendered | None:
    """The index from that of the base and the entry files that changed."""
    data = view.data(path)
    if data is None or path in changed or data != base.data(path):
        return None
    index = read(view, path, spec.shape)
    if index.value is None or index.problems or thin(index, spec):
        return None
    folder = path.removesuffix(CATEGORY_INDEX)
    said: dict[str, Facts] = {}
    gone: set[str] = set()
    before: list[str] = []
    alike = True
    for file in sorted(changed):
        found = view.layout.find(file) if path in affected(view.layout, file, spec) else None
        if found is None:
            continue
        old = facts(base, file, found[1]) if base.data(file) is not None else None
        before += [old.newest] if old is not None and old.newest is not None else []
        if view.data(file) is None:
            gone.add(file.removeprefix(folder))
            alike = False
        else:
            new = said[file.removeprefix(folder)] = facts(view, file, found[1])
            alike = alike and old is not None and _listed(old) == _listed(new)
    there: dict[str, Sequence[str]] = {}

    def known(file: str) -> bool:
        if file in said or file in gone:
            return file in said
        above, slash, name = (folder + file).rpartition("/")
        if above not in there:
            there[above] = view.names(above + slash)
        return name in there[above] and path in affected(view.layout, folder + file, spec)

    if "totalEntries" in index.value and not all(
        type(item.get("count")) is int for item in index.items(spec.shape)
    ):
        return None
    newest = dates.newest(one.newest for one in said.values())
    if "lastUpdated" in index.value:
        # The newest day is that of the base, unless a file had it that no longer does: then the others must
        # be asked.
        present = (
            dates.day(index.value["lastUpdated"]) if isinstance(index.value["lastUpdated"], str) else None
        )
        if present is None or (
            any(old >= present for old in before) and (newest is None or newest < present)
        ):
            return None
        newest = dates.newest((present, newest))
        if (
            alike
            and newest == present
            and not any(key in item for item in index.items(spec.shape) for key in _DATES)
        ):
            return Rendered(data)
    return _rendered(index, said, known, gone, newest, spec)


def _listed(said: Facts) -> tuple[object, ...]:
    """What an index says of a file but for days."""
    return said.entries, said.name, said.keywords, [record.keywords for record in said.records]


def _rendered(
    index: Index,
    said: Mapping[str, Facts],
    known: Callable[[str], bool],
    gone: Collection[str] | None,
    newest: str | None,
    spec: Spec,
    past: Mapping[str, Json] = EMPTY,
) -> Rendered:
    value = with_items(index, said, known, gone, spec, past)
    items = value[spec.items]
    if "totalEntries" in value and all(type(item.get("count", 0)) is int for item in items):
        value["totalEntries"] = sum(item.get("count", 0) for item in items)
    if newest is not None:
        value["lastUpdated"] = dates.like(value["lastUpdated"], newest)

    def same(old: Item, new: Item) -> bool:
        if old == new:
            return True
        file = file_of(old, spec, known)
        return file is not None and file == file_of(new, spec, known)

    return Rendered(index.write(value, same), index.problems)


def with_items(
    index: Index,
    said: Mapping[str, Facts],
    known: Callable[[str], bool],
    gone: Collection[str] | None,
    spec: Spec,
    past: Mapping[str, Json] = EMPTY,
) -> dict[str, Json]:
    """The index with its items brought up to date, and with all keys.

    Files that `said` does not name are not there, or (with `gone`) are as they were unless they are gone.
    """
    out: list[Item] = []
    places: dict[str, int] = {}
    before = {file_of(item, spec, known): item for item in reversed(past.get(spec.items) or [])}
    for item in index.items(spec.shape):
        file = file_of(item, spec, known)
        if file is not None and file in places:
            out[places[file]] = joined(out[places[file]], item)
            continue
        if file is not None:
            places[file] = len(out)
        out.append(item)
    for file, number in places.items():
        if file in said:
            out[number] = _completed(
                _updated(out[number], file, said[file], spec), file, said[file], before.get(file, {}), spec
            )
        elif gone is None or file in gone:
            out[number] = _completed(_orphaned(out[number]), file, None, before.get(file, {}), spec)
    keys = list(out[-1]) if out else list(spec.item)
    out += [_made(file, said[file], keys, spec) for file in sorted(said) if file not in places]
    value = index.value or {}
    defaults = {key: default for key, default in spec.top.items() if key not in _SPARE}
    return {
        **value,
        **{key: held for key, held in {**defaults, **past}.items() if key not in value},
        spec.items: out,
    }
