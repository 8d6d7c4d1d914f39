"""The files of a commit and of a folder on disk (see `model.filetree`)."""

from __future__ import annotations

import os
import stat
from functools import cached_property

from memgit import TYPE_CHECKING
from memgit.errors import Broken, Refused, UnreadableFile
from memgit.git.history.history import touching
from memgit.git.objects.files import listed_files
from memgit.git.objects.tree import FOLDER, LINK, SUBMODULE, Entry
from memgit.model.filetree import REGULAR, FileTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from memgit.git.objects.tree import Tree
    from memgit.git.repository import Repository

MAX_VERSIONS = 500
"""How many versions of a broken derived file are looked at."""


class CommitTree(FileTree):
    """The files of a commit, or of any tree.

    Args:
        commit: from which `last_good` looks back; None for no history.
        root: the folder on disk in which edited files without a blob lie.
        disk: whether all files are read from there, with the line ends that they have there.
    """

    def __init__(
        self,
        repo: Repository,
        tree: Tree,
        commit: str | None = None,
        root: str | None = None,
        *,
        disk: bool = False,
    ) -> None:
        self.tree, self.commit = tree, commit
        self._repo, self._root, self._disk = repo, root, disk

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        """Mode and blob of every path, once all of them are asked for."""
        return {path: Entry(mode, oid) for path, mode, oid in self.tree.walk()}

    def paths(self) -> Iterable[str]:
        return sorted(self._entries)

    def entry(self, path: str) -> tuple[int, str | None] | None:
        if "_entries" in self.__dict__:
            return self._entries.get(path)
        entry = self.tree.get(path)
        return None if entry is None or entry.mode == FOLDER else entry

    def load(self, path: str, mode: int, oid: str | None) -> bytes | None:
        if mode in (LINK, SUBMODULE):
            return None
        if self._root is not None and (self._disk or oid is None):
            data = read_plain(self._root, path)
            if data is not None:
                return data
        if oid is None:
            return None
        try:
            return self._repo.blob(oid)
        except Broken as error:
            error.path = path
            raise

    def listing(self, folder: str) -> Mapping[str, int]:
        return {name: mode for name, mode, _ in self.tree.list(folder)}

    def last_good(self, path: str, is_good: Callable[[bytes], bool]) -> bytes | None:
        if self.commit is not None:
            for older in touching(self._repo, self.commit, [path], MAX_VERSIONS):
                data = self._repo.tree(older).data(path)
                if data is not None and is_good(data):
                    return data
        return None


class DiskTree(FileTree):
    """The files of a working tree, or of a folder outside any repository; what git ignores is left out of
    `paths`, links are never followed.

    Args:
        most: how many files of a folder outside any repository are looked through at most.
    """

    def __init__(self, root: str, repo: Repository | None, most: int | None = None) -> None:
        self._root, self._repo, self._most = root, repo, most

    def paths(self) -> Iterable[str]:
        """Those of a repository without links.

        Raises:
            Refused: there are more than `most`.
        """
        if self._repo is not None:
            return [path for path in listed_files(self._repo) if self._is_plain(path)]
        found: list[str] = []
        for folder, folders, names in os.walk(self._root):
            folders[:] = [name for name in folders if name != ".git"]
            prefix = os.path.relpath(folder, self._root).replace(os.sep, "/") + "/"
            found += [prefix.removeprefix("./") + name for name in names]
            if self._most is not None and len(found) > self._most:
                raise Refused(
                    f"{self._root} is not in a git repository and holds too many files to look through",
                    hint="memgit init",
                )
        return sorted(found)

    def entry(self, path: str) -> tuple[int, str | None] | None:
        mode = disk_mode(os.path.join(self._root, path))
        return None if mode is None else (mode, None)

    def data(self, path: str) -> bytes | None:
        """The bytes of a regular file that no link leads to.

        Raises:
            UnreadableFile: it cannot be read.
        """
        if not self._is_plain(path):
            return None
        try:
            with open(os.path.join(self._root, path), "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise UnreadableFile(f"cannot be read: {error.strerror}", path=path) from error

    def listing(self, folder: str) -> Mapping[str, int]:
        """Without asking git: files that it ignores are among them."""
        try:
            with os.scandir(os.path.join(self._root, folder)) as found:
                return {one.name: mode for one in found if (mode := _listed_mode(one)) is not None}
        except OSError:
            return {}

    def _is_plain(self, path: str) -> bool:
        """Whether a path is a regular file that no link leads to."""
        full = self._root
        try:
            for part in path.split("/"):
                full = os.path.join(full, part)
                if os.path.islink(full):
                    return False
        except ValueError:
            return False
        return os.path.isfile(full)


def _listed_mode(entry: os.DirEntry[str]) -> int | None:
    """Git's mode of an entry of a folder; None for a folder without a file, and for what git does not keep."""
    if entry.is_symlink():
        return LINK
    if not entry.is_dir():
        return REGULAR if entry.is_file() else None
    return FOLDER if entry.name != ".git" and any(names for _, _, names in os.walk(entry.path)) else None


def disk_mode(full: str) -> int | None:
    """Git's mode of what lies at an absolute path; None where nothing does, or something that git does not
    keep.
    """
    try:
        mode = os.lstat(full).st_mode
    except (OSError, ValueError):
        return None
    if stat.S_ISLNK(mode):
        return LINK
    if stat.S_ISDIR(mode):
        return SUBMODULE if os.path.lexists(os.path.join(full, ".git")) else None
    return REGULAR if stat.S_ISREG(mode) else None


def read_plain(root: str, path: str) -> bytes | None:
    """The bytes of a regular file that no link leads to; None where there is none or it cannot be read."""
    try:
        return DiskTree(root, None).data(path)
    except UnreadableFile:
        return None
