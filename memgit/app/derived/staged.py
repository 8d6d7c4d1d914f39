"""Derived files in the index as the records in the index give them, before a merge is committed.

The commit that ends a merge holds what is staged, so that is what is derived from; uncommitted edits of other
files do not count. The working tree follows, and keeps what somebody has edited there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from memgit.app.config import NAME
from memgit.app.merge.driver import merge_one
from memgit.app.read.reader import TreeFiles
from memgit.app.workspace import Workspace
from memgit.app.write.write import Board, owed
from memgit.derive import is_derived, owed_paths
from memgit.errors import Refused
from memgit.git.objects.tree import FILE, Entry
from memgit.git.repository import Repository
from memgit.git.worktree.checkout import Put, put
from memgit.git.worktree.filters import cleaned
from memgit.git.worktree.staged import staged
from memgit.git.worktree.unmerged import stage
from memgit.git.worktree.worktree import Worktree


class Settled(NamedTuple):
    """The paths that were staged anew, and what to tell the user."""

    paths: tuple[str, ...]
    notes: tuple[str, ...] = ()


Files = Mapping[str, bytes | None]


def settle(workspace: Workspace, given: Files | None = None, found: Files | None = None) -> Settled:
    """Stages the derived files that what is staged owes, and puts them into the working tree.

    Args:
        given: contents of derived files that are in conflict, to derive over; they are staged whether that
            changes them or not.
        found: what their files hold now, as git would store it: it is replaced.

    Raises:
        Refused: another program holds the index, or a file cannot be written.
    """
    repo = workspace.writable()
    if workspace.config.indexes == "local" and not given:
        return Settled((), tuple(f"wrote {path}" for path in _local(workspace, repo)))
    given, found = given or {}, found or {}
    head = repo.head().commit
    board = Board(workspace, repo, repo.tree(head), head)
    layout = workspace.layout
    held = staged(repo, head)
    for path, entry in held.items():
        if path == NAME or is_derived(layout, path) or layout.find(path) is not None:
            board.edits[path] = repo.blob(entry.oid) if entry is not None and entry.is_file else None
    board.edits |= given
    before = dict(board.edits)
    owed(workspace, board)
    after = {
        path: data
        for path, data in board.edits.items()
        if path in given or data != (before[path] if path in before else TreeFiles.data(board, path))
    }
    if not after:
        return Settled((), board.notes)
    was = {
        path: found[path]
        if path in given
        else before[path]
        if path in before
        else TreeFiles.data(board, path)
        for path in after
    }
    left = _carry(workspace, repo, was, after)
    entries: dict[str, Entry | None] = {}
    for path, data in after.items():
        mode = held[path] if path in held else board.tree.get(path)
        entries[repo.prefix + path] = (
            None if data is None else Entry(FILE if mode is None else mode.mode, repo.write_blob(data))
        )
    stage(repo, entries)
    return Settled(
        tuple(sorted(after)),
        (*board.notes, *(f"{path}: staged, the file was left alone: {why}" for path, why in left.items())),
    )


def _local(workspace: Workspace, repo: Repository) -> list[str]:
    """Brings derived files that are kept out of commits up to date, where there are any."""
    from memgit.app.derived.rebuild import write_local

    folder = f"{repo.worktree}/{repo.prefix}"
    changed = [
        path for path, entry in staged(repo, repo.head().commit).items() if entry is None or entry.is_file
    ]
    there = any(os.path.isfile(folder + path) for path in owed_paths(workspace.layout, changed))
    return write_local(workspace) if there else []


def _carry(workspace: Workspace, repo: Repository, was: Files, after: Files) -> dict[str, str]:
    """Brings files of the working tree from one content to another, edits of the user's merged in; those that
    were left alone, and why.
    """
    files: dict[str, Put] = {}
    left: dict[str, str] = {}
    with Worktree(repo.worktree or "") as tree:
        for path, data in after.items():
            try:
                there = tree.read(repo.prefix + path)
            except Refused as error:
                left[path] = error.message
                continue
            have = None if there is None else cleaned(repo, path, there.data)
            if have == was[path]:
                files[path] = Put(have, data)
            elif have is None:
                left[path] = "it is not checked out"
            elif have != data:
                merged = merge_one(workspace.layout, path, was[path], have, data)
                if merged.conflicts:
                    left[path] = "it has other edits"
                else:
                    files[path] = Put(have, merged.data)
    return left | put(repo, files)
