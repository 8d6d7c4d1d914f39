"""Objects of a repository: libgit2 reads those in packs.

A loose object is read from its file and checked here: libgit2 never comes to the end of one that was cut off.
It is written here as well, also where a pack has it, and kept until a ref leads to it: `git gc --prune=now`
may remove either meanwhile. Form: the chapter on git objects of https://git-scm.com/book.
"""

from __future__ import annotations

import os
import zlib
from contextlib import suppress

from memgit import TYPE_CHECKING
from memgit.errors import Broken
from memgit.git.objects import libgit
from memgit.git.objects.libgit import KINDS, NAMES
from memgit.git.write_all import write_by

try:  # hashlib loads OpenSSL, which takes longer than all that is hashed here
    from _sha1 import sha1  # type: ignore[import-not-found]
except ImportError:
    from hashlib import sha1

if TYPE_CHECKING:
    from pygit2._pygit2 import Odb

_MAX_HELD = 1 << 24  # bytes of what was written; longer writes hold `git gc` off instead
_MAX_TRIES = 10


class Objects:
    """The objects of one repository.

    Args:
        common_dir: the git directory that all its working trees share.
        odb: its object database.

    Attributes:
        written: type and content of what was written and no ref leads to as yet, by hash; the newest of it,
            where that is much.
    """

    def __init__(self, common_dir: str, odb: Odb) -> None:
        self.written: dict[str, tuple[int, bytes]] = {}
        self._written_size = 0
        self._odb = odb
        self._folder = f"{common_dir}/objects"
        self._folders = _with_borrowed(self._folder)

    def read(self, oid: str) -> tuple[int, bytes]:
        """Type and content of one object.

        Raises:
            Broken: it is damaged.
            libgit.FAILURES: it is not there.
        """
        found = self.loose(oid)
        if found is None:
            kind, data = self._odb.read(oid)
            found = int(kind), data
        return found

    def loose(self, oid: str) -> tuple[int, bytes] | None:
        """Type and content of an object that has a file of its own; None where it has none.

        Raises Broken as `read`.
        """
        if len(oid) != 40:
            return None
        for folder in self._folders:
            found = self._checked(f"{folder}/{oid[:2]}/{oid[2:]}", oid)
            if found is not None:
                return found
        return None

    def write(self, kind: int, data: bytes) -> str:
        """Writes an object and returns its hash; nothing is written where it has a file already.

        It may be in a pack as well, which does no harm: git removes the file when it packs the next time.

        Raises:
            Broken: it has a file, which is damaged.
            OSError: the disk is full, or the object folder cannot be written.
        """
        name = NAMES[kind]
        oid = hash_of(name, data)
        if not self.has_file(oid):
            _write(self._path(oid), zlib.compress(b"%b %d\0" % (name, len(data)) + data, 1))
        if oid not in self.written:
            self.written[oid] = kind, data
            self._written_size += len(data)
        while self._written_size > _MAX_HELD:
            self._written_size -= len(self.written.pop(next(iter(self.written)))[1])
        return oid

    def has_file(self, oid: str) -> bool:
        """Whether an object has a file of its own, which counts as needed from now on.

        Raises:
            Broken: it has, but that is damaged.
        """
        try:
            # as git does, so that it is not swept as something that nobody has needed for weeks
            os.utime(self._path(oid))
        except FileNotFoundError:
            return False
        except OSError:  # another user's
            pass
        return self._checked(self._path(oid), oid) is not None

    def restore(self) -> bool:
        """Writes once more what was written here and is gone, if anything: `git gc --prune=now` takes what no
        ref leads to yet.

        Raises:
            OSError: as `write`.
        """
        gone = [one for oid, one in self.written.items() if not os.path.exists(self._path(oid))]
        for kind, data in gone:
            self.write(kind, data)
        return bool(gone)

    def forget_written(self) -> None:
        """To be called once a ref leads to what was written: from now on, git keeps it."""
        self.written.clear()
        self._written_size = 0

    def _path(self, oid: str) -> str:
        return f"{self._folder}/{oid[:2]}/{oid[2:]}"

    def _checked(self, path: str, oid: str) -> tuple[int, bytes] | None:
        """What the file of an object holds; None where there is no such file.

        Raises:
            Broken: it is damaged or cannot be read, and no pack has the object.
        """
        why = "is damaged"
        try:
            with open(path, "rb") as file:
                head, _, data = zlib.decompress(file.read()).partition(b"\0")
            name, _, size = head.partition(b" ")
            if size == b"%d" % len(data) and hash_of(name, data) == oid and name in KINDS:
                return KINDS[name], data
        except (FileNotFoundError, NotADirectoryError):
            return None
        except zlib.error:
            pass
        except OSError as error:
            why = f"cannot be read ({error.strerror})"
        for folder in self._folders:
            with suppress(*libgit.FAILURES):
                kind, packed = libgit.raw.OdbBackendPack(folder).read(oid)
                if hash_of(NAMES[kind], packed) == oid:
                    return int(kind), bytes(packed)
        raise Broken(f"object {oid} {why}: {path}", hint="git fsck")


def hash_of(kind: bytes, data: bytes) -> str:
    """The hash that an object of a kind (as git names it) and this content has."""
    return digest(b"%b %d\0" % (kind, len(data)) + data).hex()


def digest(data: bytes) -> bytes:
    """The checksum of git's own kind."""
    return bytes(sha1(data, usedforsecurity=False).digest())


def _with_borrowed(folder: str) -> list[str]:
    """An object folder and those that it borrows from, one by way of the other:

    `gitrepository-layout(5)`, objects/info/alternates.
    """
    folders = [folder]
    for one in folders:
        try:
            with open(f"{one}/info/alternates", "rb") as file:
                lines = file.read().splitlines()
        except OSError:
            continue
        named = [
            os.path.normpath(os.path.join(one, os.fsdecode(line)))
            for line in lines
            if line and not line.startswith((b"#", b'"'))
        ]
        folders += [name for name in dict.fromkeys(named) if name not in folders]
    return folders


def _write(path: str, data: bytes) -> None:
    """As `_put`, whatever a `git prune` takes away meanwhile."""
    for _ in range(_MAX_TRIES):
        try:
            _put(path, data)
            return
        except FileNotFoundError:  # the folder is not there yet, or it was taken, or the file on the way
            os.makedirs(os.path.dirname(path), exist_ok=True)
    _put(path, data)


def _put(path: str, data: bytes) -> None:
    """Writes a file that nobody sees before it is whole.

    Raises:
        OSError: it cannot be written; FileNotFoundError where its folder or the file on the way was removed.
    """
    spare = f"{os.path.dirname(path)}/tmp_obj_{os.urandom(6).hex()}"  # noqa: S108  # as git names it: `git prune` removes what a kill leaves
    write_by(spare, path, data, new=0o444)
