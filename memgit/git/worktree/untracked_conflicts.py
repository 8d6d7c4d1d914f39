"""Files that git does not track, and that a merge would overwrite.

Git refuses to overwrite untracked files, but those that are ignored it takes for worthless: a merge replaces
them without a word.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from memgit.git.objects.tree import EMPTY_TREE

if TYPE_CHECKING:
    from memgit.git.repository import Repository

ARGUMENTS = 200
"""How many paths are named to git one by one; of more, all that it has is asked for."""
_SUBMODULE = "160000"


def in_the_way(repo: Repository, base: str | None, ours: str | None, theirs: str) -> list[str]:
    """The files without an entry in the index that lie where merging a commit would put another content,
    sorted.

    Args:
        base: where both sides come from; None is the empty tree.
        ours: what is checked out.
        theirs: what is to be merged.

    Returns:
        Paths from the top of the working tree.
    """
    new = _differing(repo, ours, theirs, "A")
    if base != ours:
        changed = _differing(repo, base, theirs, "d")
        new = {path: oid for path, oid in new.items() if path in changed}
    found = dict(_there(repo.worktree or "", new))
    if not found:
        return []
    tracked = set(_tracked(repo, list(found)))
    out = set()
    for path, is_folder in found.items():
        inside = _files(repo.worktree or "", path) if is_folder else [path]
        out |= {
            name
            for name in inside
            if name not in tracked and (is_folder or not _same(repo, name, new.get(name)))
        }
    return sorted(out)


def _differing(repo: Repository, old: str | None, new: str, kind: str) -> dict[str, str]:
    """The blobs of one commit that differ from another in some way (`--diff-filter`), by path."""
    args = [
        "diff-tree",
        "-r",
        "-z",
        "--raw",
        "--no-renames",
        "--no-abbrev",
        f"--diff-filter={kind}",
        old or EMPTY_TREE,
        new,
    ]
    fields = iter(repo.git(*args).split(b"\0"))
    out: dict[str, str] = {}
    for head in fields:
        if head.startswith(b":"):
            path, (_, mode, _, oid, _) = next(fields), head.decode("ascii").split(" ")
            if mode != _SUBMODULE:  # git makes its folder, and touches nothing in it
                out[path.decode("utf-8", "surrogateescape")] = oid
    return out


def _there(top: str, paths: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """What lies at some paths, or in the place of one of their folders; with whether it is a folder."""
    looked: dict[str, bool] = {"": True}

    def goes_on(folder: str) -> Iterator[tuple[str, bool]]:
        """Looks at the folders on the way; `looked` tells whether there is a way."""
        if folder in looked:
            return
        above = folder.rpartition("/")[0]
        yield from goes_on(above)
        kind = _kind(top, folder) if looked[above] else None
        looked[folder] = kind is not None and stat.S_ISDIR(kind)
        if kind is not None and not looked[folder]:
            yield folder, False

    for path in paths:
        folder = path.rpartition("/")[0]
        yield from goes_on(folder)
        kind = _kind(top, path) if looked[folder] else None
        if kind is not None:
            yield path, stat.S_ISDIR(kind)


def _kind(top: str, path: str) -> int | None:
    try:
        return os.lstat(os.path.join(top, path)).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def _tracked(repo: Repository, paths: Sequence[str]) -> Iterator[str]:
    named = paths if len(paths) <= ARGUMENTS else ()
    for name in repo.git("ls-files", "-z", "--cached", "--", *named).split(b"\0"):
        yield name.decode("utf-8", "surrogateescape")


def _files(top: str, folder: str) -> Iterator[str]:
    for where, _, names in os.walk(os.path.join(top, folder)):
        for name in names:
            yield os.path.relpath(os.path.join(where, name), top)


def _same(repo: Repository, path: str, oid: str | None) -> bool:
    """Whether a file is what the merge would put there."""
    if oid is None:
        return False
    try:
        with open(os.path.join(repo.worktree or "", path), "rb") as file:
            return not os.path.islink(file.name) and repo.hash_blob(file.read()) == oid
    except OSError:
        return False
