"""Objects of an ordinary repository read and written without libgit2, whose loading takes longer than a whole
check of what is staged.

Loose objects are read from their files and written to them, git is asked for all others (see `cat_file`).
What is read is what its hash says. Form of loose objects: the chapter on git objects of
https://git-scm.com/book.
"""

from __future__ import annotations

import os
import zlib
from contextlib import suppress

from memgit import TYPE_CHECKING
from memgit.errors import Broken
from memgit.git.objects.cat_file import CatFile
from memgit.git.objects.libgit import KINDS, NAMES
from memgit.git.write_all import write_all

if TYPE_CHECKING:
    from memgit.git.repository import Repository

FEW = 512
"""Objects that git is asked for, one by one: with more than these, loading libgit2 pays."""
_KEPT = 1 << 22  # bytes of objects that are kept in memory
_LARGE = 1 << 20  # a larger one is not
# bytes of what was written that are kept for `restore`; longer writes hold `git gc` off instead
_HELD = 1 << 24
_TURNS = 10


class Objects:
    """The objects of one repository; what was read stays in memory, for the parts of one answer ask for the
    same files again.

    Attributes:
        left: how many more git is asked for.
        written: type and content of what was written and no ref leads to as yet, by hash; the newest of it,
            where that is much.
    """

    def __init__(self, repo: Repository, left: int) -> None:
        self.left = left
        self.written: dict[str, tuple[int, bytes]] = {}
        self._written_size = 0
        self._hash_of = repo.hash_of
        self._folder = f"{repo.common_dir}/objects"
        self._folders: list[str] = []
        self._git = CatFile(repo)
        self._kept: dict[str, tuple[int, bytes]] = {}
        self._size = 0

    def read(self, oid: str, *, packed: bool = True) -> tuple[int, bytes] | None:
        """Type and content of one object; None where it is not there, or cannot be read in this way.

        Args:
            packed: whether git is asked, where the object has no file of its own.

        Raises:
            Broken: it is damaged.
        """
        found = self._kept.get(oid)
        if found is None and len(oid) == 40 and not oid.strip("0123456789abcdef"):
            found = self.loose(oid)
            if found is None and packed and self.left > 0:
                self.left -= 1
                found = self._checked(oid, self._git.read(oid))
            if found is not None and len(found[1]) < _LARGE:
                if self._size > _KEPT:
                    self._kept.clear()
                    self._size = 0
                self._size += len(found[1])
                self._kept[oid] = found
        return found

    def loose(self, oid: str) -> tuple[int, bytes] | None:
        """Type and content of an object that has a file of its own; None where it has none.

        Raises Broken as `read`.
        """
        if not self._folders:
            self._folders = _with_borrowed(self._folder)
        for folder in self._folders:
            path = f"{folder}/{oid[:2]}/{oid[2:]}"
            if os.access(path, os.F_OK):
                return self._content(path, oid)
        return None

    def write(self, kind: int, data: bytes) -> str:
        """Writes an object and returns its hash; nothing is written where it has a file already.

        It may be in a pack as well, which does no harm: git removes the file when it packs the next time.

        Raises:
            Broken: it has a file, which is damaged.
            OSError: the disk is full, or the object folder cannot be written.
        """
        name = NAMES[kind]
        oid = self._hash_of(name, data)
        if not self.has_file(oid):
            _write(self._path(oid), zlib.compress(b"%b %d\0" % (name, len(data)) + data, 1))
        if oid not in self.written:
            self.written[oid] = kind, data
            self._written_size += len(data)
        while self._written_size > _HELD:
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
        return self._content(self._path(oid), oid) is not None

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

    def close(self) -> None:
        """Asks git for nothing any more, and ends what was started for it."""
        self.left = 0
        self._git.stop()

    def _path(self, oid: str) -> str:
        return f"{self._folder}/{oid[:2]}/{oid[2:]}"

    def _content(self, path: str, oid: str) -> tuple[int, bytes] | None:
        """What the file of an object holds; None where it is gone.

        Not left to others: libgit2 never comes to the end of a file that was cut off, and git may promise
        more of it than it then has.

        Raises:
            Broken: it is damaged or cannot be read, and git has the object nowhere else.
        """
        why = "is damaged"
        try:
            with open(path, "rb") as file:
                head, _, content = zlib.decompress(file.read()).partition(b"\0")
            name, _, size = head.partition(b" ")
            found = self._checked(oid, (name, content)) if size == b"%d" % len(content) else None
        except FileNotFoundError:
            return None
        except zlib.error:
            found = None
        except OSError as error:
            found, why = None, f"cannot be read ({error.strerror})"
        found = found or self._checked(oid, self._git.once(oid))  # for git, one in a pack comes first
        if found is None:
            raise Broken(f"object {oid} {why}: {path}", hint="git fsck")
        return found

    def _checked(self, oid: str, found: tuple[bytes, bytes] | None) -> tuple[int, bytes] | None:
        """An object, if it is what its hash says."""
        return (
            (KINDS[found[0]], found[1])
            if found is not None and found[0] in KINDS and self._hash_of(*found) == oid
            else None
        )


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
    for _ in range(_TURNS):
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
    handle = os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o444)
    try:
        try:
            write_all(handle, data)
        finally:
            os.close(handle)
        os.rename(spare, path)
    except OSError:
        with suppress(FileNotFoundError):
            os.unlink(spare)
        raise
