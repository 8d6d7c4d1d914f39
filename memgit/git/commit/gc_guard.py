"""Objects kept from a `git gc` that runs: with `--prune=now` it removes what no ref led to when it began to
look, however new that is.

What lies in a pack that came after the ref moved is safe: git takes away only packs that were there before it
looked which objects are in use, and loose objects. That is done where little was written; a long write holds
`git gc` off, as another `git gc` would. That one runs is told by its `gc.pid` (`gc.c` in git's source:
process, host; void after twelve hours).
"""

from __future__ import annotations

import os
import zlib
from contextlib import contextmanager, suppress
from time import monotonic, time

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import leftovers, process
from memgit.git.backoff import pause
from memgit.git.objects.objects import digest
from memgit.git.permissions import shared
from memgit.git.write_all import write_all

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from memgit.git.repository import Repository

WAIT_SECONDS = 30.0
"""Seconds that a long write waits for one that is at work."""
_VOID_SECONDS = 12 * 3600  # seconds
# seconds after which its lock is one that was left: it is held for as long as it takes to write a line
_STALE_LOCK_SECONDS = 2.0
_MAX_TRIES = 10


def runs(repo: Repository) -> bool:
    """Whether a `git gc` is at work in a repository that may take what is new: not one that leaves it two
    weeks, as git does of itself.
    """
    return _takes(repo, _held(repo))


def _takes(repo: Repository, held: bytes | None) -> bool:
    """As `runs`, by what `_held` gave."""
    if held is None or held == _mark() or not _is_alive(held):
        return False
    words = held.split()
    return (
        len(words) != 2
        or words[1] != _host()
        or "gc.pruneexpire" in repo.settings.last
        or _may_prune(os.fsdecode(words[0]))
    )


def _is_alive(held: bytes | None) -> bool:
    """Whether one is at work, whatever it may take, as far as what `_held` gave tells."""
    if held is None:
        return False
    words = held.split()
    return (
        len(words) != 2
        or not words[0].isdigit()
        or words[1] != _host()
        or not leftovers.is_gone(int(words[0]))
    )


def _held(repo: Repository) -> bytes | None:
    """What the file says of who is at work; None where it is not there, or void."""
    try:
        with open(_path(repo), "rb") as file:
            return file.read(1024) if time() - os.fstat(file.fileno()).st_mtime <= _VOID_SECONDS else None
    except OSError:
        return None


def _age(path: str) -> float:
    """Seconds since a file was written; none where it is gone."""
    try:
        return time() - os.lstat(path).st_mtime
    except OSError:
        return 0.0


def _path(repo: Repository) -> str:
    return f"{repo.common_dir}/gc.pid"


def _mark() -> bytes:
    return b"%d %b" % (os.getpid(), _host())


def _host() -> bytes:
    return os.uname().nodename.encode()


def _may_prune(pid: str) -> bool:
    """Whether a process was told when to prune, or does not show."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return b"prune" in file.read().lower()
    except OSError:
        return True


@contextmanager
def held_off(repo: Repository) -> Iterator[None]:
    """While this holds, no `git gc` begins: it says that one is at work already. One that is, and may take
    what is new, is waited for.

    For long writes, of which no copy is kept in memory. A `git prune` alone is not held off, nor is anything
    where that takes too long.
    """
    taken = _take(repo)
    try:
        yield
    finally:
        if taken and _held(repo) == _mark():
            with suppress(OSError):
                os.unlink(_path(repo))


def _take(repo: Repository) -> bool:
    """Takes the place of a `git gc`. Whether that was done."""
    end = monotonic() + WAIT_SECONDS
    while monotonic() < end:
        held = _held(repo)
        if not _is_alive(held):
            placed = _place(repo)
            if placed is not None:
                return placed
        elif not _takes(repo, held):
            return False
        pause(0.05)
    return False


def _place(repo: Repository) -> bool | None:
    """As git does it: what tells that one is at work is written under its lock.

    None where somebody else is at that.
    """
    lock = f"{_path(repo)}.lock"
    try:
        with shared(repo.settings):
            handle = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except FileExistsError:
        return None if _age(lock) < _STALE_LOCK_SECONDS else False
    except OSError:
        return False
    try:
        try:
            write_all(handle, _mark())
        finally:
            os.close(handle)
        if not _is_alive(_held(repo)):
            os.rename(lock, _path(repo))
            return True
    except OSError:
        pass
    with suppress(OSError):
        os.unlink(lock)
    return None


def keep(repo: Repository, objects: Collection[tuple[int, bytes]]) -> bool:
    """Keeps objects (type as libgit2 numbers them, content) from it; false where it has ended by now, or git
    does not take them.
    """
    for _ in range(_MAX_TRIES):
        if not runs(repo):
            return False
        with suppress(Refused):  # it removes packs that are half-written, too
            pack(repo, objects)
            return True
        pause(0.01)
    return False


def pack(repo: Repository, objects: Collection[tuple[int, bytes]]) -> None:
    """Puts objects into a pack of their own, whether they are there or not.

    Form: `gitformat-pack(5)`. Raises Refused where git does not take it.
    """
    data = bytearray(b"PACK\0\0\0\2" + len(objects).to_bytes(4, "big"))
    for kind, content in objects:
        data += _head(kind, len(content)) + zlib.compress(content, 1)
    data += digest(bytes(data))
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
