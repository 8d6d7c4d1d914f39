"""The table of derived files, and deriving them: all of a state, or those that a change affects.

A new derived file is one module and one row here.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.derive import CATEGORY_INDEX
from memgit.derive.index_folder import FOLDER_INDEX
from memgit.derive.index_places import NAME as INDEX_NAME
from memgit.derive.index_root import ROOT_INDEX
from memgit.derive.view import DerivedFile, Rendered, View, view_of
from memgit.model.layout import Layout
from memgit.model.record import Problem

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

OWN: tuple[DerivedFile, ...] = (ROOT_INDEX, FOLDER_INDEX)
"""Those of memgit's own layout, beside Mem Skill's."""


def table(layout: Layout, changed: Iterable[str] | None = None) -> tuple[DerivedFile, ...]:
    """The derived files that a layout may have, or those that a change of some paths may concern; modules of
    others are not loaded.
    """
    rows = OWN
    if changed is None or any(_is_entries(layout, path) for path in changed):
        from memgit.derive.mem_skill_experience import EXPERIENCE_INDEX
        from memgit.derive.mem_skill_knowledge import KNOWLEDGE_INDEX

        rows = (KNOWLEDGE_INDEX, EXPERIENCE_INDEX, *OWN)
    if any(place.form == "vault" for place in layout.places):
        from memgit.derive.vault import VAULT_INDEX
        from memgit.derive.vault_pages import VAULT_PAGE, VAULT_README

        rows += (VAULT_INDEX, VAULT_PAGE, VAULT_README)
    if layout.name == "mnema":
        from memgit.derive.mnema import MNEMA_INDEX

        rows += (MNEMA_INDEX,)
    return rows


def _is_entries(layout: Layout, path: str) -> bool:
    """Whether a path is that of a file of entries or of an index of such."""
    if path.rpartition("/")[2] == CATEGORY_INDEX:
        return True
    found = layout.find(path)
    return found is not None and found[0].form == "entries"


NAMES = frozenset([CATEGORY_INDEX, INDEX_NAME, "memory-index.json", "index.md", "README.md"])
"""The file names that derived files have; others may have them too."""


def render_all(view: View) -> dict[str, Rendered]:
    """Every derived file of a state by path, as it should be, with what is wrong with the one that is there."""
    out: dict[str, Rendered] = {}
    for derived in table(view.layout):
        for path in derived.paths(view):
            if path not in out:
                out[path] = derived.build(view, path)
    return out


def derive_all(view: View) -> dict[str, bytes | None]:
    """The derived files of a state that are not as they should be: path to bytes, None for one that should
    not be there.
    """
    return {
        path: rendered.data for path, rendered in render_all(view).items() if rendered.data != view.data(path)
    }


def affected_paths(layout: Layout, changed: Iterable[str]) -> frozenset[str]:
    """The paths of the derived files that a change of some paths may change; cheap."""
    return frozenset(affected_rows(layout, changed))


def affected_rows(layout: Layout, changed: Iterable[str]) -> dict[str, DerivedFile]:
    """As `affected_paths`, each path with its row of the table."""
    paths = sorted(changed)
    out: dict[str, DerivedFile] = {}
    for derived in table(layout, paths):
        for path in paths:
            for affected in derived.affected(layout, path):
                out.setdefault(affected, derived)
    return out


def derive_affected(
    view: View,
    changed: Iterable[str],
    base: View | None = None,
    right: Container[str] | None = None,
    rows: Mapping[str, DerivedFile] | None = None,
    problems: dict[str, tuple[Problem, ...]] | None = None,
) -> dict[str, bytes | None]:
    """The derived files that a change affects, as `derive_all` gives them: path to bytes, None for one that has
    to go.

    Args:
        view: the state after the change.
        changed: the paths that the change touched, whether they are still there or not.
        base: the state before it, where its derived files are known to be right: then what did not change is
            taken from them, and the cost does not grow with the number of records. Without it every folder
            concerned is read.
        right: the derived files that are known to be right in the base; None for all.
        rows: what `affected_rows` says of `changed`, where that was asked already.
        problems: gets what is wrong with files that cannot be written.
    """
    paths = frozenset(changed)
    out: dict[str, bytes | None] = {}
    for path, derived in (affected_rows(view.layout, paths) if rows is None else rows).items():
        rendered = None
        if base is not None and derived.quick is not None and (right is None or path in right):
            rendered = derived.quick(view, base, path, paths)
        if rendered is None:
            rendered = derived.build(view, path)
        if problems is not None and any(one.fatal for one in rendered.problems):
            problems[path] = rendered.problems
        if rendered.data != view.data(path):
            out[path] = rendered.data
    return out


def is_derived(layout: Layout, path: str) -> bool:
    """Whether a path is that of a derived file in a layout, be the file there or not. Cheap."""
    return path.rpartition("/")[2] in NAMES and any(
        path in derived.affected(layout, path) for derived in table(layout, [path])
    )


def starters(layout: Layout) -> dict[str, bytes]:
    """The derived files that a new, empty knowledge root begins with."""
    from memgit.derive import jsontext, vault, vault_pages
    from memgit.derive.mem_skill import folders
    from memgit.derive.mem_skill_experience import SPEC as EXPERIENCE
    from memgit.derive.mem_skill_knowledge import SPEC as KNOWLEDGE

    files: dict[str, bytes] = {}
    if layout.name in ("memgit", "mem-skill"):
        for spec in (KNOWLEDGE, EXPERIENCE):
            for folder in folders(layout, spec):
                files[folder + CATEGORY_INDEX] = (jsontext.dumps(dict(spec.top), spec.style) + "\n").encode()
    if layout.name == "vault":
        index = jsontext.dumps(dict(vault.SHAPE.top), vault.SHAPE.style) + "\n"
        files = {vault.index_path(layout): index.encode(), **vault_pages.starters(layout)}
    view = view_of(layout, files)
    return {**files, **{path: data for path, data in derive_all(view).items() if data is not None}}
