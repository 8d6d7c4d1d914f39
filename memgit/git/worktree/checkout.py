"""Putting files into the working tree alone: nothing is staged, nothing is committed.

For what is derived: a file is replaced only where it still holds what the new content was made from.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git.commit import journal, lock, recovery
from memgit.git.objects import libgit
from memgit.git.objects.tree import FILE, Entry, Tree
from memgit.git.worktree import filters, index
from memgit.git.worktree.filters import Conversion, in_force
from memgit.git.worktree.worktree import Worktree, write_new
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from memgit.git.repository import Repository

LOCK_WAIT = 30.0
"""Seconds to wait for another memgit that writes."""


class Put(NamedTuple):
    """One file: what it holds (as git stores it; None where it is not there) and what it is to hold."""

    before: bytes | None
    after: bytes | None


def put(repo: Repository, files: Mapping[str, Put]) -> dict[str, str]:
    """Writes files of the working tree; paths count from the knowledge root.

    Returns:
        The paths that were left as they are, and why: somebody changed them meanwhile, or no plain file lies
        there.

    Raises:
        Refused: another memgit is writing, or a file cannot be written.
    """
    if not files:
        return {}
    try:
        with lock.hold(repo, LOCK_WAIT):
            recovery.mend_locked(repo)
            work = journal.new_work(repo.git_dir)
            try:
                return _put(repo, files, work)
            finally:
                journal.remove_work(work)
    except OSError as error:
        where = f": {os.fsdecode(error.filename)}" if error.filename else ""
        raise Refused(f"{error.strerror or error}{where}") from error


def _put(repo: Repository, files: Mapping[str, Put], work: str) -> dict[str, str]:
    head = repo.head().commit
    whole = Tree(repo, None if head is None else repo.tree_of(head))
    level = in_force(repo, whole, [repo.prefix + path for path in files])
    out = _converted(repo, files, work) if level is Conversion.ANY else {}
    left: dict[str, str] = {}
    with Worktree(repo.worktree or "") as tree:
        for number, (path, (before, after)) in enumerate(files.items()):
            full = repo.prefix + path
            try:
                found = tree.read(full)
            except Refused as error:
                left[path] = error.message
                continue
            have = None if found is None else found.data
            if have is not None and have != before and level.concerns(have):
                have = filters.cleaned(repo, path, have)
            if have == after:
                continue
            if have != before:
                left[path] = "it is not checked out" if have is None else "it was changed meanwhile"
            elif after is None:
                tree.remove(full)
            else:
                ready = os.fsencode(f"{work}/{number}.new")
                write_new(ready, out.get(path, after), None if found is None else found.mode)
                tree.put(full, ready)
    return left


def _converted(repo: Repository, files: Mapping[str, Put], work: str) -> dict[str, bytes]:
    """The new contents as git would check them out."""
    entries = {
        repo.prefix + path: Entry(FILE, repo.write(libgit.BLOB, new.after))
        for path, new in files.items()
        if new.after is not None
    }
    pinned = index.pin(repo, f"{work}/index")
    try:
        found = index.checked_out(repo, pinned, f"{work}/scratch", f"{work}/out", entries)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(pinned.path)
    return {path.removeprefix(repo.prefix): data for path, data in found.items()}
