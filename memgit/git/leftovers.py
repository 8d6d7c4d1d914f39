"""What a killed process left in memgit's own folder: files that are written under a name of their own, which ends in a dot and the number
of the process, and then renamed.
"""

from __future__ import annotations

import os
import time

AGE = 3600
"""Seconds after which such a file counts as left: its process may be one that cannot be seen from here, in another container."""


def sweep(folder: str) -> None:
    """Removes them from a folder, as far as that is possible: those that are old and whose process is gone."""
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        stem, _, number = name.rpartition(".")
        if not stem or not number.isascii() or not number.isdigit():
            continue
        path = os.path.join(folder, name)
        try:
            if time.time() - os.lstat(path).st_mtime > AGE and is_gone(int(number)):
                os.unlink(path)  # refused for a folder
        except OSError:
            continue


def is_gone(pid: int) -> bool:
    """Whether no process has a number, as far as can be seen from here."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False
