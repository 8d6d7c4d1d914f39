"""The folder that an export goes to: new or empty, and written whole or not at all, however the writing ends.

Everything is written into a work folder on the same disk first (beside a new folder, inside an empty one that
is there) and then renamed into place. A work folder has a marker that its process holds locked: what a killed
one left is known by a marker that nobody holds, and is taken away by the next export there. Nothing else is
ever taken away.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from shutil import rmtree

from memgit.errors import BadInput, Refused

WORK = ".memgit-export-"
"""How the name of a work folder begins."""
MARKER = "memgit-export"
"""The file in it that is locked as long as its process lives."""
RETRIES = 10
TREE = "tree"
"""The folder in it that becomes the export."""


def check_folder(dest: str, root: str | None) -> None:
    """Whether an export may go to a folder.

    Raises:
        BadInput: it is there and not empty, or is inside the knowledge root.
    """
    if os.path.lexists(dest) and (not os.path.isdir(dest) or os.path.islink(dest) or not _is_empty(dest)):
        raise BadInput(
            f"{dest} is there already and is not an empty folder",
            hint="give a new one: nothing is written over",
        )
    if root is not None:
        folder = os.path.realpath(dest) + "/"
        if folder.startswith(os.path.realpath(root).rstrip("/") + "/"):
            raise BadInput(f"{dest} is inside the knowledge root", hint="give a folder outside it")


def _is_empty(folder: str) -> bool:
    """Whether nothing lies in a folder but what killed exports left."""
    return set(os.listdir(folder)) <= set(_left_behind(folder))


def write_files(dest: str, files: Mapping[str, bytes]) -> None:
    """Writes all files or none into a new or empty folder; no path leads out of it.

    Raises:
        Refused: one cannot be written, or must not be; what had been written is taken away again.
    """
    for path in files:
        parts = path.split("/")
        if any(part in ("", ".", "..") or part.lower() == ".git" or "\0" in part for part in parts):
            raise Refused("the commit holds a path that must not be written", path=path)
    new = not os.path.isdir(dest)
    folders: list[str] = []
    moved: list[str] = []
    work = None
    try:
        home = os.path.dirname(os.path.abspath(dest)) if new else dest
        _make(home, folders)
        _sweep(home)
        work = _Work(home)
        for path, data in sorted(files.items()):
            full = os.path.join(work.tree, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "xb") as file:
                file.write(data)
        if new:
            os.rename(work.tree, dest)
        else:
            for name in sorted(os.listdir(work.tree)):
                _rename(os.path.join(work.tree, name), os.path.join(dest, name), moved)
    except BaseException as error:
        _take_away(moved, folders, work)
        if not isinstance(error, OSError):
            raise
        raise Refused(
            f"{_where(error, dest, work)}: {_why(error)}", hint="nothing was left behind"
        ) from error
    work.remove()


class _Work:
    """A work folder of this process."""

    def __init__(self, home: str) -> None:
        import fcntl

        number = 0
        while True:
            self.folder = os.path.join(home, f"{WORK}{os.getpid()}{f'-{number}' if number else ''}")
            number += 1
            try:
                os.mkdir(self.folder)
                self._marker = os.open(
                    os.path.join(self.folder, MARKER), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666
                )
                break
            except FileExistsError:
                pass
            except FileNotFoundError:  # another export took it for one that was left
                if number > RETRIES:
                    raise
        fcntl.flock(self._marker, fcntl.LOCK_EX)
        self.tree = os.path.join(self.folder, TREE)
        os.mkdir(self.tree)

    def remove(self) -> None:
        """Takes the work folder away with all that is in it."""
        rmtree(self.folder, ignore_errors=True)
        os.close(self._marker)


def _left_behind(home: str) -> Iterator[str]:
    """The names of work folders whose process has ended without taking them away."""
    try:
        names = [name for name in os.listdir(home) if name.startswith(WORK)]
    except OSError:
        return
    for name in names:
        if not _is_held(os.path.join(home, name)):
            yield name


def _is_held(folder: str) -> bool:
    """Whether a work folder is at work, or is none: then it is not ours to touch."""
    import fcntl

    try:
        if os.path.islink(folder) or not os.listdir(folder):
            return os.path.islink(folder)  # its process ended before it had a marker
        marker = os.open(os.path.join(folder, MARKER), os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return True
    try:
        fcntl.flock(marker, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(marker)
    return False


def _sweep(home: str) -> None:
    for name in list(_left_behind(home)):
        rmtree(os.path.join(home, name), ignore_errors=True)


def _rename(source: str, target: str, moved: list[str]) -> None:
    """Moves one file or folder to where nothing may be yet."""
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
    os.rename(source, target)
    moved.append(target)


def _where(error: OSError, dest: str, work: _Work | None) -> str:
    """The path that an error is about, as it would be in the export."""
    name = str(error.filename or dest)
    if work is not None and name.startswith(work.tree):
        return dest + name[len(work.tree) :]
    return dest if WORK in name else name


def _why(error: OSError) -> str:
    if isinstance(error, FileExistsError) or error.errno == errno.ENOTEMPTY:
        return "two files have the same name on this disk, or it came to be meanwhile"
    return error.strerror or "cannot be written"


def _make(folder: str, made: list[str]) -> None:
    if os.path.isdir(folder):
        return
    above = os.path.dirname(os.path.abspath(folder))
    if not os.path.isdir(above):
        _make(above, made)
    os.mkdir(folder)
    made.append(folder)


def _take_away(moved: list[str], folders: list[str], work: _Work | None) -> None:
    """Undoes what was done so far: what was moved into place, the work folder, and the folders above a new
    one.
    """
    for path in moved:
        with suppress(OSError):
            rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
    if work is not None:
        work.remove()
    for folder in reversed(folders):
        with suppress(OSError):
            os.rmdir(folder)
