"""Merging two trees in memory: the edits that bring what one side changed onto the other, and what conflicts.

Paths that both sides changed are merged record by record (`formats.merge`); a file that one side renamed and
the other edited, and an entry that one side moved to another file and the other edited, are followed. Derived
files are derived again from the merged records. Nothing is written, and what neither side changed is not
read.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple

from memgit.app.config import NAME, parse
from memgit.app.derived import state as derived_state
from memgit.app.merge.side import Side
from memgit.app.workspace import Workspace
from memgit.derive import affected_paths, derive_affected, is_derived, table
from memgit.derive.view import DerivedFile, View
from memgit.errors import BadInput, Refused
from memgit.formats.codecs import parse_file
from memgit.formats.merging.merge import merge_file
from memgit.git import process
from memgit.git.history.default_branch import default_tips
from memgit.git.objects.tree import FOLDER, Entry, Tree
from memgit.git.repository import Repository
from memgit.git.worktree.filetrees import CommitTree
from memgit.model import filetree
from memgit.model.change import identity
from memgit.model.filetree import EditedTree
from memgit.model.layout import Layout
from memgit.model.record import Record

ENTRIES = "entries"

Derivation = Literal["merged", "theirs", "sides", "lines"]
"""What becomes of derived files: they are derived from the merged records; those that our side changed, from their
records; what both sides changed is merged by what it says; or by its lines, markers and all, as a forge does.
"""


class Edit(filetree.Edit):
    """What lies at a path of a merged tree: a blob that is there, or bytes."""

    __slots__ = ()

    def content(self, repo: Repository) -> bytes:
        """The bytes; those of a symlink are its target."""
        if self.data is not None:
            return self.data
        assert self.oid is not None
        return repo.blob(self.oid)

    def entry(self, repo: Repository) -> Entry:
        """The entry of a tree; bytes without a blob are written to the repository."""
        return Entry(self.mode, self.oid if self.oid is not None else repo.write_blob(self.data or b""))


class Conflict(NamedTuple):
    """One thing that a person has to settle: where its marker stands in the merged file (else 1), the record,
    and what it is.
    """

    path: str
    line: int
    address: str | None
    message: str


class TreeMerge(NamedTuple):
    """What merging gives.

    Attributes:
        edits: what differs from our side afterwards, by path; None where the path is gone. A file in conflict
            has markers.
        conflicts: by path and line.
        plain: each derived file that either side's change touched, as a merge of lines would leave it (with
            markers where it conflicts), which is what a forge commits; one that is not named here stays as
            our side has it.
        clashing: those of them in which lines conflict.
        by_record: record files that merge without a conflict, though their lines conflict: where no driver
            runs, a merge stops at them.
        renamed: files that one side renamed and the other edited or renamed too, old path to new.
        followed: files that have a record because one side moved it there, with what the other side changed.
    """

    edits: Mapping[str, Edit | None]
    conflicts: tuple[Conflict, ...] = ()
    plain: Mapping[str, bytes | None] = {}
    clashing: frozenset[str] = frozenset()
    by_record: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = {}
    followed: frozenset[str] = frozenset()


def merge_bases(repo: Repository, one: str, other: str) -> list[str]:
    """The best common ancestors of two commits, in git's order; several after criss-cross merges, none where
    histories do not meet.
    """
    done = process.attempt(["merge-base", "--all", one, other], repo=repo)
    if done.code > 1:
        raise Refused(f"git merge-base: {process.words(done.err)[0]}")
    return done.out.decode("ascii").split()


def derivation_of(workspace: Workspace, theirs: str) -> Derivation:
    """What becomes of derived files where a commit is merged into the branch that is checked out.

    The configuration of the commit counts where it can be read: it is the one that the default branch goes by.
    """
    repo = workspace.require_repository()
    there = workspace
    with suppress(BadInput):
        data = repo.tree(theirs).data(NAME)
        there = workspace if data is None else Workspace(workspace.root, repo, parse(data))
    if there.indexes() == "committed":
        return "merged"
    if there.config.indexes == "trunk" and theirs in default_tips(repo, there.default_branch):
        return "theirs"
    return "sides"


def merge_trees(
    repo: Repository,
    layout: Layout,
    base: Tree,
    ours: Tree,
    theirs: Tree,
    *,
    labels: tuple[str, str] = ("ours", "theirs"),
    derivation: Derivation = "merged",
    right: Container[str] | None = None,
    commit: str | None = None,
    only: str | None = None,
) -> TreeMerge:
    """Merges what changed from `base` to `theirs` into `ours`. All three are rooted at the knowledge root.

    Args:
        labels: what conflict markers call our side and theirs.
        derivation: what becomes of derived files. Unless they are derived from the merged records, they are left as
            our side has them, but for those that it did not change.
        right: derived files of `ours` that are known to be right; what is noted in the git directory unless
            given.
        commit: a commit from whose history a broken derived file is fixed.
        only: a derived file that alone is asked for: what it does not come from is left out.
    """
    merging = _Merging(repo, layout, base, ours, theirs, labels, only)
    merging.run()
    if derivation in ("theirs", "sides"):
        merging.take_derived(over=derivation == "theirs")
    if derivation == "merged":
        known = derived_state.known(repo, layout, ours) if right is None else right
        merging.derive(known, commit)
    conflicts = tuple(sorted(merging.conflicts, key=lambda one: (one.path, one.line, one.message)))
    edits = {
        path: edit for path, edit in sorted(merging.edits.items()) if not _same(repo, ours.get(path), edit)
    }
    return TreeMerge(
        edits,
        conflicts,
        merging.plain,
        frozenset(merging.clashing),
        frozenset(merging.by_record),
        merging.renamed,
        frozenset(merging.followed | set(merging.renamed.values())),
    )


def _same(repo: Repository, entry: Entry | None, edit: Edit | None) -> bool:
    """Whether an edit leaves a path as it is."""
    if entry is None or entry.mode == FOLDER or edit is None:
        return edit is None and (entry is None or entry.mode == FOLDER)
    return entry.mode == edit.mode and entry.oid == (edit.oid or repo.hash_blob(edit.data or b""))


class _Merging:
    """One merge under way."""

    def __init__(
        self,
        repo: Repository,
        layout: Layout,
        base: Tree,
        ours: Tree,
        theirs: Tree,
        labels: tuple[str, str],
        only: str | None = None,
    ) -> None:
        self.repo, self.layout, self.base_tree, self.labels = repo, layout, base, labels

        def wanted(path: str) -> bool:
            return only is None or only in affected_paths(layout, [path])

        self.ours, self.theirs = Side(repo, base, ours, wanted), Side(repo, base, theirs, wanted)
        self.texts: dict[str, bytes] = {}
        self.edits: dict[str, Edit | None] = {}
        self.conflicts: list[Conflict] = []
        self.plain: dict[str, bytes | None] = {}
        self.clashing: set[str] = set()
        self.by_record: set[str] = set()
        self.renamed: dict[str, str] = {}
        self.followed: set[str] = set()

    def run(self) -> None:
        ours, theirs = self.ours.deltas, self.theirs.deltas
        if not ours:
            for path, delta in theirs.items():
                self.take(path, delta.new)
            return
        self._follow_entries()
        done = self._follow_files()
        for path, delta in theirs.items():
            if path in done:
                continue
            mine = ours.get(path)
            if mine is None:
                self.take(path, delta.new)
            elif mine.new != delta.new or path in self.ours.texts or path in self.theirs.texts:
                self._both(path, delta.old, mine.new, delta.new)
        for path in self.ours.texts.keys() - theirs.keys() - done:
            # An entry that their side edited was moved to this file by ours.
            self.put(path, self.ours.tree.get(path), self.ours.texts[path])
        self._folders_and_files()

    def take(self, path: str, entry: Entry | None) -> None:
        """Their side as it is."""
        text = self.theirs.texts.get(path)
        if entry is not None and text is not None:
            self.edits[path] = Edit(entry.mode, None, text)
        else:
            self.edits[path] = None if entry is None else Edit(entry.mode, entry.oid)

    def put(self, path: str, like: Entry | None, data: bytes) -> None:
        self.edits[path] = Edit(0o100644 if like is None else like.mode, None, data)

    def conflict(self, path: str, line: int, address: str | None, message: str) -> None:
        self.conflicts.append(Conflict(path, line, address, message))

    def base_data(self, path: str) -> bytes | None:
        found = self.texts.get(path)
        return self.base_tree.data(path) if found is None else found

    # One path that both sides changed

    def _both(self, path: str, base: Entry | None, mine: Entry | None, other: Entry | None) -> None:
        if is_derived(self.layout, path):
            self._lines(path, base, mine, other)
            return
        for entry in (base, mine, other):
            if entry is not None and not entry.is_file:
                kept = "our side is kept" if mine is not None else "their side is kept"
                self.conflict(path, 1, None, f"a link or submodule that both sides changed; {kept}")
                if mine is None:
                    self.take(path, other)
                return
        self._merge(path, self.base_data(path) if base is not None else None, path, path, mine, other, base)

    def _merge(
        self,
        path: str,
        base: bytes | None,
        our_path: str,
        their_path: str,
        mine: Entry | None,
        other: Entry | None,
        old: Entry | None,
    ) -> None:
        """Merges two versions of a file into one at a path; the sides may have it under other names."""
        ours = self.ours.data(our_path) if mine is not None else None
        theirs = self.theirs.data(their_path) if other is not None else None
        found = self.layout.find(path)
        form, kind = (found[0].form, found[0].kind) if found is not None else ("", "")
        merged = merge_file(form, kind, base, ours, theirs, self.labels)
        for one in merged.conflicts:
            self.conflict(path, one.line, self._address(path, one.address), one.message)
        if form and not merged.conflicts and ours is not None and theirs is not None:
            before = base if our_path not in self.texts else self.base_tree.data(our_path)
            left, right = self.ours.tree.data(our_path), self.theirs.tree.data(their_path)
            if merge_file("", "", before, left, right, self.labels).conflicts:
                self.by_record.add(path)
        if merged.data is None:
            self.edits[path] = None
        else:
            self.edits[path] = Edit(_mode(old, mine, other), None, merged.data)

    def _address(self, path: str, tail: str | None) -> str | None:
        found = self.layout.find(path)
        if found is None:
            return None
        place, key = found
        if tail is not None:
            return f"{place.kind}/{key}{tail}"
        return None if place.form == ENTRIES else self.layout.address(place, path, key, "")

    def _lines(self, path: str, base: Entry | None, mine: Entry | None, other: Entry | None) -> None:
        """A derived file that both sides changed, by lines: what people wrote into it is in there, the rest
        is derived over it.
        """
        files = [entry if entry is not None and entry.is_file else None for entry in (base, mine, other)]
        sides = [None if entry is None else self.repo.blob(entry.oid) for entry in files]
        merged = merge_file("", "", sides[0], sides[1], sides[2], self.labels)
        self.plain[path] = merged.data
        if merged.conflicts:
            self.clashing.add(path)
        if merged.data is not None:
            self.put(path, mine or other, merged.data)
        else:
            self.edits[path] = None

    # Renames

    def _follow_files(self) -> set[str]:
        """Merges files that one side renamed where the other side edited or renamed them as well; the paths
        that are settled by it.
        """
        ours, theirs = self.ours, self.theirs
        both = ours.deltas.keys() & theirs.deltas.keys()
        wanted = [
            path
            for path in both
            if ours.gone(path) != theirs.gone(path) or (ours.gone(path) and theirs.gone(path))
        ]
        wanted = [path for path in wanted if not is_derived(self.layout, path)]
        mine = ours.renames([path for path in wanted if ours.gone(path)])
        yours = theirs.renames([path for path in wanted if theirs.gone(path)])
        done: set[str] = set()
        for path in sorted(mine.keys() | yours.keys()):
            one, other = mine.get(path), yours.get(path)
            old = self.base_tree.get(path)
            base = self.base_data(path)
            if old is None or base is None:
                continue
            if one is not None and other is not None:
                self._renamed_twice(path, one, other, old, base)
                done |= {path, one, other}
            elif one is not None and not theirs.gone(path):
                if one in theirs.deltas:
                    continue  # their side has a file of its own by that name
                self._merge(one, base, one, path, ours.tree.get(one), theirs.tree.get(path), old)
                self.renamed[path] = one
                done |= {path, one}
            elif other is not None and not ours.gone(path):
                if other in ours.deltas:
                    continue
                self.edits[path] = None
                self._merge(other, base, path, other, ours.tree.get(path), theirs.tree.get(other), old)
                self.renamed[path] = other
                done |= {path, other}
        return done

    def _renamed_twice(self, path: str, one: str, other: str, old: Entry, base: bytes) -> None:
        """A file that both sides renamed: to one name, then it is one file; to two, then ours stands and it
        is said.
        """
        self._merge(one, base, one, other, self.ours.tree.get(one), self.theirs.tree.get(other), old)
        self.renamed[path] = one
        if one != other:
            ours, theirs = self.labels
            self.conflict(
                one,
                1,
                self._address(one, None),
                f"renamed from {path} to {one} by {ours}, to {other} by {theirs}",
            )

    def _follow_entries(self) -> None:
        """Puts edits of an entry, which the other side moved to another file, where the entry is now, before
        files are merged.
        """
        for path in sorted(self.ours.deltas.keys() & self.theirs.deltas.keys()):
            found = self.layout.find(path)
            if found is None or found[0].form != ENTRIES or self.base_data(path) is None:
                continue
            for mover, editor in ((self.theirs, self.ours), (self.ours, self.theirs)):
                # Sections are cut out by their lines, so each cut is followed by a new look.
                while self._follow_one(path, mover, editor):
                    pass

    def _follow_one(self, path: str, mover: Side, editor: Side) -> bool:
        base, edited = self.base_data(path), editor.data(path)
        if base is None or edited is None:
            return False
        moved = mover.data(path)
        left = {_name(record) for record in self._records(path, moved)}
        after = {_name(record): record for record in self._records(path, edited)}
        for record in self._records(path, base):
            now = after.get(_name(record))
            if _name(record) in left or now is None:
                continue
            was, new = _section(base, record), _section(edited, now)
            place = self._moved_to(path, record, mover) if was != new else None
            if place is None:
                continue
            target, there = place
            data = mover.data(target) or b""
            sides = (new, _section(data, there)) if editor is self.ours else (_section(data, there), new)
            merged = merge_file(ENTRIES, record.kind, was, sides[0], sides[1], self.labels)
            if merged.conflicts or merged.data is None:
                continue
            self.texts[path] = _cut(base, record, b"")
            editor.texts[path] = _cut(edited, now, b"")
            mover.texts[target] = _cut(data, there, merged.data)
            self.followed.add(target)
            return True
        return False

    def _moved_to(self, path: str, record: Record, mover: Side) -> tuple[str, Record] | None:
        """The file that a side moved an entry to, and the entry there."""
        for target, delta in mover.deltas.items():
            found = self.layout.find(target)
            if target == path or found is None or found[0].form != ENTRIES or delta.new is None:
                continue
            before = {_name(one) for one in self._records(target, self.base_data(target))}
            for one in self._records(target, mover.data(target)):
                if _name(one) == _name(record) and _name(one) not in before:
                    return target, one
        return None

    def _records(self, path: str, data: bytes | None) -> Sequence[Record]:
        return () if data is None else parse_file(self.layout, path, data).records

    # Files against folders

    def _folders_and_files(self) -> None:
        """Takes back what would put a file where a folder is, or below a file."""
        tree = self.ours.tree

        def stands(path: str) -> bool:
            if path in self.edits:
                return self.edits[path] is not None
            entry = tree.get(path)
            return entry is not None and entry.mode != FOLDER

        for path in [path for path, edit in self.edits.items() if edit is not None]:
            above = next((parent for parent in _parents(path) if stands(parent)), None)
            entry = tree.get(path)
            full = (
                entry is not None
                and entry.mode == FOLDER
                and any(stands(f"{path}/{name}") for name, _, _ in tree.walk(path))
            )
            if above is not None or full:
                what = f"{above} is a file" if above is not None else "a folder of that name has files"
                del self.edits[path]
                self.conflict(
                    path,
                    1,
                    self._address(path, None),
                    f"{what} on one side: a file and a folder cannot have one name",
                )

    # Derived files

    def derive(self, right: Container[str], commit: str | None) -> None:
        """Derives again what the change affects, over what people wrote into those files on both sides."""
        changed = [path for path in self.edits if not is_derived(self.layout, path)]
        wanted = affected_paths(self.layout, changed) | {
            path for path in self.edits if is_derived(self.layout, path)
        }
        if not wanted or not _committed(self.ours.tree, self.edits, wanted):
            return
        below = CommitTree(self.repo, self.ours.tree, commit)
        view = View(self.layout, EditedTree(below, dict(self.edits)))
        before = View(self.layout, below)
        touched = {path for path in self.edits if is_derived(self.layout, path)}
        for path in touched:
            self.plain.setdefault(path, view.data(path))
        quick = derive_affected(view, changed, before, _Untouched(right, touched))
        for path, data in quick.items():
            if path not in touched:
                self._derived(path, data)
        for path in sorted(touched):
            rendered = self._row(path).build(view, path)
            fatal = next((problem for problem in rendered.problems if problem.fatal), None)
            if fatal is not None and path in self.clashing:
                self.conflict(
                    path,
                    fatal.line,
                    None,
                    f"what people wrote into this derived file conflicts: {fatal.message}",
                )
            self._derived(path, rendered.data)

    def take_derived(self, *, over: bool) -> None:
        """Merges derived files that both sides changed by what they say. `over`: all that our side changed, and the
        generated parts as their records give them.
        """
        from memgit.app.derived.merge import merge_derived

        ours, theirs = self.ours, self.theirs
        changed = ours.deltas.keys() if over else ours.deltas.keys() & theirs.deltas.keys()
        for path in sorted(path for path in changed if is_derived(self.layout, path)):
            sides = (self.base_tree.data(path), ours.tree.data(path), theirs.tree.data(path))
            merged = merge_derived(self.layout, path, *sides, self.labels)
            for one in merged.conflicts:
                self.conflict(path, one.line, None, one.message)
            self._derived(path, merged.data)
            if over and not merged.conflicts:
                files = EditedTree(CommitTree(self.repo, theirs.tree), {path: self.edits[path]})
                self._derived(path, self._row(path).build(View(self.layout, files), path).data)

    def _row(self, path: str) -> DerivedFile:
        return next(one for one in table(self.layout) if path in one.affected(self.layout, path))

    def _derived(self, path: str, data: bytes | None) -> None:
        if data is None:
            self.edits[path] = None
        else:
            edit = self.edits.get(path)
            like = self.ours.tree.get(path) or (None if edit is None else Entry(edit.mode, ""))
            self.put(path, like, data)


class _Untouched:
    """Derived files that are known to be right on our side and that neither side's change has touched by
    hand.
    """

    def __init__(self, right: Container[str], touched: Container[str]) -> None:
        self._right, self._touched = right, touched

    def __contains__(self, path: object) -> bool:
        return path in self._right and path not in self._touched


def _committed(ours: Tree, edits: Mapping[str, Edit | None], wanted: Iterable[str]) -> bool:
    """Whether any of the derived files is kept in commits at all."""
    return any(edits.get(path) is not None or ours.file(path) is not None for path in wanted)


def _mode(base: Entry | None, ours: Entry | None, theirs: Entry | None) -> int:
    """The mode of a merged file: that of the side that changed it."""
    if ours is None or theirs is None:
        kept = ours or theirs
        return 0o100644 if kept is None else kept.mode
    return theirs.mode if base is not None and ours.mode == base.mode else ours.mode


def _name(record: Record) -> str:
    """What tells an entry from others wherever it stands: its id, else its title."""
    return identity(record) or record.title


def _parents(path: str) -> Iterator[str]:
    parts = path.split("/")
    for count in range(1, len(parts)):
        yield "/".join(parts[:count])


def _section(data: bytes, record: Record) -> bytes:
    """The lines of an entry without the blank ones at its end."""
    return b"\n".join(_parts(data.split(b"\n")[record.line - 1 : record.end_line])[0]) + b"\n"


def _cut(data: bytes, record: Record, new: bytes) -> bytes:
    """A file with another text in place of an entry's section; the blank lines at its end stay, unless
    nothing takes its place.
    """
    lines = data.split(b"\n")
    blank = _parts(lines[record.line - 1 : record.end_line])[1]
    section = [*_parts(new.split(b"\n"))[0], *blank] if new else []
    return b"\n".join([*lines[: record.line - 1], *section, *lines[record.end_line :]])


def _parts(lines: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """Lines up to the last that is not blank, and the blank ones after it."""
    end = next((number for number in range(len(lines), 0, -1) if lines[number - 1].strip()), 0)
    return lines[:end], lines[end:]
