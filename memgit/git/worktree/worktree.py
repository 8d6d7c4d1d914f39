"""Files of the working tree: read and written by folder handles, so that no symlink can lead out of the
repository.

A file is replaced by a rename, never written in place; what it held before is kept beside the journal until
the commit is done.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git.write_all import write_all
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from types import TracebackType

_OPEN_FOLDERS = 64
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_LINKS = (errno.EXDEV, errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS, errno.EACCES)


Signature = tuple[int, int, int, int]
"""Inode, size, time of change in nanoseconds, mode: what tells whether a file was touched."""


class Found(NamedTuple):
    """A file as it lies in the working tree: content, permission bits, and what tells whether it was touched
    since.
    """

    data: bytes
    mode: int
    signature: Signature


class Worktree:
    """The working tree below one top folder. Paths are relative to it, text with surrogateescape."""

    def __init__(self, top: str) -> None:
        self._top = os.fsencode(top)
        self._folders: dict[bytes, int] = {}

    def __enter__(self) -> Worktree:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the folder handles."""
        for fd in self._folders.values():
            os.close(fd)
        self._folders.clear()

    def _folder(self, folder: bytes, path: str, *, create: bool = False) -> int | None:
        """A handle of a folder, None where it is missing and not to be made.

        Raises:
            Refused: a part of it is a symlink, a file, or the top of another repository.
        """
        fd = self._folders.get(folder)
        if fd is not None:
            self._folders[folder] = self._folders.pop(folder)  # the latest stands last
            return fd
        if not folder:
            fd = os.open(self._top, _FOLDER_FLAGS & ~os.O_NOFOLLOW)
        else:
            above, _, name = folder.rpartition(b"/")
            parent = self._folder(above, path, create=create)
            if parent is None:
                return None
            opened = self._enter(parent, name, folder, path, create)
            if opened is None:
                return None
            fd = opened
        while len(self._folders) >= _OPEN_FOLDERS:
            os.close(self._folders.pop(next(iter(self._folders))))
        self._folders[folder] = fd
        return fd

    @staticmethod
    def _enter(parent: int, name: bytes, folder: bytes, path: str, create: bool) -> int | None:
        shown = folder.decode("utf-8", "replace")
        try:
            try:
                fd = os.open(name, _FOLDER_FLAGS, dir_fd=parent)
            except FileNotFoundError:
                if not create:
                    return None
                os.mkdir(name, 0o777, dir_fd=parent)
                fd = os.open(name, _FOLDER_FLAGS, dir_fd=parent)
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
                raise
            if stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
                raise Refused(f"leads through the symlink {shown}", path=path) from None
            if create:
                raise Refused(
                    f"cannot be written: {shown} is a file in the working tree", path=path
                ) from None
            return None
        if _exists(b".git", fd):
            os.close(fd)
            raise Refused(
                f"is in another repository ({shown})", path=path, hint="run memgit inside that repository"
            )
        return fd

    def read(self, path: str) -> Found | None:
        """A regular file, or None where nothing is there.

        Raises:
            Refused: a symlink, a folder or something else is in its place or on the way to it.
        """
        folder, name = _split(path)
        parent = self._folder(folder, path)
        if parent is None:
            return None
        try:
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK):
                raise Refused("is a symlink in the working tree", path=path) from None
            raise
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise Refused(
                    (
                        f"is a {'folder' if stat.S_ISDIR(status.st_mode) else 'special file'} in the "
                        "working tree"
                    ),
                    path=path,
                )
            pieces = []
            while piece := os.read(fd, max(1 << 16, status.st_size + 1)):
                pieces.append(piece)
            return Found(b"".join(pieces), stat.S_IMODE(status.st_mode), _signature(status))
        finally:
            os.close(fd)

    def signature(self, path: str) -> Signature | None:
        """What tells whether a file was touched; None where nothing is there."""
        folder, name = _split(path)
        parent = self._folder(folder, path)
        if parent is None:
            return None
        try:
            return _signature(os.stat(name, dir_fd=parent, follow_symlinks=False))
        except FileNotFoundError:
            return None

    def keep(self, path: str, aside: bytes) -> None:
        """Makes `aside` (not there yet) a second name of a file; a copy where the file system has no such
        thing.
        """
        folder, name = _split(path)
        parent = self._folder(folder, path)
        if parent is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        try:
            os.link(name, aside, src_dir_fd=parent, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            found = self.read(path)
            if found is None:
                raise
            write_new(aside, found.data, found.mode)

    def put(self, path: str, ready: bytes) -> None:
        """Moves a finished file into place, making the folders on the way; across file systems by way of a
        neighbour.
        """
        folder, name = _split(path)
        parent = self._folder(folder, path, create=True)
        try:
            os.rename(ready, name, dst_dir_fd=parent)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            beside = neighbour(name, ready)
            with open(ready, "rb") as file:
                write_new(beside, file.read(), stat.S_IMODE(os.stat(ready).st_mode), parent)
            os.unlink(ready)  # first: as long as it is there, nothing has been put
            os.rename(beside, name, src_dir_fd=parent, dst_dir_fd=parent)

    def drop_neighbour(self, path: str, ready: bytes) -> None:
        """Removes what `put` may have left beside a file when it was killed."""
        folder, name = _split(path)
        parent = self._folder(folder, path)
        if parent is not None:
            _unlink(neighbour(name, ready), parent)

    def remove(self, path: str) -> None:
        """Removes a file, if it is there, and the folders that this leaves empty, as git does; never the
        current directory.
        """
        folder, name = _split(path)
        parent = self._folder(folder, path)
        if parent is None:
            return
        _unlink(name, parent)
        while folder:
            above, _, last = folder.rpartition(b"/")
            parent, fd = self._folder(above, path), self._folders.pop(folder, None)
            if parent is None:
                return
            try:
                if fd is not None and _is_here(fd):
                    return
                os.rmdir(last, dir_fd=parent)
            except OSError:
                return
            finally:
                if fd is not None:
                    os.close(fd)
            folder = above


def write_new(
    path: bytes, data: bytes, mode: int | None, folder: int | None = None, *, executable: bool = False
) -> None:
    """Writes a file that is not there yet.

    Args:
        mode: permission bits; None gives those of a new file, as the umask says.
        folder: handle of the folder that `path` counts from.
        executable: for a new file, whether it may be run.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(path, flags, 0o777 if executable else 0o666, dir_fd=folder)
    try:
        write_all(fd, data)
        if mode is not None:
            os.fchmod(fd, mode)
    except OSError as error:
        error.filename = error.filename or path
        raise
    finally:
        os.close(fd)


def neighbour(name: bytes, ready: bytes) -> bytes:
    """The name under which a file is finished in the folder of `name` where it cannot be moved there."""
    tag = ready.rsplit(b"/", 2)[-2:]
    return b".memgit-" + b"-".join(tag)


def _split(path: str) -> tuple[bytes, bytes]:
    folder, _, name = path.encode("utf-8", "surrogateescape").rpartition(b"/")
    return folder, name


def _signature(status: os.stat_result) -> Signature:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode


def _exists(name: bytes, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def _unlink(name: bytes, folder: int) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def _is_here(fd: int) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat("."))
    except OSError:
        return False
