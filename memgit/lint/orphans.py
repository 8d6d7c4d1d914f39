"""The two sides of a Mem Skill index: what it lists, and which files there are."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.derive import CATEGORY_INDEX
from memgit.derive.jsonindex import Item, read
from memgit.derive.mem_skill import Spec, file_of, files, folders
from memgit.derive.mem_skill_experience import SPEC as EXPERIENCE
from memgit.derive.mem_skill_knowledge import SPEC as KNOWLEDGE
from memgit.lint.corpus import Corpus
from memgit.model.namedtuple import NamedTuple

SPECS = (KNOWLEDGE, EXPERIENCE)


class Sides(NamedTuple):
    """One index: where it lies, the files that it lists (with the items), and the files that are there,
    relative to its folder.
    """

    spec: Spec
    path: str
    listed: dict[str, Item]
    present: list[str]


def sides(corpus: Corpus) -> Iterator[Sides]:
    """Every index that is there, can be read, and is concerned by the change."""
    for spec in SPECS:
        for folder in folders(corpus.layout, spec):
            path = folder + CATEGORY_INDEX
            if corpus.data(path) is None or not _concerned(corpus, folder):
                continue
            index = read(corpus, path, spec.shape)
            if index.value is None or index.problems:
                continue
            present = [file.removeprefix(folder) for file, _ in files(corpus, folder, spec)]
            there = set(present)
            listed: dict[str, Item] = {}
            for item in index.items(spec.shape):
                file = file_of(item, spec, there.__contains__)
                if file is not None:
                    listed.setdefault(file, item)
            yield Sides(spec, path, listed, present)


def _concerned(corpus: Corpus, folder: str) -> bool:
    return corpus.changed is None or any(path.startswith(folder) for path in corpus.changed)


def without(corpus: Corpus, path: str, gone: set[str]) -> bytes | None:
    """An index without the items of some files; None where it is not there."""
    for side in sides(corpus):
        if side.path == path:
            index = read(corpus, path, side.spec.shape)
            there = set(side.present)
            items = index.items(side.spec.shape)
            kept = [item for item in items if file_of(item, side.spec, there.__contains__) not in gone]
            value = {**(index.value or {}), side.spec.items: kept}
            if isinstance(value.get("totalEntries"), int) and all(
                isinstance(item.get("count", 0), int) for item in kept
            ):
                value["totalEntries"] = sum(item.get("count", 0) for item in kept)
            return index.write(value, lambda old, new: old == new)
    return None
