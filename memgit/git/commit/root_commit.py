"""The first commit of a folder that people kept without git: exactly the files that it is told of, as `git
add` would take them.

Paths go to `git update-index` by name: a list of pathspecs would be compared with every file, which is too
slow for many of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from memgit.errors import Refused
from memgit.git import process
from memgit.git.commit import lock
from memgit.git.worktree import index
from memgit.git.write_all import replace_file

if TYPE_CHECKING:
    from memgit.git.repository import Repository


LOCK_WAIT = 30.0
"""Seconds to wait for another memgit in the same clone."""
_EMPTY = (
    b" e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 ",
    b" 473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813 ",
)
"""The hash of the empty file, in either format of a repository."""


def listed_in(folder: str, env: Mapping[str, str]) -> list[str]:
    """The files of a folder outside any repository that git would add, relative to it, sorted; what a
    `.gitignore` names is left out.

    The folder is not written to: the question is asked of an empty repository elsewhere.

    Raises:
        Refused: git cannot be asked.
    """
    with TemporaryDirectory(prefix="memgit-") as spare:
        process.run(["init", "--quiet", "--bare", "--template=", "--", spare], env=env, write=True)
        # Everything on the command line: the variables of a hook that we may run in are not for this
        # repository.
        asked = [
            "--git-dir",
            spare,
            "--work-tree",
            folder,
            "-C",
            folder,
            "ls-files",
            "-z",
            "--others",
            "--exclude-standard",
        ]
        out = process.run(["-c", "core.bare=false", *asked], env=env, timeout=None)
    return sorted(
        name.decode("utf-8", "surrogateescape")
        for name in out.split(b"\0")
        if name and not name.endswith(b"/")
    )


def need_author(folder: str, env: Mapping[str, str]) -> None:
    """Asks git who the author would be, before there is a repository.

    Raises Refused, in git's own words, where it does not know.
    """
    process.run(["-C", folder, "var", "GIT_AUTHOR_IDENT"], env=env)


def first_commit(repo: Repository, paths: Sequence[str], message: str) -> str | None:
    """Commits some files of the knowledge root on a branch without a commit, through git itself; what else is
    staged stays so.

    Of a file that is staged already, what is staged is committed, as `git commit` would: an edit since then
    stays an edit.

    Args:
        paths: relative to the knowledge root.

    Returns:
        The commit; None where another process made the first one in the meantime.

    Raises:
        Refused: git could not, in its own words; the index is as it was.
    """
    with lock.hold(repo, LOCK_WAIT):
        if repo.head().commit is not None:
            return None
        return _commit(repo, paths, message)


def _commit(repo: Repository, paths: Sequence[str], message: str) -> str | None:
    staged = _staged(repo)
    taken = [(repo.prefix + path).encode("utf-8", "surrogateescape") for path in paths]
    names = b"".join(path + b"\0" for path in taken if path not in staged)
    rows = b"".join(staged[path] + b"\t" + path + b"\0" for path in taken if path in staged)
    add = ["-C", repo.worktree or "", "update-index", "--add", "-z", "--stdin"]
    index.wait_until_free(repo)
    before = _content(repo.index_file)
    spare = f"{repo.index_file}.memgit-{os.getpid()}"
    alone = {"GIT_INDEX_FILE": spare}
    try:
        # Staged first: killed before the commit, this leaves files that are staged, and the next run goes on
        # from there.
        process.run(add, repo=repo, data=names, write=True, timeout=None)
        process.run(add, repo=repo, data=names, extra=alone, write=True, timeout=None)
        process.run(
            ["update-index", "-z", "--index-info"],
            repo=repo,
            data=rows,
            extra=alone,
            write=True,
            timeout=None,
        )
        process.run(
            ["-C", repo.worktree or "", "commit", "--quiet", "--cleanup=whitespace", "-m", message],
            repo=repo,
            extra=alone,
            write=True,
            timeout=None,
        )
    except BaseException as error:
        if repo.head().commit is None:
            _restore(repo.index_file, before)
        elif isinstance(error, Refused):
            return None
        raise
    finally:
        for path in (spare, f"{spare}.lock"):
            if os.path.lexists(path):
                os.unlink(path)
    commit = repo.head().commit
    if commit is None:
        raise Refused("git made no commit")
    return commit


def _staged(repo: Repository) -> dict[bytes, bytes]:
    """Mode, hash and stage of what is staged, by path in the repository.

    An empty file is none: it may be one that git was only told of.
    """
    out = process.run(["-C", repo.worktree or "", "ls-files", "-z", "--stage"], repo=repo)
    rows = (row.partition(b"\t") for row in out.split(b"\0") if row)
    return {
        path: entry
        for entry, _, path in rows
        if entry.endswith(b" 0") and not any(empty in entry for empty in _EMPTY)
    }


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _restore(path: str, data: bytes | None) -> None:
    """Puts an index back as it was, whole or not at all."""
    if data is None:
        if os.path.lexists(path):
            os.unlink(path)
        return
    replace_file(path, data)
