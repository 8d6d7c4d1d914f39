"""Branches that no working tree shows: which may be written to, and commits put on them by compare-and-swap."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memgit.errors import BadInput
from memgit.git.commit import gc_guard, identity, maintenance, refs
from memgit.git.commit.commit import Change, Committed, make_commits
from memgit.git.objects import libgit
from memgit.git.objects.tree import Tree

if TYPE_CHECKING:
    from memgit.git.repository import Repository

HEADS = "refs/heads/"
_BUSY = (
    ("rebase-merge/head-name", "rebased"),
    ("rebase-apply/head-name", "rebased"),
    ("BISECT_START", "bisected"),
)
"""Files by which git itself knows a branch that it will come back to, though HEAD is elsewhere
(git/worktree.c).
"""


def checked(name: str) -> str:
    """The full ref name of a branch by its short (or full) name.

    Raises:
        BadInput: git would not take it for a branch (`git check-ref-format --branch`).
    """
    short = name.removeprefix(HEADS)
    good = not any("\ud800" <= char <= "\udfff" for char in short) and bool(
        libgit.raw.reference_is_valid_name(HEADS + short)
    )
    if not good or short.startswith("-") or short == "HEAD":
        raise BadInput(f"{name!r} is not a valid branch name", hint="see git help check-ref-format")
    return HEADS + short


def shown(repo: Repository, ref: str) -> str | None:
    """In which working tree of the clone a branch is checked out (or rebased, or bisected), in words; None
    where in none.

    A bare repository's own HEAD counts: it names the branch that everybody clones. A symbolic ref is the
    branch that it stands for.
    """
    ref = _landing(repo, ref)
    for folder, place in _worktrees(repo):
        if (head := _line(f"{folder}/HEAD") or "").startswith("ref: ") and _landing(
            repo, head.removeprefix("ref: ")
        ) == ref:
            return f"checked out in {place}"
        for file, what in _BUSY:
            if _line(f"{folder}/{file}") in (ref, ref.removeprefix(HEADS)):
                return f"being {what} in {place}"
    return None


def _landing(repo: Repository, ref: str) -> str:
    """The ref that moves where one is written to: that at the end of a chain of symbolic refs."""
    seen = {ref}
    while (line := _line(f"{repo.common_dir}/{ref}") or "").startswith("ref: "):
        ref = line.removeprefix("ref: ").strip()
        if ref in seen:
            break
        seen.add(ref)
    return ref


def _worktrees(repo: Repository) -> Iterator[tuple[str, str]]:
    """Every git directory that has a HEAD of its own, with the working tree's path for people."""
    yield repo.common_dir, repo.common_dir.removesuffix("/.git") or "/"
    linked = f"{repo.common_dir}/worktrees"
    try:
        names = sorted(os.listdir(linked))
    except OSError:
        return
    for name in names:
        where = _line(f"{linked}/{name}/gitdir")
        yield f"{linked}/{name}", where.removesuffix("/.git") if where else f"{linked}/{name}"


def _line(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.readline().rstrip(b"\n"))
    except OSError:
        return None


def tracked(repo: Repository, ref: str) -> list[str]:
    """The remote-tracking refs of that branch name, one for each remote that has it, sorted."""
    short = ref.removeprefix(HEADS)
    return [
        name
        for name in repo.refs("refs/remotes/")
        if name.removeprefix("refs/remotes/").partition("/")[2] == short
    ]


def taken(repo: Repository) -> set[str]:
    """The short names of all branches, remote ones among them, case folded: names that a new branch should
    not come near.
    """
    heads = {name.removeprefix(HEADS).casefold() for name in repo.refs(HEADS)}
    return heads | {
        name.removeprefix("refs/remotes/").partition("/")[2].casefold() for name in repo.refs("refs/remotes/")
    }


def put_on(
    repo: Repository, ref: str, old: str | None, parent: str | None, changes: Sequence[Change]
) -> Committed:
    """Makes one commit of each change, one upon the other, and moves the branch to the last. No index, no
    working tree, no hooks.

    Args:
        old: where the branch must be; None: it must not exist.
        parent: what the first commit is made on.

    Returns:
        The new commits; none where nothing differs.

    Raises:
        refs.Moved: the branch is elsewhere by now; it was not moved.
        Refused: a commit could not be signed, or the ref cannot be written.
    """
    whole = Tree(repo, None if parent is None else repo.tree_of(parent))
    author, committer = identity.author(repo), identity.committer(repo)
    with gc_guard.held_off(repo):
        repo.write_blobs([data for change in changes for data in change.edits.values() if data is not None])
        made = make_commits(repo, whole, parent, changes, author, committer)
        if not made:
            return Committed(None)
        notes = refs.swap(
            repo, ref, old, made[-1], f"memgit: {changes[-1].message.partition(chr(10))[0]}", committer
        )
    maintenance.after_commit(repo)
    return Committed(made[-1], notes, tuple(made))
