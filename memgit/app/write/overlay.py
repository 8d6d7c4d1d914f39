"""The files and records of a state with the edits of an operation on top."""

from __future__ import annotations

from itertools import islice

from memgit import TYPE_CHECKING
from memgit.app.read.reader import CachedReader, TreeFiles, open_reader
from memgit.app.workspace import Workspace
from memgit.errors import Ambiguous, BadInput, Broken, MemgitError, NotFound
from memgit.formats.codecs import parse_file
from memgit.formats.text import MAX_BYTES
from memgit.git.history.history import touching
from memgit.git.objects.tree import Tree
from memgit.git.repository import Repository
from memgit.model.layout import Layout
from memgit.model.record import ParsedFile, Problem, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence


MAX_VERSIONS = 500
"""How many versions of a broken derived file are looked at."""


class Overlay(TreeFiles):
    """The files of the newest commit with the edits of the operation so far on top; also what derived files
    look at.

    `commit` is the commit of the tree, from which `last_good` looks back; HEAD unless given.
    """

    def __init__(self, workspace: Workspace, repo: Repository, tree: Tree, commit: str | None = None) -> None:
        super().__init__(repo, tree, workspace.layout.folders())
        self.workspace = workspace
        self.layout: Layout = workspace.layout
        self.repo = repo
        self.tree = tree
        self.commit = commit
        self.notes: tuple[str, ...] = ()
        self.problems: dict[str, tuple[Problem, ...]] = {}  # derived files that cannot be written, and why
        self.edits: dict[str, bytes | None] = {}
        # by folder, what edits name directly in it; a folder in it ends in a slash
        self._edited: dict[str, set[str]] = {}
        self._grouped = 0
        self.soft: frozenset[str] = frozenset()
        self._parsed: dict[str, ParsedFile] = {}  # of edited files
        self._committed: dict[str, ParsedFile] = {}

    def unedited(self) -> Overlay:
        """The commit without the edits; what was understood of it is shared."""
        overlay = Overlay(self.workspace, self.repo, self.tree, self.commit)
        overlay._committed = self._committed
        return overlay

    def at(self, tree: Tree) -> Overlay:
        """Another tree without edits; what was understood of this one is shared where it is the same."""
        return self.unedited() if tree == self.tree else Overlay(self.workspace, self.repo, tree)

    def as_now(self) -> Overlay:
        """An overlay with the edits so far; later ones do not show on it. What was understood is shared."""
        overlay = self.unedited()
        overlay.edits, overlay._parsed = dict(self.edits), dict(self._parsed)
        return overlay

    def data(self, path: str) -> bytes | None:
        return self.edits[path] if path in self.edits else super().data(path)

    def paths(self) -> Iterator[str]:
        for path in super().paths():
            if self.edits.get(path, b"") is not None:
                yield path
        committed = self.tree
        yield from sorted(
            path for path, data in self.edits.items() if data is not None and committed.get(path) is None
        )

    def put(self, path: str, data: bytes | None) -> None:
        """Edits one file; None deletes it.

        Raises:
            BadInput: the file would be larger than memgit reads.
        """
        if data is not None and len(data) > MAX_BYTES:
            raise BadInput(
                f"the file would have {len(data) / 1e6:.1f} MB; the limit is {MAX_BYTES / 1e6:.1f} MB",
                path=path,
                hint="keep large material in a file of its own and link to it",
            )
        self.edits[path] = data
        self._parsed.pop(path, None)

    def take_parsed(self, path: str, parsed: ParsedFile) -> None:
        """Takes it from the caller what an edited file holds."""
        self._parsed[path] = parsed

    def take_off(self, path: str) -> None:
        """Takes the edit of a file back."""
        self.edits.pop(path, None)
        self._parsed.pop(path, None)
        self._edited.clear()
        self._grouped = 0

    def parsed(self, path: str) -> ParsedFile:
        held = self._parsed if path in self.edits else self._committed
        if path not in held:
            held[path] = self._read(path)
        return held[path]

    def _read(self, path: str) -> ParsedFile:
        """What a file holds, understood anew."""
        data = self.data(path)
        return parse_file(self.layout, path, data)

    def written(self) -> Iterator[Record]:
        """The records of the files that edits leave, as they leave them."""
        for path, data in self.edits.items():
            if data is not None and self.layout.find(path) is not None:
                yield from self.parsed(path).records

    def last_good(self, path: str, is_good: Callable[[bytes], bool]) -> bytes | None:
        """The newest version of a file in history that is good, at most `MAX_VERSIONS` versions back; None
        where there is none.
        """
        commit = self.commit or self.repo.head().commit
        if commit is None:
            return None
        for older in touching(self.repo, commit, [path], MAX_VERSIONS):
            data = self.repo.tree(older).data(path)
            if data is not None and is_good(data):
                return data
        return None

    def names(self, folder: str) -> Sequence[str]:
        found = {name for name, mode, _ in self.tree.list(folder) if mode & 0o170000 == 0o100000}
        for name in self._edits_in(folder):
            if not name.endswith("/"):
                (found.discard if self.edits[folder + name] is None else found.add)(name)
        return sorted(found)

    def folders(self, folder: str) -> Sequence[str]:
        found = {name for name, mode, _ in self.tree.list(folder) if mode == 0o040000}
        for name in self._edits_in(folder):
            if name.endswith("/"):
                (found.add if self._alive(folder + name) else found.discard)(name[:-1])
        return sorted(found)

    def _alive(self, folder: str) -> bool:
        """Whether a folder that edits name still holds a file once they are made."""
        edits = [self.edits[path] for path in self._edits_below(folder)]
        if any(data is not None for data in edits):
            return True
        return any(self.edits.get(path, b"") is not None for path, _, _ in self.tree.walk(folder))

    def _edits_below(self, folder: str) -> Iterator[str]:
        """The paths of the edits in a folder, however deep."""
        for name in self._edits_in(folder):
            if name.endswith("/"):
                yield from self._edits_below(folder + name)
            else:
                yield folder + name

    def _edits_in(self, folder: str) -> Collection[str]:
        """What the edits name directly in a folder.

        Grouped as they come, so that a batch is not gone through for each folder.
        """
        for path in islice(reversed(self.edits), len(self.edits) - self._grouped):
            name = path.rpartition("/")[2]
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


