"""`git status` started before anything else is loaded, so that it looks at the files while Python reads its
modules.

It is a guess at what will be asked: the answer counts only where the repository, its root and its newest
commit turn out to be those that it was given for. At most one is begun in a process.
"""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import dotgit
from memgit.git.command import LOCAL, QUIET, arguments, clean
from memgit.git.worktree.stamp import Stamp, stamp_at

if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIGURATION = ".memgit.yaml"
"""What the folder of a knowledge root holds; where there is none, the root takes more than a look."""


NICE = 10
"""How far it gives way, as in `setpriority(2)`: alone it is as fast as ever."""

_SIGPIPE, _SIGTERM, _SIGXFSZ = 13, 15, 25  # as in `process`


class Early:
    """A `git status` that runs.

    Attributes:
        place: git directory, working tree and path of the root in it, as `Repository` has them.
        index: the `stamp` of the index before it began.
    """

    def __init__(self, place: tuple[str, str, str], index: Stamp | None, pid: int, handle: int) -> None:
        self.place = place
        self.index = index
        self._pid = pid
        self._handle = handle

    def output(self) -> bytes | None:
        """What git printed; None where it failed, or where it was asked for before."""
        if self._handle < 0:
            return None
        pieces: list[bytes] = []
        while piece := os.read(self._handle, 1 << 20):
            pieces.append(piece)
        return b"".join(pieces) if self._end() == 0 else None

    def give_way(self) -> None:
        """Lets others go first: there is more to be done than to wait for it, and its many threads would
        leave them little.
        """
        try:
            os.setpriority(os.PRIO_PGRP, self._pid, NICE)
        except OSError:
            return

    def stop(self) -> None:
        """Ends it, if its output was not asked for; what it told is lost."""
        if self._handle >= 0:
            try:  # noqa: SIM105 (contextlib would be loaded before git is started)
                os.kill(self._pid, _SIGTERM)
            except OSError:
                pass
            self._end()

    def _end(self) -> int:
        os.close(self._handle)
        self._handle = -1
        return os.waitpid(self._pid, 0)[1]


_begun: list[Early] = []


def tracked(prefixes: tuple[str, ...]) -> list[str]:
    """The arguments of a `git status` of tracked files, with the commit that it compares with on a line of
    its own.

    Args:
        prefixes: paths in the working tree, none for all of it.
    """
    args = [
        "status",
        "--porcelain=v2",
        "-z",
        "--branch",
        "--no-ahead-behind",
        "--untracked-files=no",
        "--no-renames",
        "--ignore-submodules=all",
    ]
    return [*args, "--", *prefixes] if prefixes else args


def begin(start: str, env: Mapping[str, str]) -> None:
    """Starts it for the knowledge root that a folder lies in, where that is found at a glance."""
    try:
        found = dotgit.find(os.path.abspath(start), env, LOCAL)
        if found is None:
            return
        git_dir, worktree = found
        folder = os.path.realpath(start)
        while not os.path.lexists(f"{folder}/{CONFIGURATION}"):
            if folder == worktree:
                return
            folder = os.path.dirname(folder)
        inside = os.fsencode(folder[len(worktree) :].strip("/")).decode("utf-8", "surrogateescape")
        prefix = f"{inside}/" if inside else ""
        child_env = {**clean(env), "GIT_DIR": git_dir, "GIT_WORK_TREE": worktree, **QUIET}
        argv = arguments(tracked((prefix,) if prefix else ()), child_env, worktree)
        index = stamp_at(f"{git_dir}/index")
        ours, theirs = os.pipe()
        try:
            actions = [
                (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, theirs, 1),
                (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0),
            ]
            pid = os.posix_spawn(
                argv[0], argv, child_env, file_actions=actions, setpgroup=0, setsigdef=(_SIGPIPE, _SIGXFSZ)
            )
        except OSError:
            os.close(ours)
            return
        finally:
            os.close(theirs)
        _begun.append(Early((git_dir, worktree, prefix), index, pid, ours))
    except (OSError, ValueError, Refused):
        return


def forget() -> None:
    """Gives up the one that was begun: what it looks at is about to change."""
    while _begun:
        _begun.pop().stop()


def taken(place: tuple[str, str, str]) -> Early | None:
    """The one that was begun, where it is of that place; once."""
    if _begun and _begun[-1].place == place:
        return _begun.pop()
    forget()
    return None
