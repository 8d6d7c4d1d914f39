"""Merging records as records after the fact, where git stopped at a conflict and no merge driver ran.

In a stopped merge, rebase, cherry-pick, revert, `am` or stash: every record file in conflict is merged from
its stages in the index, put into the working tree and staged where nothing conflicts any more, as a merge
tool would; then the derived files follow. A file that somebody has begun to settle by hand is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memgit.app.derived.staged import settle
from memgit.app.merge.driver import merge_one
from memgit.app.merge.in_memory import common_tree
from memgit.app.merge.tree_merge import TreeMerge, merge_bases, merge_trees
from memgit.app.merge.two_places import doubled, twice
from memgit.app.read.reader import CachedReader, open_reader
from memgit.app.workspace import Workspace
from memgit.derive import conflict as marked
from memgit.derive import is_derived
from memgit.errors import NotFound, Refused
from memgit.formats.merging.merge import Conflict, Merged, merge_file
from memgit.git.commit import recovery
from memgit.git.objects.tree import FILE, Entry, Tree
from memgit.git.repository import Repository
from memgit.git.worktree.checkout import Put, put
from memgit.git.worktree.filters import cleaned
from memgit.git.worktree.staged import staged
from memgit.git.worktree.unmerged import BASE, OURS, THEIRS, Stages, left_by_git, settlements, stage, unmerged
from memgit.git.worktree.worktree import Worktree
from memgit.model.printable import readable

NEXT = {
    # As `git merge --continue`, which opens an editor and so waits for ever where nobody is.
    "merge": "git commit --no-edit --cleanup=strip",
    # These open one as well, and have no option against it in every git.
    "rebase": "git -c core.editor=true rebase --continue",
    "cherry-pick": "git -c core.editor=true cherry-pick --continue",
    "revert": "git -c core.editor=true revert --continue",
    "am": "git am --continue",
}
_OPENING = re.compile(rb"^<{7} ([^\r\n]*)", re.MULTILINE)
_CLOSING = re.compile(rb"^>{7} ([^\r\n]*)", re.MULTILINE)


class Left(NamedTuple):
    """Something that a person has to settle: the file, the line of its marker and the record where they are
    known, and what it is.
    """

    path: str
    line: int | None
    address: str | None
    message: str

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "path": readable(self.path)}


class Resolved(NamedTuple):
    """What was done, and what is left.

    Attributes:
        operation: the operation of git that is under way, None for a stash or none at all.
        merged: the record files that were merged and staged.
        derived: the derived files that were staged anew.
        left: what a person has to settle.
        waiting: derived files that are in conflict until the records are not.
        notes: what else the user should be told.
    """

    operation: str | None
    merged: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    left: tuple[Left, ...] = ()
    waiting: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def next(self) -> str | None:
        """The command that goes on; None where there is nothing to go on with."""
        if self.left and self.operation is None and all("; fix: " in left.message for left in self.left):
            return "by the command that fixes each"
        if self.left:
            return "edit them, git add them, then memgit resolve"
        return NEXT.get(self.operation or "")

    def as_json(self) -> dict[str, Any]:
        return {
            "operation": self.operation,
            "merged": [readable(path) for path in self.merged],
            "derived": [readable(path) for path in self.derived],
            "left": [left.as_json() for left in self.left],
            "waiting": [readable(path) for path in self.waiting],
            "next": self.next,
        }


def resolve(workspace: Workspace, paths: Sequence[str] = (), *, force: bool = False) -> Resolved:
    """Merges what is in conflict in a knowledge root.

    Args:
        paths: files or folders, from the knowledge root; all by default.
        force: merge files anew that were edited since git stopped; the edits are lost.

    Raises:
        NotFound: nothing is in conflict under one of the paths.
        Refused: the repository is bare, another program holds the index, or a file cannot be written.
    """
    repo = workspace.writable()
    notes = recovery.mend(repo, recovery.WAIT)
    operation = repo.in_progress()
    found = unmerged(repo)
    inside = {
        path.removeprefix(repo.prefix): stages
        for path, stages in found.items()
        if path.startswith(repo.prefix)
    }
    for want in paths:
        if not any(_under(path, want) for path in inside):
            raise NotFound("nothing is in conflict there", path=want, hint="git status")
    if operation is not None and operation not in NEXT:
        return Resolved(operation, notes=notes)
    work = _Work(workspace, repo, inside, force)
    left: list[Left] = []
    wanted = [path for path in inside if not paths or any(_under(path, want) for want in paths)]
    derived = [path for path in inside if is_derived(workspace.layout, path)]
    for path in sorted(path for path in wanted if path not in derived):
        left += work.one(path, lambda path: work.record(path, inside[path]))
    work.write()
    if left or any(path not in wanted and path not in derived for path in inside):
        left += [
            Left(path, None, None, "is in conflict still")
            for path in inside
            if path not in wanted and path not in derived
        ]
        left += _outside(repo, found)
        return Resolved(operation, tuple(sorted(work.done)), (), tuple(left), tuple(derived), notes)
    given: dict[str, bytes | None] = {}
    have: dict[str, bytes | None] = {}
    for path in derived:
        left += work.one(path, lambda path: work.derived(path, inside[path], given, have))
    work.write()
    settled = settle(workspace, given, have)
    left += [*in_two_places(workspace), *_outside(repo, found)]
    if operation is None and not found:
        left += _merged_into_two(workspace)
    return Resolved(
        operation, tuple(sorted(work.done)), settled.paths, tuple(left), (), (*notes, *settled.notes)
    )


def in_two_places(workspace: Workspace) -> list[Left]:
    """The records that both sides gave another place: git has merged them, and a person has to say which
    place it is to be.
    """
    what = "is in {} as well: both sides gave it a place; take it out of one of them"
    return [
        Left(one.record.path, one.record.line, one.record.address, what.format(one.other))
        for one in twice(workspace)
    ]


def _merged_into_two(workspace: Workspace) -> list[Left]:
    """The records that the newest commit, a merge, has left in two places, as the working tree has them
    still.
    """
    repo = workspace.require_repository()
    head = repo.head().commit
    parents = list(repo.parents_of(head)) if head is not None else []
    if len(parents) < 2 or head is None:
        return []
    reader = open_reader(workspace)
    if not isinstance(reader, CachedReader):
        return []
    changed = [path for path, _, _ in repo.tree(parents[0]).diff(repo.tree(head))]
    return [
        Left(one.copy.path, one.copy.line, one.copy.address, one.words())
        for one in doubled(workspace, reader.snapshot, parents[0], changed)
    ]


def _under(path: str, want: str) -> bool:
    return want in ("", ".") or path == want or path.startswith(want.rstrip("/") + "/")


def _outside(repo: Repository, found: Mapping[str, Stages]) -> list[Left]:
    """The files in conflict that lie outside of the knowledge root."""
    skip = [path for path in found if not path.startswith(repo.prefix)]
    return [
        Left(_upwards(repo.prefix, path), None, None, "is in conflict and is outside the knowledge root")
        for path in skip
    ]


def _upwards(prefix: str, path: str) -> str:
    return "../" * prefix.count("/") + path


_Versions = tuple[bytes | None, bytes | None, bytes | None]
"""A file in the common ancestor, on our side and on theirs."""


class _Work:
    """The files that are being merged."""

    def __init__(
        self, workspace: Workspace, repo: Repository, stages: Mapping[str, Stages], force: bool
    ) -> None:
        self.workspace = workspace
        self.layout = workspace.layout
        self.repo = repo
        self.force = force
        self.done: list[str] = []
        self._noted: Tree | None = None
        self._looked = False
        self._stages = stages
        self._trees: _Trees | None = None
        self._followed = False
        self._files: dict[str, Put] = {}
        self._entries: dict[str, Entry | None] = {}

    @staticmethod
    def one(path: str, merge: Callable[[str], Iterator[Left]]) -> list[Left]:
        """What is left of one file; one that cannot be taken (a link lies there) never stops the others."""
        try:
            return list(merge(path))
        except Refused as error:
            return [Left(path, error.line, None, error.message)]

    def record(self, path: str, stages: Stages) -> Iterator[Left]:
        """Merges one file; what is left of it to a person."""
        if any(not entry.is_file for entry in stages.values()):
            yield Left(path, None, None, "is a link or a submodule on one side: git add it as it should be")
            return
        if self.layout.find(path) is None:
            yield Left(path, None, None, "is in conflict and holds no record: edit it, then git add")
            return
        have = self._have(path)
        merged = alone = merge_one(self.layout, path, *self._versions(stages), _labels(have))
        if len(stages) == 1:
            what = "was renamed on both sides: keep one of the files, git rm the others"
            merged = alone = Merged(None, (Conflict(1, None, what),))
        if merged.conflicts:
            merged = self._by_trees(path, have, merged)
        if have not in (alone.data, merged.data) and not self._untouched(path, stages, have):
            line = marked.first_line(_text(have))
            what = (
                "is being settled by hand: git add it when it is done"
                if line
                else "was settled by hand: git add it"
            )
            yield Left(path, line, None, what)
            return
        yield from self._follow()
        if merged.conflicts:
            if len(stages) > 1:
                self._files[path] = Put(have, merged.data)
            yield from (self._left(path, found) for found in merged.conflicts)
        elif path not in self._entries:
            self._take(path, have, merged, stages)

    def derived(
        self, path: str, stages: Stages, given: dict[str, bytes | None], found: dict[str, bytes | None]
    ) -> Iterator[Left]:
        """Merges one derived file by what it says, for the records to be derived over it."""
        have = self._have(path)
        merged = merge_one(self.layout, path, *self._versions(stages), _labels(have))
        if have not in (None, merged.data) and not self._untouched(path, stages, have):
            if marked.first_line(_text(have)) is not None:
                yield Left(
                    path,
                    marked.first_line(_text(have)),
                    None,
                    "is being settled by hand: git add it when it is done",
                )
                return
            merged = Merged(have)
        if merged.conflicts:
            self._files[path] = Put(have, merged.data)
            yield from (self._left(path, conflict) for conflict in merged.conflicts)
            return
        given[path], found[path] = merged.data, have

    def write(self) -> None:
        """Puts what was merged into the working tree, and stages what is whole."""
        left = put(self.repo, {path: new for path, new in self._files.items() if new.before != new.after})
        if left:
            path, why = next(iter(left.items()))
            raise Refused(f"not written: {why}", path=path, hint="memgit resolve again")
        stage(self.repo, {self.repo.prefix + path: entry for path, entry in self._entries.items()})
        self.done += self._entries
        self._files, self._entries = {}, {}

    def _versions(self, stages: Stages) -> _Versions:
        base, ours, theirs = (
            self.repo.blob(stages[number].oid) if number in stages else None
            for number in (BASE, OURS, THEIRS)
        )
        return base, ours, theirs

    def _have(self, path: str) -> bytes | None:
        """A file of the working tree as git would store it."""
        with Worktree(self.repo.worktree or "") as tree:
            there = tree.read(self.repo.prefix + path)
        return None if there is None else cleaned(self.repo, path, there.data)

    def _untouched(self, path: str, stages: Stages, have: bytes | None) -> bool:
        """Whether a file is as git left it when it stopped."""
        if self.force:
            return True
        if not self._looked:
            self._looked, self._noted = True, left_by_git(self.repo)
        if self._noted is not None:
            entry = self._noted.get(self.repo.prefix + path)
            if (entry is None) == (have is None) and (
                entry is None or entry.oid == self.repo.hash_blob(have or b"")
            ):
                return True
        if have is None:
            return False
        sides = marked.sides(_text(have))
        if sides[0] == sides[1]:  # without markers: as git leaves a file that one side deleted
            only = stages.get(OURS) or stages.get(THEIRS)
            return (
                (OURS in stages) != (THEIRS in stages)
                and only is not None
                and only.oid == self.repo.hash_blob(have)
            )
        try:
            return sides == tuple(_text(side) for side in settlements(self.repo, stages))
        except Refused:
            return False

    def _take(self, path: str, have: bytes | None, merged: Merged, stages: Stages) -> None:
        base, ours, theirs = (
            stages[number].mode if number in stages else None for number in (BASE, OURS, THEIRS)
        )
        self._put(
            path, Put(have, merged.data), (theirs if ours in (base, None) else ours) or ours or base or FILE
        )

    def _put(self, path: str, new: Put, mode: int) -> None:
        """Notes a file to be written and staged."""
        self._files[path] = new
        self._entries[path] = None if new.after is None else Entry(mode, self.repo.write_blob(new.after))

    def _left(self, path: str, found: Conflict) -> Left:
        place = self.layout.find(path)
        if place is None or is_derived(self.layout, path):
            return Left(path, found.line, None, found.message)
        address = self.layout.address(place[0], path, place[1], (found.address or "").removeprefix("#"))
        return Left(path, found.line, address.removesuffix("#"), found.message)

    # Records that one side moved to another file and the other changed

    def _by_trees(self, path: str, have: bytes | None, merged: Merged) -> Merged:
        """What merging the whole trees makes of a file, where that leaves less of it in conflict."""
        if self._trees is None:
            self._trees = _merge_trees(self.workspace, _labels(have))
        trees = self._trees
        left = [one for one in trees.merge.conflicts if one.path == path] if trees is not None else []
        if trees is None or len(left) >= len(merged.conflicts):
            return merged
        tails = [(one.address or "").partition("#")[2] for one in left]
        return Merged(
            trees.data(path),
            tuple(
                Conflict(one.line, f"#{tail}" if tail else None, one.message)
                for one, tail in zip(left, tails, strict=True)
            ),
        )

    def _follow(self) -> Iterator[Left]:
        """Takes the files where a record is now that one side moved and the other changed."""
        trees = self._trees
        if trees is None or self._followed:
            return
        self._followed = True
        for path in sorted(trees.merge.followed):
            new, entry = trees.data(path), self._staged(path)
            held = self.repo.blob(entry.oid) if entry is not None and entry.is_file else None
            before = self._entries.get(path)
            if before is not None:  # in conflict as well, and merged by itself before
                if not any(one.path == path for one in trees.merge.conflicts):
                    self._put(path, self._files[path]._replace(after=new), before.mode)
            elif path in self._stages or held == new:
                continue
            elif self._have(path) != held or held not in trees.versions(path):
                yield Left(
                    path,
                    None,
                    None,
                    "is where a record was moved that the other side changed: take that over",
                )
            else:
                self._put(path, Put(held, new), FILE if entry is None else entry.mode)

    def _staged(self, path: str) -> Entry | None:
        head = self.repo.head().commit
        held = staged(self.repo, head)
        return held[path] if path in held else self.repo.tree(head).get(path)


class _Trees(NamedTuple):
    """A merge of whole trees, and what it was made of."""

    merge: TreeMerge
    sides: tuple[Tree, Tree, Tree]
    workspace: Workspace

    def data(self, path: str) -> bytes | None:
        """A file as the merge gives it."""
        if path not in self.merge.edits:
            return self.sides[1].data(path)
        edit = self.merge.edits[path]
        return None if edit is None else edit.content(self.workspace.require_repository())

    def versions(self, path: str) -> list[bytes | None]:
        """What git may have staged for a file by itself."""
        base, ours, theirs = (tree.data(path) for tree in self.sides)
        layout = self.workspace.layout
        merges = (merge_one(layout, path, base, ours, theirs), merge_file("", "", base, ours, theirs))
        return [ours, theirs, *(one.data for one in merges)]


_HEADS = {
    "merge": "MERGE_HEAD",
    "rebase": "REBASE_HEAD",
    "cherry-pick": "CHERRY_PICK_HEAD",
    "revert": "REVERT_HEAD",
}
"""The ref by which git names the other side of an operation."""


def _merge_trees(workspace: Workspace, labels: tuple[str, str]) -> _Trees | None:
    """The operation under way as a merge of whole trees; None where git does not name its sides."""
    repo = workspace.require_repository()
    operation, head = repo.in_progress() or "", repo.head().commit
    other = repo.ref(_HEADS[operation]) if operation in _HEADS else None
    if head is None or other is None:
        return None
    if operation == "merge":
        bases = merge_bases(repo, head, other)
        base = repo.subtree(common_tree(workspace, bases)) if bases else repo.tree(None)
        sides = base, repo.tree(head), repo.tree(other)
    else:
        parent = repo.tree(next(iter(repo.parents_of(other)), None))
        one, two = (repo.tree(other), parent) if operation == "revert" else (parent, repo.tree(other))
        sides = one, repo.tree(head), two
    return _Trees(
        merge_trees(repo, workspace.layout, *sides, labels=labels, derivation="lines"), sides, workspace
    )


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "surrogateescape")


def _labels(have: bytes | None) -> tuple[str, str]:
    """What git called the sides when it wrote its markers."""
    first, second = _OPENING.search(have or b""), _CLOSING.search(have or b"")
    return (
        first[1].decode("utf-8", "replace") if first is not None and first[1].strip() else "ours",
        second[1].decode("utf-8", "replace") if second is not None and second[1].strip() else "theirs",
    )