class OverlayReader(CachedReader):
    """Reads the newest commit with the edits of the operation so far: full addresses and files as they are
    now, everything else as before the operation.
    """

    def __init__(self, workspace: Workspace, overlay: Overlay, revision: str | None) -> None:
        label = "" if workspace.proposal is None else "at"
        super().__init__(workspace, overlay.repo, overlay, revision, False, label=label)
        self._overlay = overlay
        committed = overlay.repo.tree(revision)
        if overlay.tree != committed:  # an operation upon what is staged
            rows = committed.diff(overlay.tree)
            self.count_in(
                {
                    path: overlay.tree.data(path)
                    for path, _, _ in rows
                    if workspace.layout.find(path) is not None
                }
            )

    def find(self, text: str) -> Record:
        try:
            return super().find(text)
        except (Ambiguous, Broken):
            raise
        except NotFound as error:
            found = self._in_working_tree(text)
            if found is None:
                raise self._damaged() or error from None
            raise BadInput(
                f"{found.address} is not committed yet",
                path=found.path,
                line=found.line,
                hint=self._next_step(found.path),
            ) from None

    def _damaged(self) -> Broken | None:
        """The error where a record file cannot be read from the repository: it may hold what was asked for."""
        for path, problem in self.problems():
            if problem.message.startswith("object "):
                return Broken(problem.message, path=path, hint="git fsck")
        return None

    def _next_step(self, path: str) -> str:
        """How an edited file gets committed: where it cannot be understood, by fixing it first."""
        problem = next((one for one in open_reader(self.workspace).file(path).problems if one.fatal), None)
        return (
            f"memgit commit {path}"
            if problem is None
            else f"line {problem.line}: {problem.message}; fix it, then memgit commit {path}"
        )

    def _in_working_tree(self, text: str) -> Record | None:
        """The record that the working tree has by that name, where the newest commit has none."""
        try:
            return open_reader(self.workspace).find(text)
        except MemgitError:
            return None

    def file(self, path: str) -> ParsedFile:
        return self._overlay.parsed(path)

    def _lookup(self, text: str) -> list[Record]:
        """By the names before the operation, as the records are now; one that the operation moved is not
        found so.
        """
        found = []
        for record in super()._lookup(text):
            now = self._overlay.parsed(record.path).records
            found += [
                other for other in now if other.address == record.address and record.id in (None, other.id)
            ]
        return found
