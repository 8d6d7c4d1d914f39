"""Which derived files are known to be right, so that the next write derives from them only what changed.

A disposable file in the git directory names a tree of the knowledge root and the derived files that were right in it. What somebody else's
commit may have changed since is taken off the list: the write that owes such a file derives it from all its records, and so mends drift.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import NamedTuple

from memgit.derive import owed_paths
from memgit.errors import NotFound
from memgit.git.repository import Repository
from memgit.git.tree import Tree
from memgit.model.layout import Layout

NAME = "derived.json"
KEPT = 256


class State(NamedTuple):
    """A tree and the derived files that are right in it, those derived last at the end."""

    tree: str
    right: tuple[str, ...]


def known(repo: Repository, layout: Layout, tree: Tree) -> frozenset[str]:
    """The derived files that are known to be right in a tree of the knowledge root."""
    state = _read(repo)
    if state is None:
        return frozenset()
    if state.tree == tree.oid:
        return frozenset(state.right)
    try:
        changed = [path for path, _, _ in Tree(repo, state.tree).diff(tree)]
    except NotFound:
        return frozenset()
    return frozenset(state.right) - owed_paths(layout, changed)


def note(repo: Repository, tree: Tree, right: Iterable[str], derived: Iterable[str]) -> None:
    """Notes what is right in a new tree: `right` before, and `derived` now.

    Nothing is noted where the git directory cannot be written: that costs time at the next write and nothing else.
    """
    fresh = tuple(sorted(derived))
    kept = tuple(sorted(set(right) - set(fresh))) + fresh
    folder = os.path.join(repo.git_dir, "memgit")
    spare = os.path.join(folder, f"{NAME}.{os.getpid()}")
    try:
        os.makedirs(folder, exist_ok=True)
        with open(spare, "w", encoding="utf-8") as file:
            json.dump({"tree": tree.oid, "right": kept[-KEPT:]}, file)
        os.replace(spare, os.path.join(folder, NAME))
    except (OSError, UnicodeEncodeError):
        return


def _read(repo: Repository) -> State | None:
    try:
        with open(os.path.join(repo.git_dir, "memgit", NAME), encoding="utf-8") as file:
            data = json.load(file)
        return State(str(data["tree"]), tuple(str(path) for path in data["right"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
