"""What it takes to start git: its path, the arguments and a clean environment. Loads next to nothing, for
whoever starts git first of all.

The child never sees the caller's GIT_DIR, GIT_INDEX_FILE and their kin: it is told which repository, working
tree and index to use, so that memgit started from a hook of one repository does not write into another (`git
rev-parse --local-env-vars` lists them).
"""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING
from memgit.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

OLDEST_GIT = (2, 30)
"""The oldest git that memgit is made for; older ones lack `maintenance run` and others."""

LOCAL = frozenset(
    [
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_NAMESPACE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_QUARANTINE_PATH",
        "GIT_REFLOG_ACTION",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
        "GIT_GLOB_PATHSPECS",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_ICASE_PATHSPECS",
    ]
)
"""Variables that name a repository, or a part of one."""
QUIET = {
    "LC_ALL": "C",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
}
"""Replacements are never followed: libgit2 knows none, and one answer must not be made of two histories."""


FRUGAL = ("-c", "core.packedGitWindowSize=32m", "-c", "core.packedGitLimit=128m")
"""For a command that reads a whole history: git maps all of a pack into memory otherwise, and gains nothing
by it.
"""


def clean(env: Mapping[str, str]) -> dict[str, str]:
    """An environment without what points git at some repository."""
    return {name: value for name, value in env.items() if name not in LOCAL}


_found: dict[str, str] = {}


def executable(search: str) -> str:
    """The full path of git in a list of folders such as PATH."""
    if search not in _found:
        for folder in search.split(os.pathsep):
            path = f"{folder}/git"
            if folder and os.access(path, os.X_OK) and not os.path.isdir(path):
                _found[search] = path
                break
        else:
            raise Refused(
                "git is not installed, or not on PATH", hint="install git {}.{} or newer".format(*OLDEST_GIT)
            )
    return _found[search]


def arguments(args: Sequence[str | bytes], env: Mapping[str, str], cwd: str | None) -> list[bytes]:
    """Git's full path and all that follows it; names are text with surrogateescape or bytes."""
    argv = [os.fsencode(executable(env.get("PATH", os.defpath)))]
    if cwd is not None:
        argv += [b"-C", os.fsencode(cwd)]
    argv += [arg if isinstance(arg, bytes) else arg.encode("utf-8", "surrogateescape") for arg in args]
    return argv
