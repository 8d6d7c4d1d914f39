"""The files of one state of a knowledge root, and such a state with some files edited."""

from __future__ import annotations

from itertools import islice

from memgit import TYPE_CHECKING
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

REGULAR, FOLDER = 0o100644, 0o040000


class Edit(NamedTuple):
    """A file that is not as the state below has it: git's mode, and its blob or bytes; with neither, its bytes
    are where the state below finds them (see `FileTree.load`).
    """

    mode: int
    oid: str | None
    data: bytes | None = None


class FileTree:
    """The files of one state, by path: a commit, a working tree, or files in memory. This one has none."""

    def paths(self) -> Iterable[str]:
        """Every path, sorted; links and submodules among them, folders not."""
        return ()

    def entry(self, path: str) -> tuple[int, str | None] | None:
        """Git's mode and the blob of a path, None where nothing is there; the blob is None where it is not known
        without reading the file.
        """
        return None

    def mode(self, path: str) -> int | None:
        """Git's mode of a path, None where nothing is there."""
        found = self.entry(path)
        return None if found is None else found[0]

    def data(self, path: str) -> bytes | None:
        """The bytes of a regular file, None where there is none."""
        found = self.entry(path)
        return None if found is None else self.load(path, *found)

    def load(self, path: str, mode: int, oid: str | None) -> bytes | None:
        """The bytes of a file that has this mode and blob at a path; None where it is not a regular file."""
        return None

    def listing(self, folder: str) -> Mapping[str, int]:
        """The names of what lies directly in a folder, with git's mode; the folder is empty or ends in a slash.
        Folders that hold no file, however deep, are left out.
        """
        return {}

    def names(self, folder: str) -> Sequence[str]:
        """The names of the regular files directly in a folder, sorted."""
        found = self.listing(folder).items()
        return sorted([name for name, mode in found if mode & 0o170000 == 0o100000])

    def folders(self, folder: str) -> Sequence[str]:
        """The names of the folders directly in a folder, sorted."""
        return sorted([name for name, mode in self.listing(folder).items() if mode == FOLDER])

    def last_good(self, path: str, is_good: Callable[[bytes], bool]) -> bytes | None:
        """The newest version of a file in history for which `is_good` is true; None where there is none or the
        state has no history.
        """
        return None


NO_FILES = FileTree()


class EditedTree(FileTree):
    """A state with some files edited.

    Attributes:
        below: the state without the edits.
        edits: by path, the bytes of a file or what else lies there, None where nothing does. Whoever has them may
            add to them.
    """

    def __init__(self, below: FileTree, edits: Mapping[str, bytes | Edit | None]) -> None:
        self.below = below
        self.edits = edits
        # by folder, what edits name directly in it; a folder in it ends in a slash
        self._edited: dict[str, set[str]] = {}
        self._grouped = 0

    def regroup(self) -> None:
        """To be called where an edit was taken back."""
        self._edited.clear()
        self._grouped = 0

    def paths(self) -> Iterable[str]:
        kept = [path for path in self.below.paths() if self.edits.get(path, b"") is not None]
        new = [
            path for path, edit in self.edits.items() if edit is not None and self.below.mode(path) is None
        ]
        return sorted([*kept, *new]) if new else kept

    def entry(self, path: str) -> tuple[int, str | None] | None:
        if path not in self.edits:
            return self.below.entry(path)
        edit = self.edits[path]
        if edit is None:
            return None
        return (edit.mode, edit.oid) if isinstance(edit, Edit) else (REGULAR, None)

    def data(self, path: str) -> bytes | None:
        if path not in self.edits:
            return self.below.data(path)
        edit = self.edits[path]
        if not isinstance(edit, Edit):
            return edit
        return edit.data if edit.data is not None else self.below.load(path, edit.mode, edit.oid)

    def load(self, path: str, mode: int, oid: str | None) -> bytes | None:
        return self.below.load(path, mode, oid)

    def last_good(self, path: str, is_good: Callable[[bytes], bool]) -> bytes | None:
        return self.below.last_good(path, is_good)

    def listing(self, folder: str) -> Mapping[str, int]:
        named = self._edits_in(folder)
        if not named:
            return self.below.listing(folder)
        found = dict(self.below.listing(folder))
        for name in named:
            path = folder + name
            mode = self.mode(path) if name[-1] != "/" else FOLDER if self._alive(path) else None
            if mode is None:
                found.pop(name.rstrip("/"), None)
            else:
                found[name.rstrip("/")] = mode
        return found

    def _alive(self, folder: str) -> bool:
        """Whether a folder that edits name still holds a file once they are made."""
        if any(self.edits.get(folder + name) is not None for name in self._edits_in(folder)):
            return True
        return bool(self.listing(folder))

    def _edits_in(self, folder: str) -> Collection[str]:
        """What the edits name directly in a folder.

        Grouped as they come, so that a batch is not gone through for each folder.
        """
        path: str
        new = len(self.edits) - self._grouped
        for path in islice(reversed(self.edits), new):  # type: ignore[arg-type]
            name: str = path.rpartition("/")[2]
            self._group(path[: len(path) - len(name)]).add(name)
        self._grouped = len(self.edits)
        return self._edited.get(folder, ())

    def _group(self, folder: str) -> set[str]:
        """The group of a folder, which its own folder names."""
        group = self._edited.get(folder)
        if group is None:
            group = self._edited[folder] = set()
            if folder:
                name = folder[:-1].rpartition("/")[2] + "/"
                self._group(folder[: len(folder) - len(name)]).add(name)
        return group
