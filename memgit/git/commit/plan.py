"""What a change will do to the working tree and to the index, decided before anything that the user can see
is touched.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import paths
from memgit.git.objects.tree import EXECUTABLE, FILE, Entry, Tree
from memgit.git.worktree import index
from memgit.git.worktree.filters import Conversion, in_force
from memgit.git.worktree.index import Staged
from memgit.git.worktree.three_way_apply import (
    Action,
    Carried,
    Edit,
    Merge,
    carry,
    missing_entry,
    missing_file,
)
from memgit.git.worktree.worktree import Found, Worktree
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memgit.git.repository import Repository


class FilePlan(NamedTuple):
    """What is to happen to one file of the working tree.

    Attributes:
        data: what to write, as it is to lie in the working tree.
        found: the file as it is, None where there is none.
        fresh: afterwards the file is the commit's content, to the byte, with no filter between.
        there: the file is the commit's content already: the user's own edit is what is committed.
    """

    edit: Edit
    action: Action
    data: bytes | None
    found: Found | None
    fresh: bool
    there: bool

    def has_mode(self, entry: Entry | None) -> bool:
        """Whether the file's executable bit is that of an entry."""
        return (
            entry is None or self.found is None or bool(self.found.mode & 0o100) == (entry.mode == EXECUTABLE)
        )


class IndexPlan(NamedTuple):
    """What is to happen to one path of the index: what it holds, what it shall hold, and whether that is a
    change.
    """

    path: str
    was: Staged | None
    now: Entry | None
    change: bool

    @property
    def before(self) -> Entry | None:
        """The entry that it holds."""
        return None if self.was is None else self.was.entry


class Plan:
    """The plans for one change, from one state of HEAD, the index and the working tree.

    Attributes:
        whole: HEAD's whole tree.
        pinned: the index as it was read.
    """

    def __init__(self, repo: Repository, whole: Tree, merge: Merge, work: str) -> None:
        self.repo = repo
        self.whole = whole
        self.merge = merge
        self.work = work
        self.there: set[str] = set()

    def read_index(self, edits: Sequence[Edit]) -> None:
        """Looks at what is staged for the paths of some edits."""
        self.pinned = index.pin(self.repo, f"{self.work}/index")
        self.rows = index.staged(self.repo, self.pinned, [edit.path for edit in edits])

    def files(self, edits: Sequence[Edit]) -> list[FilePlan]:
        """What becomes of each file of the working tree.

        Raises:
            Refused: the user's edits stand in the way.
        """
        repo = self.repo
        level = in_force(repo, self.whole, [edit.path for edit in edits])
        found = self._found(edits)
        odd = [path for path, file in found.items() if file is not None and level.concerns(file.data)]
        oids = index.cleaned(repo, self.pinned, f"{self.work}/scratch", odd) if odd else {}
        plans = [self._file(edit, found[edit.path], oids.get(edit.path)) for edit in edits]
        self.there = {plan.edit.path for plan in plans if plan.there}
        return plans if level is Conversion.NONE else self._checked_out(plans, level)

    def _found(self, edits: Sequence[Edit]) -> dict[str, Found | None]:
        found: dict[str, Found | None] = {}
        with Worktree(self.repo.worktree or "") as files:
            for edit in edits:
                held = self.whole.get(edit.path)
                try:
                    found[edit.path] = None if held is not None and held.is_tree else files.read(edit.path)
                except Refused as error:
                    error.path = edit.name
                    raise
                except OSError as error:
                    raise Refused(f"cannot be read: {error.strerror}", path=edit.name) from error
        if self.repo.settings.truth("core.ignorecase"):
            gone = {paths.fold(edit.path) for edit in edits if edit.new is None}
            for edit in edits:
                if edit.base is None and paths.fold(edit.path) in gone:
                    found[edit.path] = None  # what lies there is the file that this change renames by case
        return found

    def _file(self, edit: Edit, file: Found | None, oid: str | None) -> FilePlan:
        """The plan for one file; `oid` is its blob where git converts it on the way in."""
        if file is None:
            row = self.rows[edit.path]
            outside = row is not None and row.skipped
            action = Action.KEEP if outside else missing_file(edit).action
            removed = edit.new is None
            return FilePlan(
                edit,
                action,
                edit.data,
                None,
                fresh=removed or action is Action.NEW,
                there=removed and not outside,
            )
        have = oid or self.repo.hash_blob(file.data)
        carried = carry(
            edit, have, _content(self.repo, file.data, oid), self.repo.blob, self.merge, staged=False
        )
        same = edit.new is not None and have == edit.new.oid
        fresh = carried.action in (Action.NEW, Action.GONE) or (same and oid is None)
        data = carried.data if carried.action is Action.MERGED else edit.data
        return FilePlan(edit, carried.action, data, file, fresh, same)

    def _checked_out(self, plans: list[FilePlan], level: Conversion) -> list[FilePlan]:
        """The plans with what is to be written as git would check it out."""
        entries = {}
        if level is Conversion.ANY:
            for plan in plans:
                if plan.action in (Action.NEW, Action.MERGED) and plan.data is not None:
                    entries[plan.edit.path] = Entry(FILE, self.repo.write_blob(plan.data))
        out: Mapping[str, bytes] = {}
        if entries:
            out = index.checked_out(
                self.repo, self.pinned, f"{self.work}/scratch", f"{self.work}/out", entries
            )
        return [
            plan._replace(
                data=out.get(plan.edit.path, plan.data),
                fresh=plan.fresh and not level.concerns(plan.data or b""),
            )
            for plan in plans
        ]

    def index(self, edits: Sequence[Edit]) -> list[IndexPlan]:
        """What becomes of each path of the index.

        Raises:
            Refused: what the user has staged stands in the way.
        """
        return [self._entry(edit, self.rows[edit.path]) for edit in edits]

    def _entry(self, edit: Edit, row: Staged | None) -> IndexPlan:
        repo = self.repo
        if edit.path in self.there:
            # As `git commit -- path` does: what is committed is the file, so that is staged, whatever was.
            return IndexPlan(
                edit.path,
                row,
                edit.new,
                (row and row.entry) != edit.new or (row is not None and row.conflicted),
            )
        if row is None:
            added = missing_entry(edit).action is Action.NEW
            return IndexPlan(edit.path, None, edit.new if added else None, added)
        if row.conflicted:
            if not edit.soft:
                raise Refused(
                    "has an unresolved merge conflict in git's index",
                    path=edit.name,
                    hint="resolve it and git add the file",
                )
            return IndexPlan(edit.path, row, row.entry, False)
        if row.entry == edit.base:
            return IndexPlan(edit.path, row, edit.new, row.entry != edit.new)
        if any(entry is not None and not entry.is_file for entry in (row.entry, edit.base, edit.new)):
            return IndexPlan(edit.path, row, row.entry, False)
        carried: Carried = carry(
            edit, row.entry.oid, lambda: repo.blob(row.entry.oid), repo.blob, self.merge, staged=True
        )
        if carried.action is Action.KEEP:
            return IndexPlan(edit.path, row, row.entry, False)
        if carried.action is Action.GONE or edit.new is None:
            return IndexPlan(edit.path, row, None, True)
        oid = edit.new.oid if carried.data is None else repo.write_blob(carried.data)
        return IndexPlan(edit.path, row, Entry(row.entry.mode, oid), True)


