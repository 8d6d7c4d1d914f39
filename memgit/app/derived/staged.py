"""Derived files in an index as the records in that index give them, and in the working tree as its records do.

A commit holds what is staged, so that is what its derived files come from. Nothing is merged as text: each file
is built again from the records beside it.
"""

from __future__ import annotations

from collections.abc import Mapping

from memgit.app.config import NAME
from memgit.app.derived.files import of_working_tree
from memgit.app.workspace import Workspace
from memgit.app.write.overlay import Overlay
from memgit.app.write.write import affected_derived
from memgit.derive import affected_rows, is_derived
from memgit.errors import Refused
from memgit.git.objects.tree import FILE, Entry
from memgit.git.repository import Repository
from memgit.git.worktree.checkout import Put, put
from memgit.git.worktree.filters import cleaned
from memgit.git.worktree.staged import staged
from memgit.git.worktree.unmerged import stage
from memgit.git.worktree.worktree import Worktree
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Problem

Files = Mapping[str, bytes | None]
Entries = Mapping[str, Entry | None]


class Derived(NamedTuple):
    """The derived files that are not as an index should have them; paths count from the knowledge root.

    Attributes:
        was, files: what the index has now, and what it should have; None where no file is.
        entries: the same as entries of the index.
        problems: derived files that cannot be written, and why.
        notes: what to tell the user.
    """

    was: Files
    files: Files
    entries: Entries
    problems: Mapping[str, tuple[Problem, ...]] = {}
    notes: tuple[str, ...] = ()


class Settled(NamedTuple):
    """The paths that were staged anew, and what to tell the user."""

    paths: tuple[str, ...]
    notes: tuple[str, ...] = ()


def derived_of(workspace: Workspace, entries: Entries, given: Files | None = None) -> Derived:
    """The derived files that some staged entries affect, worked out and not written.

    Args:
        entries: what is staged differently from HEAD, by path from the knowledge root.
        given: contents of derived files that are in conflict, to derive over; they are among the result
            whether that changes them or not.
    """
    repo, layout, given = workspace.require_repository(), workspace.layout, given or {}
    head = repo.head().commit
    overlay = Overlay(workspace, repo, repo.tree(head), head)
    for path, entry in entries.items():
        if path == NAME or is_derived(layout, path) or layout.find(path) is not None:
            overlay.edits[path] = repo.blob(entry.oid) if entry is not None and entry.is_file else None
    overlay.edits |= given
    before = dict(overlay.edits)
    affected_derived(workspace, overlay)

    def was(path: str) -> bytes | None:
        return before[path] if path in before else overlay.tree.data(path)

    files = {path: data for path, data in overlay.edits.items() if path in given or data != was(path)}
    modes = {path: entries[path] if path in entries else overlay.tree.get(path) for path in files}
    return Derived(
        {path: was(path) for path in files},
        files,
        {path: _entry(repo, data, modes[path]) for path, data in files.items()},
        overlay.problems,
        overlay.notes,
    )


def _entry(repo: Repository, data: bytes | None, old: Entry | None) -> Entry | None:
    mode = FILE if old is None or not old.is_file else old.mode
    return None if data is None else Entry(mode, repo.write_blob(data))


def settle(workspace: Workspace, given: Files | None = None, found: Files | None = None) -> Settled:
    """Stages the derived files that what is staged affects, and puts them into the working tree.

    Args:
        given: as for `derived_of`.
        found: what their files hold now, as git would store it: it is replaced.

    Raises:
        Refused: another program holds the index, or a file cannot be written.
    """
    repo = workspace.writable()
    if workspace.indexes() == "local" and not given:
        from memgit.app.derived.local import keep

        kept = keep(workspace, staged(repo, repo.head().commit))
        return Settled((), (*(f"wrote {path}" for path in kept.written), *kept.failed))
    derived = derived_of(workspace, staged(repo, repo.head().commit), given)
    if not derived.files:
        return Settled((), derived.notes)
    left = put_on_disk(workspace, {**derived.was, **(found or {})}, derived.files)
    stage(repo, {repo.prefix + path: entry for path, entry in derived.entries.items()})
    told = (f"{path}: staged, the file was left alone: {why}" for path, why in left.items())
    return Settled(tuple(sorted(derived.files)), (*derived.notes, *told))


def put_on_disk(workspace: Workspace, was: Files, after: Files) -> dict[str, str]:
    """Brings derived files of the working tree from one content to another.

    A file that holds something else is built from the records of the working tree instead.

    Returns:
        The paths that were left as they are, and why.
    """
    repo = workspace.writable()
    files: dict[str, Put] = {}
    left: dict[str, str] = {}
    edited: dict[str, bytes] = {}
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
                edited[path] = have
    files |= _of_working_tree(workspace, repo, edited, left)
    return left | put(repo, files)


def _of_working_tree(
    workspace: Workspace, repo: Repository, edited: Mapping[str, bytes], left: dict[str, str]
) -> dict[str, Put]:
    """Derived files with edits of their own, as the records of the working tree give them."""
    if not edited:
        return {}
    state = of_working_tree(workspace, repo)
    out = {}
    for path, row in affected_rows(workspace.layout, edited).items():
        if path in edited:
            rendered = row.build(state, path)
            fatal = next((one.message for one in rendered.problems if one.fatal), None)
            if fatal is not None:
                left[path] = fatal
            else:
                out[path] = Put(edited[path], rendered.data)
    return out
