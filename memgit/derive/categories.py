"""What the categories of knowledge and the skills of experience are called, and what they are about.

A name or keyword that people chose lives in the frontmatter of the entry file; an index of Mem Skill may know more (see `mem_skill`).
"""

from __future__ import annotations

from collections.abc import Mapping

from memgit.derive.jsonindex import Item, read
from memgit.derive.mem_skill import NAME, Spec, facts, file_of, files, folders, name_in_meta, name_of, with_items
from memgit.derive.view import View
from memgit.errors import UnreadableFile
from memgit.formats import frontmatter
from memgit.formats.text import decode
from memgit.model.record import Value
from memgit.model.tuples import NamedTuple


class Group(NamedTuple):
    """One category or skill: the key and path of its file, the name people gave it, its keywords, how many entries it has."""

    key: str
    path: str
    name: str
    keywords: tuple[str, ...]
    entries: int


def groups(view: View, spec: Spec) -> list[Group]:
    """The categories or skills that have a file, in the order of the index, those that it does not list last."""
    out: list[Group] = []
    for folder in folders(view.layout, spec):
        found = dict(sorted((path.removeprefix(folder), key) for path, key in files(view, folder, spec)))
        said = {file: facts(view, folder + file, key) for file, key in found.items()}
        value = with_items(read(view, folder + NAME, spec.shape), said, found.__contains__, None, spec)
        listed = {file_of(item, spec, found.__contains__): item for item in value.get(spec.items) or []}
        places = {file: place for place, file in enumerate(listed)}
        for file in sorted(found, key=lambda file: places[file]):
            item, one = listed[file], said[file]
            keywords = tuple(word for word in item.get("keywords") or () if isinstance(word, str))
            out.append(Group(one.key, folder + file, one.name or name_in_item(item) or name_of(one.key, spec), keywords, one.entries or 0))
    return out


def names(view: View, spec: Spec) -> list[tuple[str, str]]:
    """Path and name of every category or skill, as `groups` has them; of an entry file, the frontmatter alone is read."""
    out: list[tuple[str, str]] = []
    for folder in folders(view.layout, spec):
        found = {path.removeprefix(folder): key for path, key in files(view, folder, spec)}
        listed: dict[str | None, str | None] = {}
        for item in read(view, folder + NAME, spec.shape).items(spec.shape):
            listed.setdefault(file_of(item, spec, found.__contains__), name_in_item(item))
        for file, key in found.items():
            said = name_in_meta(_meta(view, folder + file))
            out.append((folder + file, said or listed.get(file) or name_of(key, spec)))
    return out


def _meta(view: View, path: str) -> Mapping[str, Value]:
    """What the frontmatter of an entry file says."""
    from memgit.formats.forms import parse_file

    try:
        text = decode(view.data(path) or b"")
    except UnreadableFile:
        return {}
    parts = frontmatter.split(text)
    if parts.block is None or parts.fault is not None:
        return {}
    return parse_file(view.layout, path, text[: parts.body].encode()).meta


def name_in(view: View, path: str, spec: Spec) -> str:
    """The name of the category or skill of one entry file."""
    found = view.layout.find(path)
    if found is None:
        return path
    place, key = found
    said = name_in_meta(view.parsed(path).meta)
    if said:
        return said
    file = path.removeprefix(place.folder)
    for item in read(view, place.folder + NAME, spec.shape).items(spec.shape):
        if file_of(item, spec, lambda name: name == file) == file:
            return name_in_item(item) or name_of(key, spec)
    return name_of(key, spec)


def name_in_item(item: Item) -> str | None:
    name = item.get("name")
    return name if isinstance(name, str) and name else None


def taken_over(view: View, base: View | None, spec: Spec) -> dict[str, dict[str, Value]]:
    """Names and keywords that only the index has and that the frontmatter of the entry files should take over, by path.

    Without a base (first contact) that is what the files do not say at all. With one it is, beside that, what was changed in the index
    since while the file was not: a change made there alone is meant.
    """
    out: dict[str, dict[str, Value]] = {}
    for folder in folders(view.layout, spec):
        found = {path.removeprefix(folder): key for path, key in files(view, folder, spec)}
        index = read(view, folder + NAME, spec.shape)
        old = read(base, folder + NAME, spec.shape).items(spec.shape) if base is not None else []
        before = {file_of(item, spec, found.__contains__): item for item in old}
        for item in index.items(spec.shape):
            file = file_of(item, spec, found.__contains__)
            if file is None or file not in found:
                continue
            now = facts(view, folder + file, found[file])
            then = facts(base, folder + file, found[file]) if base is not None else now
            was = before.get(file)
            taken: dict[str, Value] = {}
            name, words = name_in_item(item), tuple(word for word in item.get("keywords") or () if isinstance(word, str))
            if name and name != now.name and (now.name is None or (was is not None and name != was.get("name") and now.name == then.name)):
                taken["name"] = name
            moved = was is not None and item.get("keywords") != was.get("keywords") and now.keywords == then.keywords
            if words and words != now.keywords and (not now.keywords or moved):
                taken["keywords"] = words
            if taken:
                out[folder + file] = taken
    return out


def known_keywords(view: View, spec: Spec) -> list[tuple[str, str, tuple[str, ...]]]:
    """Key, path and keywords of every category or skill that has a file.

    The keywords are those of its frontmatter and those of the index; only a file that neither says anything of is read for those of its
    records. So looking for a match costs little where the index is in order.
    """
    out: list[tuple[str, str, tuple[str, ...]]] = []
    for folder in folders(view.layout, spec):
        found = {path.removeprefix(folder): key for path, key in files(view, folder, spec)}
        listed: dict[str | None, list[str]] = {}
        for item in read(view, folder + NAME, spec.shape).items(spec.shape):
            words = [word for word in item.get("keywords") or () if isinstance(word, str)]
            listed.setdefault(file_of(item, spec, found.__contains__), []).extend(words)
        for file, key in found.items():
            meta = _meta(view, folder + file).get("keywords")
            own = (meta,) if isinstance(meta, str) else meta or ()
            words = list(dict.fromkeys((*own, *listed.get(file, ()))))
            if not words:
                words = list(dict.fromkeys(word for record in view.parsed(folder + file).records for word in record.keywords))
            out.append((key, folder + file, tuple(words)))
    return out
