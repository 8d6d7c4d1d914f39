"""Derived files that are right though others committed since: what a state in which they were right gives,
with what changed, is there.

So the write after a pull, or after a commit by hand, derives from what was pulled and not from all records.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.config import NAME
from memgit.app.derived import state as derived_state
from memgit.derive import CATEGORY_INDEX, affected_rows
from memgit.errors import NotFound
from memgit.git.objects.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from memgit.app.write.overlay import Overlay
    from memgit.derive.view import DerivedFile

MAX_CHANGED_FILES = 2_000
"""Changed files from which on deriving from all is no slower."""


def still_right(overlay: Overlay, doubtful: Collection[str]) -> frozenset[str]:
    """Those of some derived files that are right in the commit of an overlay; what is unclear is left out."""
    found: set[str] = set()
    for state in derived_state.states(overlay.repo):
        if not found.issuperset(doubtful) and not set(doubtful).isdisjoint(state.right):
            try:
                found |= _since(overlay, Tree(overlay.repo, state.tree), frozenset(state.right), doubtful)
            except NotFound:
                continue
    return frozenset(found)


def _since(overlay: Overlay, tree: Tree, right: frozenset[str], doubtful: Collection[str]) -> set[str]:
    """Those that were right in another tree, and are as what changed since has them.

    A derived file made again from itself stays the same: one that is what the older one gives is right.
    """
    changed = frozenset(path for path, _, _ in tree.diff(overlay.tree))
    if len(changed) > MAX_CHANGED_FILES or NAME in changed:
        return set()
    base = overlay.at(tree)
    rows = affected_rows(overlay.layout, changed)
    found = set(right.intersection(doubtful)) - rows.keys()  # nothing that concerns these has changed
    # Indexes first: the index of the root looks at them.
    for path in sorted(right.intersection(rows), key=lambda path: not path.endswith(CATEGORY_INDEX)):
        if (path in doubtful or path.endswith(CATEGORY_INDEX)) and _follows(
            overlay, base, path, rows, changed - found
        ):
            found.add(path)
    return found


def _follows(
    overlay: Overlay, base: Overlay, path: str, rows: Mapping[str, DerivedFile], changed: frozenset[str]
) -> bool:
    quick, before = rows[path].quick, base.data(path)
    if quick is None or before is None:
        return False
    view = overlay.at(overlay.tree)
    now = view.data(path)
    if now != before:
        view.edits[path] = before
    made = quick(view, base, path, changed - {path})
    return made is not None and made.data == now
