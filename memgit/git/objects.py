"""Objects of an ordinary repository read and written without libgit2, whose loading takes longer than a whole check of what is staged.

Loose objects are read from their files and written to them, git is asked for all others (see `cat_file`). What is read is what its hash
says, or nothing. Form of loose objects: the chapter on git objects of https://git-scm.com/book.
"""

from __future__ import annotations

import os
import zlib
from contextlib import suppress

from memgit import TYPE_CHECKING
from memgit.git.cat_file import CatFile
from memgit.git.tree import EMPTY_TREE

if TYPE_CHECKING:
    from memgit.git.repository import Repository

KINDS = {b"commit": 1, b"tree": 2, b"blob": 3, b"tag": 4}
"""Types of objects by name, as libgit2 numbers them."""
NAMES = {number: name for name, number in KINDS.items()}
FEW = 512
"""Objects that are read in this way: for more than these, libgit2 makes up for its loading."""
_KEPT = 1 << 22  # bytes of objects that are kept in memory
_LARGE = 1 << 20  # a larger one is not
_TURNS = 10
_LARGEST = 1 << 24  # bytes of the largest loose object that is read here


class Objects:
    """The objects of one repository; what was read stays in memory, for the parts of one answer ask for the same files again.

    `left` is how many more are read.
    """

    def __init__(self, repo: Repository, left: int) -> None:
        self.left = left
        self._hash_of = repo.hash_of
        self._folder = f"{repo.common_dir}/objects"
        self._git = CatFile(repo)
        self._kept: dict[str, tuple[int, bytes]] = {}
        self._written: dict[str, tuple[int, bytes]] = {}
        self._found: dict[str, tuple[int, bytes]] = {}  # what was to be written, but is in a pack
        self._size = 0

    def read(self, oid: str) -> tuple[int, bytes] | None:
        """Type and content of one object; None where it is not there, or cannot be read in this way."""
        found = self._kept.get(oid)
        if found is None and self.left > 0 and len(oid) == 40 and not oid.strip("0123456789abcdef"):
            self.left -= 1
            try:
                found = self._loose(oid)  # a damaged one is not for git, which may promise more of it than it then has, and never end
            except OSError:
                found = self._packed(oid)
            if found is not None and self._hash_of(NAMES[found[0]], found[1]) != oid:
                return None
            if found is not None and len(found[1]) < _LARGE:
                if self._size > _KEPT:
                    self._kept.clear()
                    self._size = 0
                self._size += len(found[1])
                self._kept[oid] = found
        return found

    def write(self, kind: int, data: bytes) -> str:
        """Writes an object and returns its hash; nothing is written where it is there already.

        Raises:
            OSError: the disk is full, or the object folder cannot be written.
        """
        name = NAMES[kind]
        oid = self._hash_of(name, data)
        folder = f"{self._folder}/{oid[:2]}"
        path = f"{folder}/{oid[2:]}"
        try:
            os.utime(path)  # as git does, so that it is not swept as something that nobody has needed for weeks
            self._written[oid] = kind, data
            return oid
        except OSError:
            # git has the empty tree without any file, until its own check looks for one.
            if oid != EMPTY_TREE and self._packed(oid) is not None:
                self._found[oid] = kind, data
                return oid
        packed = zlib.compress(b"%b %d\0" % (name, len(data)) + data, 1)
        for _ in range(_TURNS):
            try:
                _put(path, packed)
                break
            except FileNotFoundError:  # the folder is not there yet, or a `git prune` took it, or the file, away
                os.makedirs(folder, exist_ok=True)
        else:
            _put(path, packed)
        self._written[oid] = kind, data
        return oid

    def restore(self) -> None:
        """Writes once more what was written here and is gone: `git gc --prune=now` takes what no ref leads to yet.

        Raises:
            OSError: as `write`.
        """
        for oid, (kind, data) in list(self._written.items()):
            if not os.path.exists(f"{self._folder}/{oid[:2]}/{oid[2:]}"):
                self.write(kind, data)

    def all_written(self) -> list[tuple[int, bytes]]:
        """What was written here, or was to be but is in a pack: type and content of each."""
        return [*self._found.values(), *self._written.values()]

    def close(self) -> None:
        """Reads nothing any more, and ends what was started for it."""
        self.left = 0
        self._git.stop()

    def _packed(self, oid: str) -> tuple[int, bytes] | None:
        found = self._git.read(oid)
        return None if found is None else (KINDS[found[0]], found[1])

    def _loose(self, oid: str) -> tuple[int, bytes] | None:
        """None where it is damaged, or too large. Raises OSError where there is none."""
        with open(f"{self._folder}/{oid[:2]}/{oid[2:]}", "rb") as file:
            data = file.read(_LARGEST)
        try:
            unpacker = zlib.decompressobj()
            head, _, content = unpacker.decompress(data, _LARGEST).partition(b"\0")
            kind, size = head.split(b" ")
            return (KINDS[kind], content) if int(size) == len(content) else None
        except (zlib.error, ValueError, KeyError):
            return None


def _put(path: str, data: bytes) -> None:
    """Writes a file that nobody sees before it is whole.

    Raises:
        OSError: it cannot be written; FileNotFoundError where its folder or the file on the way was removed.
    """
    spare = f"{os.path.dirname(path)}/tmp_obj_{os.urandom(6).hex()}"  # noqa: S108  # as git names it: `git prune` removes what a kill leaves
    handle = os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o444)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
        finally:
            os.close(handle)
        os.rename(spare, path)
    except OSError:
        with suppress(FileNotFoundError):
            os.unlink(spare)
        raise