def edits_of(
    repo: Repository, whole: Tree, wanted: Mapping[str, bytes | None], soft: frozenset[str]
) -> list[Edit]:
    """The paths in which a change differs from HEAD: removals first, so that a file can make place for a
    folder.

    Args:
        whole: HEAD's whole tree.
        wanted: new content by path from the knowledge root, None for a removal.
        soft: the derived files among them.

    Raises:
        Refused: a path must not be written.
    """
    prefix = repo.prefix
    try:
        paths.check(repo, whole, {prefix + name: data for name, data in wanted.items()})
    except Refused as error:
        error.path = error.path and error.path.removeprefix(prefix)
        raise
    found = []
    for name, data in wanted.items():
        path = prefix + name
        base = whole.get(path)
        if base is not None and base.is_tree:
            base = None  # a folder that this change empties
        if data is None:
            if base is not None:
                found.append(Edit(path, name, base, None, None, name in soft))
            continue
        oid = repo.hash_blob(data)
        if base is None or base.oid != oid:
            mode = EXECUTABLE if base is not None and base.mode == EXECUTABLE else FILE
            found.append(Edit(path, name, base, Entry(mode, oid), data, name in soft))
    found.sort(key=lambda edit: (edit.new is not None, not edit.path.endswith(".gitattributes"), edit.path))
    return found


def edits_between(repo: Repository, old: Tree, new: Tree, planned: Sequence[Edit]) -> list[Edit]:
    """What a commit really holds, after hooks have had their way with what was planned.

    What they added is soft: the user's version of it stays. What they took out is planned to be as it was.
    """
    left = {edit.path: edit for edit in planned}
    out = []
    for path, base, entry in old.changes(new):
        edit = left.pop(path, None)
        if edit is not None and edit.new == entry:
            out.append(edit)
            continue
        data = repo.blob(entry.oid) if entry is not None and entry.is_file else None
        out.append(Edit(path, path, base, entry, data, True))
    return out + [edit._replace(new=edit.base, soft=True) for edit in left.values()]


def _content(repo: Repository, data: bytes, oid: str | None) -> Callable[[], bytes]:
    return (lambda: data) if oid is None else (lambda: repo.blob(oid))
