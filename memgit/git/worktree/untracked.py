"""Files that git does not track, found without reading every folder each time.

What is kept is kept of folders: when a folder was last changed, and which of its names were in no tree of a
commit then. A folder that is as it was holds what it held. Which of the names really are untracked (not in
the index, not ignored, not inside a repository of its own) is then asked of git, which is seldom, for there
seldom are any.

A folder's times tell of every name that comes or goes, on file systems that are worth the name; as in git's
own untracked cache, that is tried out before it is relied upon, and a folder that changed just before it was
read counts as unread.
"""

from __future__ import annotations

import json
import os
import zlib
from contextlib import suppress

from memgit import TYPE_CHECKING
from memgit.errors import MemgitError
from memgit.git import leftovers
from memgit.git.objects.tree import FOLDER, Delta, Tree
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memgit.git.repository import Repository

VERSION = 1
FINE, COARSE = 100_000_000, 2_000_000_000
"""Nanoseconds within which two changes of a folder may bear the same time, and those of the coarsest clock of
any file system.
"""
STEP = 10_000_000
"""Times that are whole steps are those of FAT and its kin, where other systems change a folder without
changing its time.
"""
MAX_FOLDERS = 20_000
"""Folders from which on a look at each takes longer than git's own listing."""


class Folder(NamedTuple):
    """One folder as it was read.

    Attributes:
        stamp: device, inode, and the times of the last change of names and of anything, in nanoseconds; []
            where it must be read again.
        listing: a check of all its names.
        extra: names of files with the suffix, and of folders (with a slash), that are not in the tree of the
            commit.
        below: names of folders that are in it.
    """

    stamp: list[int]
    listing: int
    extra: list[str]
    below: list[str]


class Unsure(Exception):
    """The folders cannot be relied upon here; git must list them all."""


def _forget(known: dict[str, Folder], rows: Iterable[Delta]) -> None:
    """Removes the folders whose names a later commit changed."""
    for path, old, new in rows:
        if old is None or new is None:
            # The folders on the way may have come or gone with it.
            above = path
            while above:
                above = above.rpartition("/")[0]
                known.pop(f"{above}/" if above else "", None)


