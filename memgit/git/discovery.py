"""Finding a repository: from a folder and the variables that git sets, as git finds it."""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING
from memgit.git import process
from memgit.git.objects import libgit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pygit2._pygit2 import Repository as RawRepository


def discover(start: str, env: Mapping[str, str]) -> str | None:
    across = env.get("GIT_DISCOVERY_ACROSS_FILESYSTEM", "").lower() in ("1", "true", "yes", "on")
    return libgit.discover(start, across=across, ceilings=env.get("GIT_CEILING_DIRECTORIES", ""))


def open_found(place: str, start: str, env: Mapping[str, str]) -> RawRepository:
    """Opens by the working tree's top or the git directory; where libgit2 minds the owner, git has the last
    word.
    """
    try:
        return libgit.open_repository(place)
    except libgit.NotOwned:
        if process.attempt(["rev-parse", "--git-dir"], env=env, cwd=start).code:
            raise
        return libgit.open_repository(place, trusted=True)


def set_worktree(git_dir: str, env: Mapping[str, str]) -> str | None:
    """The working tree that `core.worktree` of a git directory names, None where it names none."""
    args = ["--git-dir", git_dir, "config", "--type=path", "core.worktree"]
    said = process.attempt(args, env=env, cwd=git_dir) if os.path.isdir(git_dir) else None
    text = os.fsdecode(said.out.removesuffix(b"\n")) if said is not None and said.code == 0 else ""
    return os.path.join(git_dir, text) if text else None


def top_of(start: str, git_dir: str) -> str | None:
    """The folder at or above `start` whose `.git` led to the git directory; None inside a git directory or
    bare repository.
    """
    folder = os.path.realpath(start)
    if is_inside(folder, git_dir):
        return None
    while True:
        if os.path.lexists(f"{folder}/.git"):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def common_dir_of(git_dir: str) -> str:
    try:
        with open(f"{git_dir}/commondir", "rb") as file:
            return os.path.normpath(os.path.join(git_dir, os.fsdecode(file.read().strip())))
    except FileNotFoundError:
        return git_dir


def same_place(one: str | None, other: str) -> bool:
    return one is not None and os.path.realpath(one) == os.path.realpath(other)


def is_inside(path: str, folder: str | None) -> bool:
    if not folder:
        return False
    folder = os.path.realpath(folder)
    return (os.path.realpath(path) + "/").startswith(folder.rstrip("/") + "/")
