"""Derived files beside edits that a write does not commit: in the working tree and in the index they are built
again from the records that are there, never merged as text.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.write.overlay import Overlay
from memgit.derive import affected_rows, is_derived
from memgit.errors import UnreadableFile
from memgit.git.objects.tree import FILE, Entry
from memgit.git.worktree.checkout import Put, put
from memgit.git.worktree.filetrees import DiskTree
from memgit.git.worktree.filters import cleaned
from memgit.git.worktree.staged import staged
from memgit.git.worktree.status import dirty
from memgit.git.worktree.unmerged import stage

if TYPE_CHECKING:
    from collections.abc import Collection

    from memgit.app.workspace import Workspace
    from memgit.git.repository import Repository


def derive_beside_edits(workspace: Workspace, repo: Repository, derived: Collection[str]) -> None:
    """Builds derived files again where the working tree has them otherwise than the newest commit.

    Args:
        derived: the derived files that the commit concerned, from the knowledge root.
    """
    tree, files = repo.tree(repo.head().commit), DiskTree(workspace.root or "", repo)

    def on_disk(path: str) -> bytes | None:
        try:
            data = files.data(path)
        except UnreadableFile:
            return None
        return None if data is None else cleaned(repo, path, data)

    if all(on_disk(path) == tree.data(path) for path in derived):
        return
    disk = _overlay(workspace, repo)
    disk.edits.update((path, on_disk(path)) for path, _ in dirty(repo) if _counts(workspace, path))
    put(repo, {path: Put(disk.data(path), data) for path, data in _built(disk, derived).items()})
    index = _overlay(workspace, repo)
    for path, entry in staged(repo, repo.head().commit).items():
        if _counts(workspace, path):
            index.edits[path] = repo.blob(entry.oid) if entry is not None and entry.is_file else None
    if index.edits:
        entries = {
            repo.prefix + path: None if data is None else Entry(FILE, repo.write_blob(data))
            for path, data in _built(index, derived).items()
        }
        stage(repo, entries)


def _overlay(workspace: Workspace, repo: Repository) -> Overlay:
    head = repo.head().commit
    return Overlay(workspace, repo, repo.tree(head), head)


def _counts(workspace: Workspace, path: str) -> bool:
    return is_derived(workspace.layout, path) or workspace.layout.find(path) is not None


def _built(overlay: Overlay, derived: Collection[str]) -> dict[str, bytes | None]:
    """The derived files that are not what the records of an overlay give."""
    out: dict[str, bytes | None] = {}
    for path, row in affected_rows(overlay.layout, [*derived, *overlay.edits]).items():
        if path in derived:
            rendered = row.build(overlay, path)
            if rendered.data != overlay.data(path) and not any(one.fatal for one in rendered.problems):
                out[path] = rendered.data
    return out
