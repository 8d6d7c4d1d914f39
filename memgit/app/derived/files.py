"""The derived files of one state as they should be, beside what they are: of a commit, or of the working
tree.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from memgit.app.config import NAME
from memgit.app.workspace import Workspace
from memgit.app.write import category_names
from memgit.app.write.overlay import MAX_VERSIONS, Overlay
from memgit.derive import affected_paths, is_derived, render_all, table
from memgit.derive.view import Rendered
from memgit.errors import UnreadableFile
from memgit.formats.codecs import parse_file
from memgit.formats.merging.linediff import first_line
from memgit.git.history.history import touching
from memgit.git.objects.files import ignored_files
from memgit.git.objects.tree import Tree
from memgit.git.repository import Repository
from memgit.git.worktree.filetrees import DiskTree
from memgit.git.worktree.filters import cleaned, in_force
from memgit.git.worktree.status import dirty
from memgit.model.layout import Layout, Place
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import ParsedFile, Problem, Record


class Difference(NamedTuple):
    """What is wrong with one file: its path, the first line concerned, and what it is, in words."""

    path: str
    line: int
    message: str


class Kept:
    """Files as they were parsed for the cache, without their texts: what derived files ask of them."""

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._files: dict[str, tuple[bytes, ParsedFile]] = {}
        self._wanted: dict[str, bool] = {}

    def parse(
        self,
        layout: Layout,
        path: str,
        data: bytes,
        found: tuple[Place, str] | None = None,
        *,
        blob: bytes | None = None,
    ) -> ParsedFile:
        """As `parse_file`, remembering the result where a derived file may ask for it.

        `blob` is the hash of the bytes, if it is known.
        """
        parsed = parse_file(layout, path, data, found)
        folder = path.rpartition("/")[0]
        if folder not in self._wanted:  # what one record file of a folder affects, all do
            self._wanted[folder] = bool(affected_paths(layout, [path]))
        if self._wanted[folder]:
            self._files[path] = (blob or bytes.fromhex(self._repo.hash_blob(data)), light(parsed))
        return parsed

    def get(self, path: str, oid: str) -> ParsedFile | None:
        held = self._files.get(path)
        return held[1] if held is not None and held[0].hex() == oid else None


def light(parsed: ParsedFile) -> ParsedFile:
    """A parsed file whose records say of their text only whether they have one."""
    records = tuple(
        [Record(*record[:8], "…", record.problem) if record.body else record for record in parsed.records]
    )
    return ParsedFile(records, parsed.problems, parsed.meta)


class State(Overlay):
    """One state and what was found in it.

    Attributes:
        working: whether it is that of the working tree.
        found: files of the working tree that differ from the commit, as they were found.
        odd: paths at which no plain file lies, and what does.
        indexes: where its derived files belong (see `Workspace.indexes`).
        has_untracked: whether the working tree has records that git does not have.
    """

    def __init__(
        self, workspace: Workspace, repo: Repository, tree: Tree, commit: str | None, kept: Kept | None = None
    ) -> None:
        super().__init__(workspace, repo, tree, commit)
        self.working = False
        self.found: dict[str, bytes | None] = {}
        self.odd: dict[str, str] = {}
        self.has_untracked = False
        self.indexes = workspace.indexes()
        self._kept = kept

    def _parse(self, path: str, data: bytes | None = None) -> ParsedFile:
        entry = None if path in self.edits or self._kept is None else self.tree.get(path)
        held = self._kept.get(path, entry.oid) if entry is not None and self._kept is not None else None
        return light(super()._parse(path, data)) if held is None else held

    def before(self, path: str) -> bytes | None:
        """A file as it was found."""
        return self.found[path] if path in self.found else self.tree.data(path)

    def find(self, path: str, data: bytes | None) -> None:
        """Notes what lies in the working tree."""
        self.found[path] = data
        self.edits[path] = data
        self._parsed.pop(path, None)


def of_commit(
    workspace: Workspace,
    repo: Repository,
    commit: str | None,
    kept: Kept | None = None,
    branch: str | None = None,
) -> State:
    """The state of a commit, of the branch that is checked out unless another is named (see `Workspace.indexes`)."""
    state = State(workspace, repo, repo.tree(commit), commit, kept)
    state.indexes = workspace.indexes(branch)
    return state


def of_working_tree(
    workspace: Workspace,
    repo: Repository,
    kept: Kept | None = None,
    ignored: Iterable[str] | None = None,
    *,
    untracked: bool = True,
) -> State:
    """The newest commit with what the working tree says otherwise, as git would store it.

    Args:
        ignored: the derived files that git ignores, where not all of them are asked for.
        untracked: whether records count that git does not have yet.
    """
    layout = workspace.layout
    commit = repo.head().commit
    state = State(workspace, repo, repo.tree(commit), commit, kept)
    state.working = True
    paths = []
    for path, kind in dirty(repo):
        record = layout.find(path) is not None and not is_derived(layout, path)
        if record and kind == "untracked":
            state.has_untracked = True
            if not untracked:
                continue
        if record or path == NAME or is_derived(layout, path):
            paths.append(path)
    if state.indexes == "local":
        found = ignored_files(repo) if ignored is None else ignored
        paths += [path for path in found if is_derived(layout, path) and path not in paths]
    # git says nothing of a file that it ignores; an index must not be taken for lost because of that.
    paths += [
        path for path in category_names.indexes(layout) if state.tree.get(path) is None and path not in paths
    ]
    _take(state, workspace, repo, paths)
    return state


def _take(state: State, workspace: Workspace, repo: Repository, paths: Iterable[str]) -> None:
    paths = list(paths)
    if not paths:
        return
    files = DiskTree(workspace.root or "", repo)
    whole = Tree(repo, None if state.commit is None else repo.tree_of(state.commit))
    level = in_force(repo, whole, [repo.prefix + path for path in paths])
    for path in paths:
        try:
            data = files.data(path)
        except UnreadableFile as error:
            state.odd[path] = error.message
            continue
        if data is None and os.path.lexists(os.path.join(workspace.root or "", path)):
            state.odd[path] = "it is a link or a folder, not a file"
            if not is_derived(state.layout, path):
                state.find(path, None)
            continue
        state.find(path, cleaned(repo, path, data) if data is not None and level.concerns(data) else data)


def derive(state: State) -> tuple[dict[str, Rendered], tuple[str, ...]]:
    """Every derived file of a state as it should be, and what the user should be told.

    What cannot be derived comes from the files that are there, and where one is missing from its last version
    in history. Names that were changed in an index alone are put into the files of their categories, on the
    overlay.
    """
    for path, data in state.found.items():
        held = state.tree.data(path) if data is None and is_derived(state.layout, path) else None
        if held is not None:
            state.put(path, held)
    notes = category_names.keep(state, None)
    rendered = render_all(state)
    missing = [path for path, one in rendered.items() if one.data is not None and state.data(path) is None]
    if state.working:
        # git says nothing of a file that it ignores.
        _take(state, state.workspace, state.repo, [path for path in missing if path not in state.found])
    lost = [path for path in missing if state.data(path) is None and path not in state.odd]
    for path, data in _from_history(state, lost).items():
        state.put(path, data)
    again = {path for path in missing if state.data(path) is not None}
    if again:
        for derived in table(state.layout):
            rendered.update(
                {path: derived.build(state, path) for path in derived.paths(state) if path in again}
            )
    for path, what in state.odd.items():
        if path in rendered:
            rendered[path] = Rendered(state.before(path), (Problem("MG001", 1, what, fatal=True),))
    return rendered, notes


def _from_history(state: State, paths: list[str]) -> Mapping[str, bytes]:
    """The last version of each file that history has."""
    out: dict[str, bytes] = {}
    commit = state.commit
    if commit is None or not paths:
        return out
    out.update({path: data for path in paths if (data := state.tree.data(path)) is not None})
    waiting = [path for path in paths if path not in out]
    if not waiting:
        return out
    for older in touching(state.repo, commit, waiting, MAX_VERSIONS):
        tree = state.repo.tree(older)
        out.update(
            {path: data for path in waiting if path not in out and (data := tree.data(path)) is not None}
        )
        if len(out) == len(paths):
            break
    return out


def differences(state: State, rendered: Mapping[str, Rendered]) -> list[Difference]:
    """The files that are not as they should be, by path.

    Derived files that are kept out of commits are compared only where they are there, those of a branch that leaves
    them to the default one not at all. A file may be without the records that git does not have yet: the commit that
    takes them brings their lines.
    """
    out: list[Difference] = []
    if state.indexes == "elsewhere":
        return out
    local = state.indexes == "local"
    for path, one in rendered.items():
        before = state.before(path)
        if local and before is None:
            continue
        out += [Difference(path, problem.line, problem.message) for problem in one.problems]
        if one.data != before and not one.problems:
            out.append(Difference(path, first_line(before, one.data), _words(before, one.data)))
    for path, data in sorted(state.edits.items()):
        if path not in rendered and data != state.before(path):
            out.append(
                Difference(
                    path,
                    1,
                    "a name or keywords that were set in the index alone are missing in the frontmatter",
                )
            )
    if out and state.has_untracked:
        tracked = of_working_tree(state.workspace, state.repo, untracked=False)
        without = derive(tracked)[0]
        right = {
            path for path, one in without.items() if one.data == tracked.before(path) and not one.problems
        }
        out = [one for one in out if one.path not in right]
    return sorted(out)


def _words(before: bytes | None, after: bytes | None) -> str:
    if before is None:
        return "this derived file is missing"
    return (
        "a derived file of nothing: no record is left that it could list"
        if after is None
        else "not what the records give"
    )
