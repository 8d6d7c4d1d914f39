"""Which commit a file that a clone keeps beside its commits stands for: a small file in the git directory, one for
each knowledge root of a working tree.
"""

from __future__ import annotations

import os
from contextlib import suppress

from memgit import TYPE_CHECKING
from memgit.git.write_all import replace_file

if TYPE_CHECKING:
    from memgit.git.repository import Repository

FOLDER = "memgit/kept"
"""The post-commit shim does nothing where this folder is not there or is empty."""


def noted(repo: Repository, what: str) -> tuple[str, int] | None:
    """The commit that was noted, and the number beside it; None where there is none."""
    try:
        with open(_path(repo, what), "rb") as file:
            lines = file.read().decode("utf-8", "surrogateescape").split("\n")
    except OSError:
        return None
    known = len(lines) == 3 and lines[2] == repo.prefix and lines[1].isdigit()
    return (lines[0], int(lines[1])) if known else None


def note(repo: Repository, what: str, commit: str, number: int = 0) -> None:
    """Notes a commit, and a number with it.

    Raises:
        OSError: it cannot be written.
    """
    path = _path(repo, what)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    replace_file(path, f"{commit}\n{number}\n{repo.prefix}".encode("utf-8", "surrogateescape"))


def forget(repo: Repository, what: str) -> None:
    """Takes the note away, where there is one."""
    with suppress(OSError):
        os.unlink(_path(repo, what))


def _path(repo: Repository, what: str) -> str:
    return os.path.join(repo.git_dir, FOLDER, f"{what}-{repo.prefix.strip('/').replace('/', '-')}")
