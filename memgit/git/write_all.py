"""Writing all of something to an open file, and files in one piece."""

from __future__ import annotations

import os
from contextlib import suppress
from errno import ENOSPC


def write_all(handle: int, data: bytes) -> None:
    """Writes all of it: the system may take a part at a time.

    Raises:
        OSError: it cannot be written, or the disk has no room for it; a part may be written then.
    """
    rest = memoryview(data)
    while rest:
        count = os.write(handle, rest)
        if not count:
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        rest = rest[count:]


def replace_file(path: str, data: bytes, mode: int | None = None) -> None:
    """Writes a file in one piece, with its folder: by a neighbour that `leftovers.sweep` knows.

    Args:
        mode: permission bits; None for those of a new file.

    Raises:
        OSError: it cannot be written; what was there stays.
    """
    folder, name = os.path.split(path)
    os.makedirs(folder or ".", exist_ok=True)
    write_by(os.path.join(folder, f".memgit-{name[:40]}.{os.getpid()}"), path, data, mode)


def write_by(spare: str, path: str, data: bytes, mode: int | None = None, new: int = 0o666) -> None:
    """Writes a file that nobody sees before it is whole, under the name `spare` until then.

    Args:
        mode: permission bits; None for those that the process gives to a file of mode `new`.

    Raises:
        OSError: it cannot be written; what was there stays.
    """
    # never one that is there, nor a link that somebody laid there
    handle = os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, new)
    try:
        try:
            write_all(handle, data)
            if mode is not None:
                os.fchmod(handle, mode)
        finally:
            os.close(handle)
        os.replace(spare, path)
    except OSError:
        with suppress(FileNotFoundError):
            os.unlink(spare)
        raise
