"""`git update-index` started before anything else is loaded: it reads the index while Python reads its
modules, then waits for the paths.

It works on a second name of the index in a folder of its own, so nobody sees anything of it. What it makes
counts only where the index is still the very file that it has read; else, or where anything fails, the index
is made as without it. At most one is begun in a process.
"""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import dotgit, process
from memgit.git.worktree.stamp import Stamp, stamp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgit.git.repository import Repository

OPTIONS = ("--add", "--remove", "--replace", "-z", "--stdin")
"""Entries are taken from the files of the working tree, whose names come on standard input."""
UPDATE = ("-c", "index.sparse=false", "update-index")
"""A sparse index is written in full: git up to 2.39 at least breaks it when it adds below a folder that is
not spelled out in it.

The next git command that writes the index folds it up again.
"""
PATIENCE = 120.0
"""Seconds that it may take once it has the names."""

_END = ".early"


def name() -> str:
    """The name of this process's folder for it, in memgit's own.

    What a kill leaves, `journal.sweep` takes away for the next writer.
    """
    return f"work.{os.getpid()}{_END}"


def owner(folder: str) -> int | None:
    """The process that a folder of this name belongs to; None where it is something else."""
    number = folder[len("work.") : -len(_END)]
    return int(number) if folder == f"work.{number}{_END}" and number.isascii() and number.isdigit() else None


def take_away(folder: str) -> None:
    """Removes such a folder of another process.

    It loses its name first: should that process be alive after all (in another container), its git must not
    find the folder without the index in it, which it would take for an empty one.
    """
    try:
        os.rename(folder, folder[: -len(_END)] + ".gone")
    except OSError:
        return
    _remove(folder[: -len(_END)] + ".gone")


class Waiting:
    """One that has been started.

    Attributes:
        place: git directory and working tree, as `Repository` has them.
        index: the `stamp` of the index that it reads.
    """

    def __init__(self, place: tuple[str, str], index: Stamp, folder: str, child: process.Child) -> None:
        self.place = place
        self.index = index
        self._folder = folder
        self._child: process.Child | None = child

    def finish(self, names: bytes) -> str | None:
        """Has it update the entries of some paths; the name of the finished file, None where that failed."""
        child, self._child = self._child, None
        if child is None:
            return None
        try:
            done = child.finish(iter((names,)), PATIENCE)
        except Refused:
            return None
        return None if done.code else f"{self._folder}/index"

    def stop(self) -> None:
        """Ends it, if it was not asked, and removes its folder."""
        if self._child is not None:
            self._child.kill()
            self._child = None
        _remove(self._folder)


def _remove(folder: str) -> None:
    try:
        for file in os.listdir(folder):
            os.unlink(f"{folder}/{file}")
        os.rmdir(folder)
    except OSError:
        return  # `journal.sweep` will


_begun: list[Waiting] = []


def begin(start: str, env: Mapping[str, str]) -> None:
    """Starts it for the repository that a folder lies in, where that is found at a glance."""
    try:
        found = dotgit.find(os.path.abspath(start), env, process.LOCAL)
        if found is None:
            return
        git_dir, worktree = found
        folder = f"{git_dir}/memgit/{name()}"
        os.mkdir(folder)
    except (OSError, ValueError):
        return
    path = f"{folder}/index"
    try:
        os.link(f"{git_dir}/index", path)
        extra = {"GIT_DIR": git_dir, "GIT_WORK_TREE": worktree, "GIT_INDEX_FILE": path}
        argv, child_env = process.command([*UPDATE, *OPTIONS], env=env, extra=extra, cwd=worktree, write=True)
        _begun.append(
            Waiting(
                found, stamp(os.stat(path)), folder, process.Child(argv, child_env, stdin=True, group=True)
            )
        )
    except (OSError, Refused):
        _remove(folder)


def update(repo: Repository, index: Stamp | None, path: str, names: bytes) -> bool:
    """Has it update the entries of some paths, and gives the finished file the name `path`; false where that
    is not to be had.

    Args:
        index: the `stamp` of the index that is to be changed.
    """
    if not _begun:
        return False
    last = _begun[-1]
    fits = (
        last.place == (repo.git_dir, repo.worktree)
        and "GIT_INDEX_FILE" not in repo.variables
        and last.index == index
    )
    made = last.finish(names) if fits else None
    if made is not None:
        os.rename(made, path)
    forget()
    return made is not None


def forget() -> None:
    """Ends the one that was begun; nothing of it is left. To be called before the process ends."""
    while _begun:
        _begun.pop().stop()
