"""Names and keywords of categories that were changed in an index alone: taken over into the files that they
belong to.

The frontmatter of a category file says what the category is called, and the index follows. Somebody who
changes the name in the index (by hand, or with another tool that knows nothing of frontmatter) must not lose
it, so what differs is judged by history: looked back to a state in which both said the same, the side that
changed since is the one that is meant. Where both did, the frontmatter counts, and it is said. A category
whose file says nothing keeps the name that the index has, through derivation, as it always does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from memgit.app.write.overlay import Overlay
from memgit.derive import CATEGORY_INDEX
from memgit.derive.categories import name_in_item, said_in, taken_over, words_in_item
from memgit.derive.jsonindex import Item, read
from memgit.derive.mem_skill import Facts, Spec, facts, file_of, files, folders
from memgit.derive.mem_skill_experience import SPEC as EXPERIENCE
from memgit.derive.mem_skill_knowledge import SPEC as KNOWLEDGE
from memgit.derive.view import View
from memgit.errors import MemgitError
from memgit.formats.mem_skill.entries import set_meta
from memgit.git.history.history import touching
from memgit.model.layout import Layout
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Value

SPECS = (KNOWLEDGE, EXPERIENCE)
MAX_COMMITS = 500
"""How many commits that touched an index or a category file are looked at for the state in which both agreed.
"""


class _Doubt(NamedTuple):
    """One thing that an index and the frontmatter of an entry file (path, key) say differently: the name or
    the keywords.

    `weak`: the file says nothing, so that nothing is lost if it stays so.
    """

    path: str
    key: str
    what: str
    weak: bool


def indexes(layout: Layout) -> list[str]:
    """The paths of the indexes that a layout may have."""
    return [folder + CATEGORY_INDEX for spec in SPECS for folder in folders(layout, spec)]


def keep(overlay: Overlay, concerned: Collection[str] | None) -> tuple[str, ...]:
    """Puts on the overlay what is needed so that no name or keyword is lost when the indexes are derived.

    A `_index.json` that is affected but gone comes back as it was last; what was changed in one alone is taken
    over.

    Args:
        concerned: the indexes concerned, those that are not known to be right; None for all.

    Returns:
        What the user should be told.
    """
    notes: list[str] = []
    for spec in SPECS:
        for folder in folders(overlay.layout, spec):
            path = folder + CATEGORY_INDEX
            if concerned is not None and path not in concerned:
                continue
            if overlay.data(path) is None and next(files(overlay, folder, spec), None) is not None:
                older = overlay.last_good(path, lambda _: True)
                if older is not None:
                    overlay.put(path, older)
            if overlay.data(path) is not None:
                notes += _taken(overlay, folder, spec)
    return tuple(notes)


def _earlier(overlay: Overlay, index: str, found: Sequence[str]) -> Iterator[View]:
    """States before that of an overlay, newest first: its commit, where the index is edited on it; those of
    history, for files in question.
    """
    commit = overlay.commit or overlay.repo.head().commit
    if commit is None:
        return
    newest = Overlay(overlay.workspace, overlay.repo, overlay.tree, commit)
    if newest.data(index) != overlay.data(index):
        yield newest
    if not found:
        return
    for older in touching(overlay.repo, commit, [index, *found], MAX_COMMITS):
        yield Overlay(overlay.workspace, overlay.repo, overlay.repo.tree(older), older)


def _taken(overlay: Overlay, folder: str, spec: Spec) -> Iterator[str]:
    index = read(overlay, folder + CATEGORY_INDEX, spec.shape)
    if index.value is None:
        return
    found = {path.removeprefix(folder): key for path, key in files(overlay, folder, spec)}
    listed = _by_file(index.items(spec.shape), spec, found)
    doubts = [
        doubt
        for file, item in listed.items()
        for doubt in _doubts(item, said_in(overlay, folder + file, found[file]), folder + file)
    ]
    if not doubts:
        return
    taken: dict[str, dict[str, Value]] = {}
    both: list[_Doubt] = []
    strong = sorted({doubt.path for doubt in doubts if not doubt.weak})
    for number, base in enumerate(_earlier(overlay, folder + CATEGORY_INDEX, strong)):
        was = _by_file(read(base, folder + CATEGORY_INDEX, spec.shape).items(spec.shape), spec, found)
        settled = [
            doubt for doubt in doubts if _agreed(doubt, was.get(doubt.path.removeprefix(folder)), base)
        ]
        offered = taken_over(overlay, base, spec) if settled else {}
        for doubt in settled:
            file = doubt.path.removeprefix(folder)
            if _said(listed[file], doubt.what) == _said(was[file], doubt.what):
                continue  # the index lags behind, as it does after an edit of the frontmatter
            value = offered.get(doubt.path, {}).get(doubt.what)
            if value is not None:
                taken.setdefault(doubt.path, {})[doubt.what] = value
            elif not doubt.weak:
                both.append(doubt)
        doubts = [doubt for doubt in doubts if doubt not in settled and not (doubt.weak and number == 0)]
        if not any(not doubt.weak for doubt in doubts):
            break
    both += [doubt for doubt in doubts if not doubt.weak and doubt.what == "name"]
    index_path = folder + CATEGORY_INDEX
    for doubt in both:
        if doubt.what == "name":
            one, other = (
                facts(overlay, doubt.path, doubt.key).name,
                name_in_item(listed[doubt.path.removeprefix(folder)]),
            )
            yield (
                f'{doubt.path} is called "{one}" in its frontmatter and "{other}" in {index_path}: the '
                "frontmatter counts"
            )
        else:
            yield (
                f"{doubt.path} has other keywords in its frontmatter than in {index_path}: the "
                "frontmatter counts, none is dropped"
            )
    for path, meta in sorted(taken.items()):
        yield _put(overlay, path, meta, index_path)


def _put(overlay: Overlay, path: str, meta: dict[str, Value], index: str) -> str:
    what = " and ".join(meta)
    try:
        overlay.put(path, set_meta(overlay.data(path) or b"", meta))
    except MemgitError as error:
        return (
            f"{path}: the {what} set in {index} cannot be taken over into it ({error.message}): write it "
            "there"
        )
    return f"{path}: took over the {what} set in {index}"


def _by_file(items: Iterable[Item], spec: Spec, found: Collection[str]) -> dict[str, Item]:
    out: dict[str, Item] = {}
    for item in items:
        file = file_of(item, spec, found.__contains__)
        if file is not None and file in found:
            out.setdefault(file, item)
    return out


def _doubts(item: Item, said: Facts, path: str) -> Iterator[_Doubt]:
    name = name_in_item(item)
    if name is not None and name != said.name:
        yield _Doubt(path, said.key, "name", said.name is None)
    words = _words(item)
    if words and said.keywords and words != set(said.keywords):
        yield _Doubt(path, said.key, "keywords", words >= set(said.keywords))


def _words(item: Item) -> set[str]:
    return set(words_in_item(item))


def _said(item: Item, what: str) -> object:
    return name_in_item(item) if what == "name" else _words(item)


def _agreed(doubt: _Doubt, was: Item | None, base: View) -> bool:
    """Whether an earlier state tells which side of a doubt is meant: both said the same then, or the file
    said nothing.
    """
    if was is None or base.data(doubt.path) is None:
        return False
    then = facts(base, doubt.path, doubt.key)
    if doubt.what == "name":
        name = name_in_item(was)
        return name is not None and (then.name is None or then.name == name)
    return not then.keywords or set(then.keywords) <= _words(was)
