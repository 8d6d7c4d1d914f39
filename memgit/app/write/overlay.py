"""The files and records of a state with the edits of an operation on top."""

from __future__ import annotations

from collections.abc import Iterable

from memgit import TYPE_CHECKING
from memgit.app.read.reader import CachedReader, open_reader
from memgit.app.workspace import Workspace
from memgit.derive.view import View
from memgit.errors import Ambiguous, BadInput, Broken, MemgitError, NotFound
from memgit.formats.text import MAX_BYTES
from memgit.git.objects.tree import Tree
from memgit.git.repository import Repository
from memgit.git.worktree.filetrees import CommitTree
from memgit.model.filetree import EditedTree
from memgit.model.record import ParsedFile, Problem, Record

if TYPE_CHECKING:
    from collections.abc import Iterator


MAX_VERSIONS = 500
"""How many versions of a broken derived file are looked at."""


class Overlay(View):
    """The files of the newest commit with the edits of the operation so far on top; also what derived files
    look at.

    `commit` is the commit of the tree, from which `last_good` looks back; HEAD unless given.
    """

    def __init__(self, workspace: Workspace, repo: Repository, tree: Tree, commit: str | None = None) -> None:
        self.edits: dict[str, bytes | None] = {}
        below = CommitTree(repo, tree, commit or repo.head().commit)
        self.files: EditedTree
        super().__init__(workspace.layout, EditedTree(below, self.edits))
        self.workspace = workspace
        self.repo = repo
        self.tree = tree
        self.commit = commit
        self.notes: tuple[str, ...] = ()
        self.problems: dict[str, tuple[Problem, ...]] = {}  # derived files that cannot be written, and why
        self.soft: frozenset[str] = frozenset()
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
        overlay.edits.update(self.edits)
        overlay._parsed = dict(self._parsed)
        return overlay

    def paths(self) -> Iterable[str]:
        """The path of every file, sorted."""
        return self.files.paths()

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
        self.files.regroup()

    def parsed(self, path: str) -> ParsedFile:
        held = self._parsed if path in self.edits else self._committed
        if path not in held:
            held[path] = self._parse(path)
        return held[path]

    def written(self) -> Iterator[Record]:
        """The records of the files that edits leave, as they leave them."""
        for path, data in self.edits.items():
            if data is not None and self.layout.find(path) is not None:
                yield from self.parsed(path).records


class OverlayReader(CachedReader):
    """Reads the newest commit with the edits of the operation so far: full addresses and files as they are
    now, everything else as before the operation.
    """

    def __init__(self, workspace: Workspace, overlay: Overlay, revision: str | None) -> None:
        label = "" if workspace.proposal is None else "at"
        super().__init__(workspace, overlay.repo, overlay.files, revision, False, label=label)
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
