"""Objects kept from a `git gc` that runs: with `--prune=now` it removes what no ref led to when it began to look, however new that is.

What lies in a pack that came after the ref moved is safe: git takes away only packs that were there before it looked which objects are in
use, and loose objects. That `git gc` runs is told by its `gc.pid` (`gc.c` in git's source: process, host; void after twelve hours).
"""

from __future__ import annotations

import os
import zlib
from itertools import count
from time import time

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import leftovers, process
from memgit.git.pause import pause

if TYPE_CHECKING:
    from collections.abc import Collection

    from memgit.git.repository import Repository

_VOID = 12 * 3600  # seconds
_TURNS = 10


def runs(repo: Repository) -> bool:
    """Whether a `git gc` is at work in a repository that may take what is new: not one that leaves it two weeks, as git does of itself."""
    path = f"{repo.common_dir}/gc.pid"
    try:
        with open(path, "rb") as file:
            words = file.read(1024).split()
            age = time() - os.fstat(file.fileno()).st_mtime
    except OSError:
        return False
    if age > _VOID:
        return False
    if len(words) != 2 or not words[0].isdigit() or words[1] != os.uname().nodename.encode():
        return True
    return not leftovers.is_gone(int(words[0])) and ("gc.pruneexpire" in repo.settings.last or _may_prune(words[0].decode("ascii")))


def _may_prune(pid: str) -> bool:
    """Whether a process was told when to prune, or does not show."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return b"prune" in file.read().lower()
    except OSError:
        return True


def keep(repo: Repository, objects: Collection[tuple[int, bytes]]) -> bool:
    """Keeps objects (type as libgit2 numbers them, content) from it; false where it has ended by now, and what it has taken shows.

    Raises:
        Refused: git does not take them.
    """
    for turn in count(1):
        if not runs(repo):
            return False
        try:
            pack(repo, objects)
            return True
        except Refused:  # it removes packs that are half-written, too
            if turn == _TURNS:
                raise
        pause(0.01)
    raise AssertionError


def pack(repo: Repository, objects: Collection[tuple[int, bytes]]) -> None:
    """Puts objects into a pack of their own, whether they are there or not.

    Form: `gitformat-pack(5)`. Raises Refused where git does not take it.
    """
    data = bytearray(b"PACK\0\0\0\2" + len(objects).to_bytes(4, "big"))
    for kind, content in objects:
        data += _head(kind, len(content)) + zlib.compress(content, 1)
    data += repo.digest(bytes(data))
    process.run(["index-pack", "--stdin"], repo=repo, data=bytes(data), write=True)


def _head(kind: int, size: int) -> bytes:
    """Type and size: four bits of the size beside the type, then seven in a byte, the lowest first."""
    out = bytearray([kind << 4 | size & 0xF])
    size >>= 4
    while size:
        out[-1] |= 0x80
        out.append(size & 0x7F)
        size >>= 7
    return bytes(out)
