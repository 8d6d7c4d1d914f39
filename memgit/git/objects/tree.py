"""Trees: reading one path, listing, walking, comparing, and writing a new tree that differs in a few paths.

Names are bytes in git and text with surrogateescape here. A tree object is parsed here rather than by
libgit2, whose Python side can neither take a name that is not UTF-8 nor rewrite one entry without building
all of them.
"""

from __future__ import annotations

import re

from memgit import TYPE_CHECKING
from memgit.errors import Broken, Refused
from memgit.git import process
from memgit.git.objects import libgit
from memgit.git.objects.objects import hash_of
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Protocol, TypeAlias

    from memgit.git.process import Place

    class Store(Place, Protocol):
        """What trees need of a repository."""

        def entries(self, tree: str) -> TreeEntries: ...
        def blob(self, oid: str) -> bytes: ...
        def write(self, kind: int, data: bytes) -> str: ...


EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
FILE, EXECUTABLE, LINK, FOLDER, SUBMODULE = 0o100644, 0o100755, 0o120000, 0o040000, 0o160000
_ENTRY = pattern(rb"([0-7]{5,6}) ([^\0]+)\0(.{20})", re.DOTALL)


class Entry(NamedTuple):
    """One entry of a tree: git's mode and the hash of what it names."""

    mode: int
    oid: str

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file, executable or not."""
        return self.mode & 0o170000 == 0o100000

    @property
    def is_tree(self) -> bool:
        """Whether it is a folder."""
        return self.mode == FOLDER


TreeEntries: TypeAlias = "Mapping[str, Entry]"
Rows: TypeAlias = list[tuple[str, int, str]]
FileDeltas: TypeAlias = list[tuple[str, str | None, str | None]]


class Delta(NamedTuple):
    """One path in which two trees differ; an entry is None on the side where the path is not, or is a folder."""

    path: str
    old: Entry | None
    new: Entry | None


Deltas: TypeAlias = list[Delta]


def parse_tree(data: bytes) -> dict[str, Entry]:
    """The entries of a raw tree object by name, in the tree's own order."""
    return {
        name.decode("utf-8", "surrogateescape"): Entry(int(mode, 8), oid.hex())
        for mode, name, oid in _ENTRY.findall(data)
    }


def format_tree(entries: Mapping[str, Entry]) -> bytes:
    """The raw tree object of some entries, in git's order: by bytes, a folder as if its name ended in a
    slash.
    """
    rows = []
    for name, (mode, oid) in entries.items():
        raw = name.encode("utf-8", "surrogateescape")
        rows.append((raw + b"/" if mode == FOLDER else raw, b"%o %s\0" % (mode, raw) + bytes.fromhex(oid)))
    rows.sort()
    return b"".join([row for _, row in rows])


