"""What tells one version of the index from the next.

Git writes the index anew and renames it into place, so another version is another file. The time of the last
change of its status (`st_ctime`) is left out: it also changes where the file gets or loses a name, and every
write of memgit's gives the index a second name for a while. Whoever looks meanwhile would take it for a new
index, and a write could not compare the two names.
"""

from __future__ import annotations

import os

Stamp = tuple[int, int, int]
"""Number of the file (inode), size in bytes, time of the last change of its content in nanoseconds."""


def stamp(status: os.stat_result) -> Stamp:
    return status.st_ino, status.st_size, status.st_mtime_ns


def stamp_at(path: str) -> Stamp | None:
    """Of the file at a path; None where there is none. Raises OSError where it cannot be looked at."""
    try:
        return stamp(os.stat(path))
    except (FileNotFoundError, NotADirectoryError):
        return None
