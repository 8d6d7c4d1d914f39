"""What a killed process left in memgit's own folder: files that are written under a name of their own, which
ends in a dot and the number of the process, and then renamed.
"""

from __future__ import annotations

import os
import time

SCRATCH = "scratch."
"""How the names of files and folders begin that are of no use to the next process."""
AGE = 3600
"""Seconds after which such a file counts as left: its process may be one that cannot be seen from here, in
another container.
"""


def sweep(folder: str) -> list[str]:
    """Removes them from a folder, as far as that is possible: those that are old and whose process is gone.

    The names that are left.
    """
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [name for name in names if not _swept(os.path.join(folder, name), name)]


def _swept(path: str, name: str) -> bool:
    """Whether it was such a file, which is removed now."""
    stem, _, number = name.rpartition(".")
    if (
        not stem
        or not number.isascii()
        or not number.isdigit()
        or not is_old(path)
        or not is_gone(int(number))
    ):
        return False
    try:
        os.unlink(path)  # refused for a folder
    except OSError:
        return False
    return True


def is_old(path: str) -> bool:
    """Whether a file or folder has been left alone for longer than a process takes."""
    try:
        return time.time() - os.lstat(path).st_mtime > AGE
    except OSError:
        return False


def scratch(folder: str) -> str:
    """A new name in memgit's own folder for what is of no use once this process has ended; `journal.sweep`
    knows it.
    """
    return f"{folder}/{SCRATCH}{os.getpid()}.{os.urandom(4).hex()}"


def is_gone(pid: int) -> bool:
    """Whether no process has a number, as far as can be seen from here."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False