class Walk:
    """One look at the folders below some others.

    Args:
        repo: at its knowledge root.
        commit: what names are compared with.
        roots: paths from the knowledge root, each empty or ending in a slash.
        suffix: of the names that count.
    """

    def __init__(self, repo: Repository, commit: str, roots: Sequence[str], suffix: str) -> None:
        self._repo = repo
        self._root = repo.root
        self._commit = commit
        self._roots = list(roots)
        self._suffix = suffix
        key = json.dumps([VERSION, repo.prefix, self._roots, suffix])
        self._place = os.path.join(repo.git_dir, "memgit")
        self._path = os.path.join(self._place, f"folders-{zlib.crc32(key.encode()):08x}.json")
        self._key = key
        self._known: dict[str, Folder] = {}
        self._found: dict[str, Folder] = {}
        self._tree: Tree | None = None
        self._now = self._device = 0
        self._spare: str | None = None
        self._changed = False
        self._recall()

    def extra(self) -> list[str]:
        """Paths from the knowledge root (folders with a slash) that lie there and are in no tree of the
        commit.

        Raises:
            Unsure: git must be asked for all.
        """
        try:
            for root in self._roots:
                self._look(root)
            if self._found.keys() != self._known.keys():
                self._changed = True
            if self._changed:
                self._keep()
        except (OSError, MemgitError) as error:
            raise Unsure from error
        finally:
            if self._spare is not None:
                with suppress(OSError):
                    os.unlink(self._spare)
        return sorted(f"{path}{name}" for path, folder in self._found.items() for name in folder.extra)

    def _recall(self) -> None:
        """What is known of another commit, or of this one."""
        try:
            with open(self._path, "rb") as file:
                data = json.loads(file.read().decode())
            if data["key"] != self._key:
                return
            known = {path: Folder(*row) for path, row in data["folders"].items()}
            commit = str(data["commit"])
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self._changed = True
            return
        if commit != self._commit:
            self._changed = True
            try:
                rows = self._repo.compare(commit, self._commit)
            except MemgitError:  # the other commit is gone
                return
            _forget(known, rows)
        self._known = known

    def _at_commit(self) -> Tree:
        if self._tree is None:
            self._tree = self._repo.tree(self._commit)
        return self._tree

    def _look(self, folder: str) -> None:
        """Looks at a folder, and at those below it."""
        waiting = [folder]
        while waiting:
            path = waiting.pop()
            full = f"{self._root}/{path}".rstrip("/")
            try:
                found = os.lstat(full)
            except (FileNotFoundError, NotADirectoryError):
                if path in self._roots:
                    continue
                raise
            if found.st_mode & 0o170000 != FOLDER:
                if path in self._roots:  # a link that is never followed, or a file
                    continue
                raise Unsure
            stamp = [found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns]
            known = self._known.get(path)
            if known is None or known.stamp != stamp:
                read = self._read(path, full, stamp, known)
                self._changed = self._changed or read != known
                known = read
            self._found[path] = known
            if len(self._found) > MAX_FOLDERS:
                raise Unsure
            waiting += [f"{path}{name}/" for name in known.below]

    def _read(self, path: str, full: str, stamp: list[int], known: Folder | None) -> Folder:
        """Reads a folder."""
        self._begin(stamp[0])
        with os.scandir(full) as rows:
            names = sorted(f"{row.name}/" if row.is_dir(follow_symlinks=False) else row.name for row in rows)
        listing = zlib.crc32("\0".join(names).encode("utf-8", "surrogateescape"))
        listing = listing << 32 | zlib.adler32("\0".join(names).encode("utf-8", "surrogateescape"))
        newest = max(stamp[2:])
        settled = stamp if newest + FINE < self._now and stamp[2] % STEP and stamp[3] % STEP else []
        if known is not None and known.listing == listing:
            return known._replace(stamp=settled)
        there = {name: mode for name, mode, _ in self._at_commit().list(path)} if self._holds(path) else {}
        extra: list[str] = []
        below: list[str] = []
        for name in names:
            if name.endswith("/"):
                mode = there.get(name[:-1])
                if name.startswith(".") or mode not in (None, FOLDER):  # hidden, or a repository of its own
                    continue
                (extra if mode is None else below).append(name if mode is None else name[:-1])
            elif name.endswith(self._suffix) and there.get(name, FOLDER) == FOLDER:
                extra.append(name)
        return Folder(settled, listing, extra, below)

    def _holds(self, path: str) -> bool:
        """Whether the tree of the commit has a folder."""
        if not path:
            return True
        entry = self._at_commit().get(path.rstrip("/"))
        return entry is not None and entry.mode == FOLDER

    def _begin(self, device: int) -> None:
        """Asks the file system for its time, and whether a folder's times tell of a new name, before the
        first folder is read.
        """
        if self._spare is None:
            os.makedirs(self._place, exist_ok=True)
            spare = f"{self._path}.{os.getpid()}"
            with suppress(FileNotFoundError):  # of a process that was killed
                os.unlink(spare)
            before = os.lstat(self._place)
            self._spare = spare
            with open(spare, "xb") as file:
                made = os.fstat(file.fileno())
            after = os.lstat(self._place)
            told = (before.st_mtime_ns, before.st_ctime_ns) != (after.st_mtime_ns, after.st_ctime_ns)
            if not told and before.st_mtime_ns + COARSE < made.st_mtime_ns:
                raise Unsure
            # too soon after another change to tell: nothing is relied upon
            self._now = made.st_mtime_ns if told else 0
            self._device = made.st_dev
        if device != self._device:
            raise Unsure

    def _keep(self) -> None:
        """Writes down what was seen, for the next one; where that cannot be, nothing is lost."""
        if self._spare is None:
            try:
                self._begin(os.lstat(self._place).st_dev)
            except OSError:
                return
        assert self._spare is not None
        with suppress(OSError):
            with open(self._spare, "w", encoding="ascii") as file:
                file.write(json.dumps({"key": self._key, "commit": self._commit, "folders": self._found}))
            os.replace(self._spare, self._path)
            self._spare = None
        leftovers.sweep(self._place)
