"""Which derived files are known to be right, so that the next write derives from them only what changed.

A disposable file in the git directory names the version of memgit that wrote it, then a tree of the knowledge
root and the derived files that were right in it, with NUL between. Notes of another version count for
nothing: it may write other bytes. What another writer's commit may have changed since is taken off the list:
the write that affects such a file derives it from all its records, and so fixes drift.
"""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING, __version__
from memgit.app.config import NAME as CONFIG
from memgit.derive import affected_paths
from memgit.errors import NotFound
from memgit.git.objects.tree import Tree
from memgit.git.repository import Repository
from memgit.git.write_all import replace_file
from memgit.model.layout import Layout
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "derived"
AHEAD = "derived-next"
"""The same of a tree that a commit is about to make: a hook notes it, and the commit may not come about."""
BEFORE = "derived-before"
"""Of older trees, those that were right in them and are not known to be now, with an empty name between two
trees (see `still_right`).
"""
WHOLE = "derived-all"
"""A tree of which every derived file is right, with how many there are."""
FORMAT = 1
"""Raised between two versions where a derived file gets another form."""
MADE_BY = f"memgit {__version__} {FORMAT}"
KEPT = 256
MAX_CHANGED_FILES = 2_000
"""Changed files from which on nobody looks for what others left undone: `memgit rebuild --check` does."""
OLDER = 4
"""So many older trees are kept."""


class State(NamedTuple):
    """A tree and the derived files that are right in it, those derived last at the end."""

    tree: str
    right: tuple[str, ...]


def known(repo: Repository, layout: Layout, tree: Tree) -> frozenset[str]:
    """The derived files that are known to be right in a tree of the knowledge root."""
    noted = [state for name in (NAME, AHEAD) if (state := _read(repo, name)) is not None]
    right = next((state.right for state in noted if state.tree == tree.oid), None)
    if right is not None:
        return frozenset(right)
    found: frozenset[str] = frozenset()
    for state in noted:
        try:
            changed = [path for path, _, _ in Tree(repo, state.tree).diff(tree)]
        except NotFound:
            continue
        if CONFIG not in changed:  # it says where records lie
            found |= frozenset(state.right) - affected_paths(layout, changed)
    return found


def whole(repo: Repository, tree: Tree) -> int | None:
    """How many derived files a tree has, where all of them are known to be right; else None."""
    state = _read(repo, WHOLE)
    if state is None or state.tree != tree.oid or not all(map(str.isdecimal, state.right)):
        return None
    return int(state.right[0]) if len(state.right) == 1 else None


def note_whole(repo: Repository, tree: Tree, count: int) -> None:
    """Notes that every derived file of a tree is right, and how many there are."""
    try:
        _write(os.path.join(repo.git_dir, "memgit"), WHOLE, [State(tree.oid, (str(count),))])
    except OSError:
        return


def since_right(repo: Repository, layout: Layout, tree: Tree) -> list[str]:
    """The paths by which commits of others (a revert, a cherry-pick, a commit without hooks) changed records
    since the derived files of a tree were last known to be right, as far as these files affect them.
    """
    newest = next(iter(states(repo)), None)
    if newest is None or any(state.tree == tree.oid for state in states(repo)):
        return []
    try:
        changed = [path for path, _, _ in Tree(repo, newest.tree).diff(tree)]
    except NotFound:
        return []
    if len(changed) > MAX_CHANGED_FILES or CONFIG in changed:
        return []
    right = frozenset(newest.right)
    return [path for path in changed if not right.isdisjoint(affected_paths(layout, [path]))]


def states(repo: Repository) -> list[State]:
    """All that was noted, of newer trees first."""
    newest = [state for name in (NAME, AHEAD) if (state := _read(repo, name)) is not None]
    return newest + _states(repo, BEFORE)


def note_ahead(
    repo: Repository, before: Tree, tree: Tree, right: Iterable[str], derived: Iterable[str]
) -> None:
    """As `note`, of a tree that may come after `before`; what is known of that one stays known."""
    state = _read(repo, AHEAD)
    folder = os.path.join(repo.git_dir, "memgit")
    if state is not None and state.tree == before.oid:
        try:
            os.replace(os.path.join(folder, AHEAD), os.path.join(folder, NAME))
        except OSError:
            return
    note(repo, tree, right, derived, AHEAD)


def note(
    repo: Repository, tree: Tree, right: Iterable[str], derived: Iterable[str], name: str = NAME
) -> None:
    """Notes what is right in a new tree: `right` before, and `derived` now.

    Nothing is noted where the git directory cannot be written: that costs time at the next write and nothing
    else.
    """
    fresh = tuple(sorted(derived))
    kept = tuple(sorted(set(right) - set(fresh))) + fresh
    folder = os.path.join(repo.git_dir, "memgit")
    try:
        if name == NAME:
            _note_lost(repo, folder, kept[-KEPT:])
        _write(folder, name, [State(tree.oid, kept[-KEPT:])])
    except (OSError, UnicodeEncodeError):
        return


def _note_lost(repo: Repository, folder: str, kept: Iterable[str]) -> None:
    """Keeps of the states so far what the new one does not say any more."""
    older, newest = _states(repo, BEFORE), _read(repo, NAME)
    said = set(kept)
    lost: list[State] = []
    for state in older if newest is None else [newest, *older]:
        rest = tuple([path for path in state.right if path not in said])
        said.update(rest)
        lost += [State(state.tree, rest)] if rest else []
    if lost[:OLDER] != older:
        _write(folder, BEFORE, lost[:OLDER])


def _write(folder: str, name: str, states: Iterable[State]) -> None:
    text = "\0\0".join([MADE_BY, *["\0".join((state.tree, *state.right)) for state in states]])
    replace_file(os.path.join(folder, name), text.encode("utf-8", "surrogateescape"))


def _read(repo: Repository, name: str) -> State | None:
    return next(iter(_states(repo, name)), None)


def _states(repo: Repository, name: str) -> list[State]:
    try:
        with open(os.path.join(repo.git_dir, "memgit", name), "rb") as file:
            made_by, *states = file.read().decode("utf-8", "surrogateescape").split("\0\0")
    except OSError:
        return []
    if made_by != MADE_BY:
        return []
    found = (state.split("\0") for state in states)
    return [State(tree, tuple(right)) for tree, *right in found if len(tree) == 40]
