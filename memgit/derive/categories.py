"""What the categories of knowledge and the skills of experience are called, and what they are about.

A name or keyword that people chose lives in the frontmatter of the entry file; an index of Mem Skill may know
more (see `mem_skill`).
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.derive import CATEGORY_INDEX
from memgit.derive.jsonindex import Item, read
from memgit.derive.mem_skill import (
    Facts,
    Spec,
    facts,
    file_of,
    files,
    folders,
    keywords_in_meta,
    name_in_meta,
    name_of,
    past,
)
from memgit.derive.view import View
from memgit.errors import UnreadableFile
from memgit.formats import frontmatter
from memgit.formats.codecs import parse_file
from memgit.formats.text import decode, whole
from memgit.model.record import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


def names(view: View, spec: Spec) -> list[tuple[str, str]]:
    """Path and name of every category or skill that has a file; of the file, the frontmatter alone is read."""
    out: list[tuple[str, str]] = []
    for folder in folders(view.layout, spec):
        found = {path.removeprefix(folder): key for path, key in files(view, folder, spec)}
        listed: dict[str | None, str | None] = {}
        for file, item in _listed(view, folder, spec, found.__contains__):
            listed.setdefault(file, name_in_item(item))
        for name, key in found.items():
            said = name_in_meta(_meta(view, folder + name))
            out.append((folder + name, said or listed.get(name) or name_of(key, spec)))
    return out


def _listed(
    view: View, folder: str, spec: Spec, known: Callable[[str], bool]
) -> Iterator[tuple[str | None, Item]]:
    """The items of an index with their files; one that has no name or keywords at all has those of the last
    whole index.
    """
    index = read(view, folder + CATEGORY_INDEX, spec.shape)
    older = past(view, folder + CATEGORY_INDEX, index, spec)
    before = {file_of(item, spec, known): item for item in reversed(older.get(spec.items) or [])}
    for item in index.items(spec.shape):
        file = file_of(item, spec, known)
        yield (
            file,
            {
                **{key: held for key, held in before.get(file, {}).items() if key in ("name", "keywords")},
                **item,
            },
        )


def said_in(view: View, path: str, key: str) -> Facts:
    """As `facts`, as far as the frontmatter goes: name and keywords."""
    meta = _meta(view, path)
    return Facts(key, None, None, name_in_meta(meta), keywords_in_meta(meta), ())


def _meta(view: View, path: str) -> Mapping[str, Value]:
    """What the frontmatter of an entry file says."""
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
    for named, item in _listed(view, place.folder, spec, lambda name: name == file):
        if named == file:
            return name_in_item(item) or name_of(key, spec)
    return name_of(key, spec)


def name_in_item(item: Item) -> str | None:
    """The name that an item of an index gives, as a file can hold it."""
    name = item.get("name")
    return whole(name) if isinstance(name, str) and name else None


def words_in_item(item: Item) -> tuple[str, ...]:
    """The keywords that an item of an index gives, as a file can hold them."""
    words = item.get("keywords")
    if isinstance(words, str):  # a bare comma list, as in frontmatter
        words = [word.strip() for word in words.split(",") if word.strip()]
    return tuple(whole(word) for word in words if isinstance(word, str)) if isinstance(words, list) else ()


def taken_over(view: View, base: View | None, spec: Spec) -> dict[str, dict[str, Value]]:
    """Names and keywords that only the index has and that the frontmatter of the entry files should take
    over, by path.

    Without a base (first contact) that is what the files do not say at all. With one it is, beside that, what
    was changed in the index since while the file was not: a change made there alone is meant.
    """
    out: dict[str, dict[str, Value]] = {}
    for folder in folders(view.layout, spec):
        found = {path.removeprefix(folder): key for path, key in files(view, folder, spec)}
        index = read(view, folder + CATEGORY_INDEX, spec.shape)
        old = read(base, folder + CATEGORY_INDEX, spec.shape).items(spec.shape) if base is not None else []
        before = {file_of(item, spec, found.__contains__): item for item in old}
        for item in index.items(spec.shape):
            file = file_of(item, spec, found.__contains__)
            if file is None or file not in found:
                continue
            now = facts(view, folder + file, found[file])
            then = facts(base, folder + file, found[file]) if base is not None else now
            was = before.get(file)
            taken: dict[str, Value] = {}
            name, words = name_in_item(item), words_in_item(item)
            renamed = was is not None and name != name_in_item(was) and now.name == then.name
            if name and name != now.name and (now.name is None or renamed):
                taken["name"] = name
            moved = (
                was is not None
                and item.get("keywords") != was.get("keywords")
                and now.keywords == then.keywords
            )
            if words and words != now.keywords and (not now.keywords or moved):
                taken["keywords"] = words
            if taken:
                out[folder + file] = taken
    return out


def known_keywords(view: View, spec: Spec) -> list[tuple[str, str, tuple[str, ...]]]:
    """Key, path and keywords of every category or skill that has a file.

    The keywords are those of its frontmatter and those of the index; only a file that neither says anything
    of is read for those of its records. So looking for a match costs little where the index is in order.
    """
    out: list[tuple[str, str, tuple[str, ...]]] = []
    for folder in folders(view.layout, spec):
        found = {path.removeprefix(folder): key for path, key in files(view, folder, spec)}
        listed: dict[str | None, list[str]] = {}
        for file, item in _listed(view, folder, spec, found.__contains__):
            listed.setdefault(file, []).extend(words_in_item(item))
        for name, key in found.items():
            meta = _meta(view, folder + name).get("keywords")
            own = (meta,) if isinstance(meta, str) else meta or ()
            words = list(dict.fromkeys((*own, *listed.get(name, ()))))
            if not words:
                words = list(
                    dict.fromkeys(
                        word for record in view.parsed(folder + name).records for word in record.keywords
                    )
                )
            out.append((key, folder + name, tuple(words)))
    return out
