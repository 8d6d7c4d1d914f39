"""`INDEX.md` at the root: what kinds, categories and scopes there are.

It holds no total and no record, so it does not change when a record is added to a category or scope that it
lists. memgit's own layout always has it; a workspace that was opened in place only where its owner has put
the markers.
"""

from __future__ import annotations

from functools import cache

from memgit import TYPE_CHECKING
from memgit.derive import CATEGORY_INDEX, managed
from memgit.derive import index_places as places
from memgit.derive.view import DerivedFile, Rendered, View
from memgit.model.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from memgit.derive.mem_skill import Spec

NAMED = ("knowledge", "experience")
"""The kinds whose files have names, which Mem Skill's indexes may know."""


@cache
def _specs() -> Mapping[str, Spec]:
    from memgit.derive.mem_skill_experience import SPEC as EXPERIENCE
    from memgit.derive.mem_skill_knowledge import SPEC as KNOWLEDGE

    return dict(zip(NAMED, (KNOWLEDGE, EXPERIENCE), strict=True))


def _paths(view: View) -> Iterator[str]:
    path = places.root_path(view.layout)
    if places.lists(view.layout) and places.wanted(view, path):
        yield path


def _affected(layout: Layout, path: str) -> Iterator[str]:
    if not places.lists(layout):
        return
    if (
        path == places.root_path(layout)
        or _is_index(layout, path)
        or places.kind_at(layout, path) is not None
    ):
        yield places.root_path(layout)


def _is_index(layout: Layout, path: str) -> bool:
    """Whether a path is an index that names of categories may come from."""
    if not path.endswith(CATEGORY_INDEX):
        return False
    from memgit.derive.mem_skill import affected

    return any(path in affected(layout, path, spec) for spec in _specs().values())


def _build(view: View, path: str) -> Rendered:
    if not places.wanted(view, path):
        return Rendered(view.data(path))
    content = [""]
    for kind, heading in places.HEADINGS.items():
        lines = _lines(view, kind)
        if lines:
            content += [f"## {heading}", "", *places.bounded(lines, kind), ""]
    return managed.render(
        view.data(path), places.MARKERS, content if len(content) > 1 else places.EMPTY, "# Index"
    )


def _lines(view: View, kind: str) -> list[str]:
    base = view.layout.base
    if kind in NAMED:
        from memgit.derive.categories import names

        return sorted(
            places.link(name, path.removeprefix(base)) for path, name in names(view, _specs()[kind])
        )
    if kind in places.LISTED:
        return [_scope_line(view.layout, folder) for folder in _scopes(view, kind)]
    return (
        [places.command(kind)] if any(_any(view, root, kind) for root in view.layout.roots((kind,))) else []
    )


def _scopes(view: View, kind: str) -> Iterator[str]:
    """The folders that hold records of a listed kind."""
    for top in places.tops(view.layout):
        place = places.owner(view.layout, top)
        if place is not None and place.kind == kind and top + places.NAME != places.root_path(view.layout):
            yield from (folder for folder in places.walk(view, top) if places.holds(view, folder))


def _scope_line(layout: Layout, folder: str) -> str:
    return places.link(
        places.scope(layout, folder) or folder.rstrip("/").rpartition("/")[2],
        folder.removeprefix(layout.base) + places.NAME,
    )


def _any(view: View, folder: str, kind: str) -> bool:
    """Whether a record of a kind lies in a folder, however deep."""
    if any(places.kind_at(view.layout, folder + name) == kind for name in view.names(folder)):
        return True
    return any(
        _any(view, f"{folder}{name}/", kind) for name in view.folders(folder) if not name.startswith(".")
    )


def _quick(view: View, base: View, path: str, changed: Collection[str]) -> Rendered | None:
    """Nothing changes where every changed file is there still and stands behind a line that the root has, or
    had no line of its own.
    """
    data = view.data(path)
    if path in changed or data is None or data != base.data(path) or not places.wanted(view, path):
        return None
    if any(_is_index(view.layout, file) for file in changed):
        return None
    lines: frozenset[str] | None = None
    for file in changed:
        kind = places.kind_at(view.layout, file)
        if kind is None:
            continue
        if view.data(file) is None:
            return None
        if base.data(file) is None:
            if lines is None:
                found = managed.read(data, places.MARKERS)
                if found is None:
                    return None
                lines = frozenset(managed.inner_lines(found))
            if _line_for(view, file, kind) not in lines:
                return None
        elif _shown(view, file, kind) != _shown(base, file, kind):
            return None
    return Rendered(data)


def _shown(view: View, file: str, kind: str) -> object:
    """What the root shows of a record file that is there."""
    if kind in NAMED:
        return view.parsed(file).meta.get("name")
    return kind not in places.LISTED or places.readable(view, file)


def _line_for(view: View, file: str, kind: str) -> str:
    """The line that a record file stands behind."""
    if kind in NAMED:
        from memgit.derive.categories import name_in

        return places.link(name_in(view, file, _specs()[kind]), file.removeprefix(view.layout.base))
    return (
        _scope_line(view.layout, file[: file.rfind("/") + 1])
        if kind in places.LISTED
        else places.command(kind)
    )


ROOT_INDEX = DerivedFile("INDEX.md of the root", _paths, _affected, _build, _quick)