class Tree:
    """A tree of a repository, rooted where the caller asked for; read lazily, one folder at a time."""

    def __init__(self, repo: Store, oid: str | None) -> None:
        self._repo = repo
        self.oid = oid or EMPTY_TREE
        self._looked: tuple[str, TreeEntries | None] = ("", None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and self.oid == other.oid

    def __hash__(self) -> int:
        return hash(self.oid)

    def get(self, path: str) -> Entry | None:
        """The entry at a path (file, folder, symlink or submodule), or None."""
        name = path.rpartition("/")[2]
        folder = path[: len(path) - len(name)]
        looked, inside = self._looked
        if inside is None or looked != folder:
            inside = self._inside(folder)
            self._looked = folder, inside  # who asks for many paths asks for those of a folder together
        return inside.get(name)

    def _inside(self, folder: str) -> TreeEntries:
        """The entries of a folder, which is empty or ends in a slash; none where there is no such folder."""
        entries = self._repo.entries(self.oid)
        for name in folder.split("/")[:-1]:
            entry = entries.get(name)
            if entry is None or entry.mode != FOLDER:
                return {}
            entries = self._repo.entries(entry.oid)
        return entries

    def file(self, path: str) -> str | None:
        """The blob of a regular file, or None where there is none."""
        entry = self.get(path)
        return entry.oid if entry is not None and entry.is_file else None

    def data(self, path: str) -> bytes | None:
        """The content of a regular file, or None where there is none."""
        oid = self.file(path)
        try:
            return None if oid is None else self._repo.blob(oid)
        except Broken as error:
            error.path = path
            raise

    def list(self, folder: str = "") -> Rows:
        """Name, mode and hash of what lies directly in a folder (with or without its slash), in git's order."""
        folder = folder.rstrip("/")
        entry = self.get(folder) if folder else Entry(FOLDER, self.oid)
        if entry is None or entry.mode != FOLDER:
            return []
        return [(name, mode, oid) for name, (mode, oid) in self._repo.entries(entry.oid).items()]

    def walk(self, folder: str = "") -> Iterator[tuple[str, int, str]]:
        """Path, mode and hash of everything below a folder that is not a folder, sorted by the bytes of the
        path.
        """
        start = folder.rstrip("/")
        entry = self.get(start) if start else Entry(FOLDER, self.oid)
        if entry is not None and entry.mode == FOLDER:
            yield from self._walk(f"{start}/" if start else "", entry.oid)

    def listing(self, folders: Sequence[str] = ()) -> Iterator[tuple[str, int, str]]:
        """As `walk`, of some folders or of all, by one git process: libgit2 would keep a large pack in memory
        for it.

        Raises:
            Refused: git cannot read a tree.
        """
        if self.oid == EMPTY_TREE:
            return
        args = [*process.FRUGAL, "ls-tree", "-r", "-z", "--full-tree", self.oid]
        tail = b""
        for chunk in process.stream(args if "" in folders else [*args, "--", *folders], repo=self._repo):
            rows = (tail + chunk).split(b"\0")
            tail = rows.pop()
            for row in rows:
                head, _, path = row.partition(b"\t")
                mode, _, oid = head.split(b" ")
                yield path.decode("utf-8", "surrogateescape"), int(mode, 8), oid.decode("ascii")

    def _walk(self, prefix: str, oid: str) -> Iterator[tuple[str, int, str]]:
        for name, (mode, child) in self._repo.entries(oid).items():
            if mode == FOLDER:
                yield from self._walk(f"{prefix}{name}/", child)
            else:
                yield prefix + name, mode, child

    def diff(self, other: Tree) -> FileDeltas:
        """Paths whose regular file differs between this tree (old) and another (new), with the blobs on both
        sides.

        Symlinks and submodules are not files: a file that became one is gone (new None), and the reverse. No
        renames are looked for.
        """
        out = []
        for path, old, new in self.changes(other):
            one = old.oid if old is not None and old.is_file else None
            two = new.oid if new is not None and new.is_file else None
            if one != two:
                out.append((path, one, two))
        return out

    def changes(self, other: Tree) -> Deltas:
        """Every path that differs between this tree (old) and another (new), with modes: also symlinks,
        submodules and mode changes.
        """
        # Not by libgit2, which walks both trees whole (200 ms at 100,000 files): folders that are alike are
        # left out here.
        return sorted(
            _compare(self._repo, self.oid, other.oid, ""),
            key=lambda delta: delta.path.encode("utf-8", "surrogateescape"),
        )


def _compare(repo: Store, old: str, new: str, prefix: str) -> Iterator[Delta]:
    """What differs between two tree objects, folder by folder."""
    if old == new:
        return
    before, after = repo.entries(old), repo.entries(new)
    for name in before.keys() | after.keys():
        one, two = before.get(name), after.get(name)
        if one == two:
            continue
        path = prefix + name
        one_tree = one.oid if one is not None and one.is_tree else EMPTY_TREE
        two_tree = two.oid if two is not None and two.is_tree else EMPTY_TREE
        yield from _compare(repo, one_tree, two_tree, f"{path}/")
        one_file = None if one is None or one.is_tree else one
        two_file = None if two is None or two.is_tree else two
        if one_file != two_file:
            yield Delta(path, one_file, two_file)


def rewrite(repo: Store, tree: str | None, edits: Mapping[str, Entry | None]) -> str:
    """Writes the tree that differs from another in some paths, and returns its hash; only the folders on the
    way are written.

    Args:
        tree: hash of a whole tree, None for the empty one.
        edits: new entry by path, None to remove; an emptied folder goes as well.

    Raises:
        Refused: a path leads through something that is not a folder, or would replace a folder by a file.
    """
    return _rewrite(repo, tree or EMPTY_TREE, edits, "", _write) or _empty(repo)


def rewritten(repo: Store, tree: str | None, edits: Mapping[str, Entry | None]) -> str:
    """As `rewrite`, without writing anything: the hash that the tree has once somebody does."""
    return _rewrite(repo, tree or EMPTY_TREE, edits, "", _hashed) or EMPTY_TREE


def _write(repo: Store, data: bytes) -> str:
    return repo.write(libgit.TREE, data)


def _hashed(repo: Store, data: bytes) -> str:
    return hash_of(b"tree", data)


def _rewrite(
    repo: Store,
    tree: str,
    edits: Mapping[str, Entry | None],
    prefix: str,
    made: Callable[[Store, bytes], str],
) -> str | None:
    entries = dict(repo.entries(tree))
    below: dict[str, dict[str, Entry | None]] = {}
    here: dict[str, Entry] = {}
    for path, entry in edits.items():
        name, slash, rest = path.partition("/")
        if slash:
            below.setdefault(name, {})[rest] = entry
        elif entry is not None:
            here[name] = entry
        elif name in entries and entries[name].mode != FOLDER:
            del entries[name]
    for name, inner in below.items():
        old = entries.get(name)
        if old is not None and old.mode != FOLDER:
            if any(entry is not None for entry in inner.values()):
                raise Refused("is a file, so nothing can be written below it", path=prefix + name)
            continue
        new = _rewrite(repo, old.oid if old else EMPTY_TREE, inner, f"{prefix}{name}/", made)
        if new is None:
            entries.pop(name, None)
        else:
            entries[name] = Entry(FOLDER, new)
    for name, entry in here.items():
        old = entries.get(name)
        if old is not None and old.mode == FOLDER:
            raise Refused("is a folder, so no file of that name can be written", path=prefix + name)
        entries[name] = entry
    return made(repo, format_tree(entries)) if entries else None


def _empty(repo: Store) -> str:
    return repo.write(libgit.TREE, b"")
