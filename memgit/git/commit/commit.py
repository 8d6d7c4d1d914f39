"""One change to the knowledge root as one commit, carried into the user's index and working tree.

The commit is made of objects and holds the change alone. What the user has edited or staged in the same files
is merged three ways and stays theirs. In order: the objects; the journal; the working tree; the new index,
made ready; its lock; the branch, by compare-and-swap; the index. An error or a kill before the branch moves
takes everything back, one after it finishes everything.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from time import monotonic

from memgit import TYPE_CHECKING
from memgit.errors import MemgitError, Refused
from memgit.git import hooks, process, setup
from memgit.git.backoff import pause
from memgit.git.commit import gc_guard, identity, journal, lock, maintenance, recovery, refs, sign
from memgit.git.commit.identity import Identity
from memgit.git.commit.journal import Journal, Step
from memgit.git.commit.plan import FilePlan, IndexPlan, Plan, edits_between, edits_of
from memgit.git.objects import libgit
from memgit.git.objects.batches import is_much
from memgit.git.objects.tree import EXECUTABLE, FILE, Entry, Tree, rewrite
from memgit.git.repository import Head
from memgit.git.worktree import index
from memgit.git.worktree.filters import require_unfiltered
from memgit.git.worktree.index import Pinned
from memgit.git.worktree.staged import staged
from memgit.git.worktree.three_way_apply import Action, Clash, Edit, Merge, Merged
from memgit.git.worktree.worktree import Worktree, write_new
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memgit.git.repository import Repository

__all__ = ["Change", "Clash", "Committed", "Merge", "Merged", "commit", "commit_series"]

LOCK_TIMEOUT = 30.0
"""Seconds to wait for another memgit that writes in the same clone."""

_RETRY = 20.0  # seconds during which a change is begun again because HEAD, the index or a file moved under it
_WHAT_NEXT = {
    "merge": "memgit resolve, which says how to go on, or git merge --abort",
    "rebase": "memgit resolve, which says how to go on, or git rebase --abort",
    "cherry-pick": "memgit resolve, which says how to go on, or git cherry-pick --abort",
    "revert": "memgit resolve, which says how to go on, or git revert --abort",
    "am": "memgit resolve, which says how to go on, or git am --abort",
}


class Change(NamedTuple):
    """What a commit is to do.

    Attributes:
        edits: new content by path from the knowledge root, None for a removal.
        message: the commit message.
        soft: derived files among them: where the user has edited one and the edits overlap, the user's
            version stays in the working tree.
        written: the hashes of further edits by path, whose blobs are there already; a later change of the
            series has each path again.
    """

    edits: Mapping[str, bytes | None]
    message: str
    soft: frozenset[str] = frozenset()
    written: Mapping[str, str] = {}


class Committed(NamedTuple):
    """What came of it.

    Attributes:
        commit: the new commit; None where there was nothing to change, or it was staged only.
        notes: what the user should be told.
        commits: all new commits, the oldest first.
        altered: whether hooks made something else of it than was asked for.
    """

    commit: str | None
    notes: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    altered: bool = False


class _Again(Exception):
    """Somebody else changed what the change was built on; it has been taken back and may be begun again."""


def commit(
    repo: Repository,
    build: Callable[[Tree, Head], Change | None],
    *,
    merge: Merge,
    stage: bool = False,
    lock_timeout: float = LOCK_TIMEOUT,
) -> Committed:
    """Makes one commit on HEAD's branch, or stages the same change.

    Args:
        repo: a repository with a working tree.
        build: gets the tree of the knowledge root at HEAD, and HEAD; returns the change, or None for none.
            Called again, with the new tree, whenever HEAD moved meanwhile, so it must decide from what it is
            given.
        merge: three-way merge of one file; see `carry.Merge`.
        stage: leave the change in the working tree and the index, without a commit.
        lock_timeout: seconds to wait for another memgit that writes.

    Raises:
        Refused: nothing was changed. The reason may be an overlap with edits that are not committed (path and
            lines are named), a merge or rebase under way, a hook, a lock that somebody holds, a signature
            that failed, a full disk.
        What `build` and `merge` raise; nothing was changed then either.
    """

    def one(tree: Tree, head: Head) -> Sequence[Change]:
        change = build(tree, head)
        return [] if change is None else [change]

    return _commit(repo, one, _Options(merge, stage, lock_timeout, series=False))


def commit_series(
    repo: Repository, build: Callable[[Tree, Head], Sequence[Change]], *, merge: Merge
) -> Committed:
    """Makes several commits, one upon the other, and brings index and working tree along once: all of them or
    none.

    Arguments and errors are those of `commit`; each change counts from the one before it. Not where the
    user's hooks want to see each commit (`hooks.present`): there, make them one by one.

    Raises:
        ValueError: there are such hooks.
    """
    if hooks.present(repo):
        raise ValueError("hooks want to see each commit")
    return _commit(repo, build, _Options(merge, False, LOCK_TIMEOUT, series=True))


def make_commits(
    repo: Repository,
    whole: Tree,
    parent: str | None,
    changes: Sequence[Change],
    author: Identity,
    committer: Identity,
    oids: Mapping[bytes, str] = {},
) -> list[str]:
    """Writes the objects of several commits, one upon the other; no ref moves. Changes that leave the tree as
    it is make none.

    Args:
        whole: the whole tree of `parent`.
        changes: their blobs are written already.
        oids: the hashes of some of these blobs.
    """
    made = []
    for change in changes:
        news: dict[str, str | None] = dict(change.written)
        for name, data in change.edits.items():
            news[name] = None if data is None else oids.get(data) or repo.hash_blob(data)
        entries: dict[str, Entry | None] = {}
        for name, oid in news.items():
            held = whole.get(repo.prefix + name)
            mode = EXECUTABLE if held is not None and held.mode == EXECUTABLE else FILE
            entries[repo.prefix + name] = None if oid is None else Entry(mode, oid)
        new = Tree(repo, rewrite(repo, whole.oid, entries))
        if new != whole:
            message = refs.message_bytes(change.message)
            whole, parent = (
                new,
                commit_object(repo, new.oid, [parent] if parent else [], author, committer, message),
            )
            made.append(parent)
    return made


def commit_object(
    repo: Repository,
    tree: str,
    parents: list[str],
    author: Identity,
    committer: Identity,
    message: bytes,
) -> str:
    """Writes one commit object, signed where the user wants that; no ref moves.

    Raises:
        Refused: it could not be signed.
    """
    if sign.wanted(repo):
        return sign.commit_tree(repo, tree, parents, author, committer, message)
    return repo.write(libgit.COMMIT, refs.raw_commit(tree, parents, author, committer, message))


class _Options(NamedTuple):
    merge: Merge
    stage: bool
    lock_timeout: float
    series: bool


@contextmanager
def undisturbed(repo: Repository, much: bool) -> Iterator[None]:
    """While this holds, no `git gc` takes what is written and no ref leads to as yet, though it is too much
    to be kept in memory.
    """
    if not much:
        yield
        return

    with gc_guard.held_off(repo):
        yield


def _commit(
    repo: Repository, build: Callable[[Tree, Head], Sequence[Change]], options: _Options
) -> Committed:
    if repo.bare:
        raise Refused(
            "this repository is bare: memgit writes where there is a working tree",
            hint="git worktree add FOLDER, then work there",
        )
    try:
        # Inside a hook of a memgit commit, the lock is held by who waits for the hook to end.
        with lock.hold(repo, 0 if hooks.MARK in repo.env else options.lock_timeout):
            notes = _mended(repo)
            setup.update_driver(repo)
            with undisturbed(repo, options.series):
                done = _retry(lambda: _Attempt(repo, options).run(build))
    except OSError as error:
        where = f": {os.fsdecode(error.filename)}" if error.filename else ""
        raise Refused(f"{error.strerror or error}{where}") from error
    notes += done.notes
    if done.commit is not None:
        notes += tuple(hooks.after(repo))
        maintenance.after_commit(repo)
    return done._replace(notes=notes)


def _mended(repo: Repository) -> tuple[str, ...]:
    """Ends what a killed writer left; what was done, in words."""
    if not journal.pending(repo.git_dir):
        journal.sweep(repo.git_dir)
        return ()

    return recovery.mend_locked(repo)


def _retry(attempt: Callable[[], Committed]) -> Committed:
    end = monotonic() + _RETRY
    while True:
        try:
            return attempt()
        except _Again as reason:
            if monotonic() > end:
                raise Refused(
                    f"other programs keep changing {reason}", hint="try again when they are done"
                ) from None
        pause(0.03)


class _Attempt:
    """One try, from one state of HEAD, the index and the working tree."""

    def __init__(self, repo: Repository, options: _Options) -> None:
        self.repo = repo
        self.options = options
        self.work = ""
        self.commits: list[str] = []
        self.notes: list[str] = []
        self.altered = False

    def run(self, build: Callable[[Tree, Head], Sequence[Change]]) -> Committed:
        """Makes the commits. Raises _Again where that has to be begun again."""
        repo = self.repo
        operation = repo.in_progress()
        if operation in _WHAT_NEXT and not self.options.stage:
            raise Refused(
                f"git {operation} is under way in this working tree",
                hint=f"{_WHAT_NEXT[operation]}, then try again",
            )
        self.head = head = repo.head()
        self.whole = Tree(repo, None if head.commit is None else repo.tree_of(head.commit))
        if self.options.stage:  # what is staged already is what the next commit holds
            entries = staged(repo, head.commit)
            whole = {repo.prefix + path: entry for path, entry in entries.items()}
            self.whole = Tree(repo, rewrite(repo, self.whole.oid, whole))
        changes = build(repo.subtree(self.whole.oid), head)
        wanted = {name: data for change in changes for name, data in change.edits.items()}
        edits = edits_of(repo, self.whole, wanted, frozenset().union(*(change.soft for change in changes)))
        if not edits:
            return Committed(None)
        own = sorted((edit for edit in edits if edit.data is not None), key=lambda edit: edit.soft)
        require_unfiltered(repo, self.whole, [edit.path for edit in own])
        if not self.options.stage:
            self.author, self.committer = identity.author(repo), identity.committer(repo)
        index.wait_until_free(repo)
        self.work = journal.new_work(repo.git_dir)
        self.plan = Plan(repo, self.whole, self.options.merge, self.work)
        try:
            with undisturbed(repo, is_much([data for data in wanted.values() if data is not None])):
                self._carry_out(edits, changes)
        finally:
            if not journal.pending(repo.git_dir):
                journal.remove_work(self.work)
        if self.commits and head.ref is None:
            self.notes.append(
                f"HEAD is detached: commit {self.commits[-1][:10]} is on no branch (git switch -c "
                "NAME keeps it)"
            )
        return Committed(
            self.commits[-1] if self.commits else None, tuple(self.notes), tuple(self.commits), self.altered
        )

    def _carry_out(self, edits: list[Edit], changes: Sequence[Change]) -> None:
        repo, stage = self.repo, self.options.stage
        try:
            self.plan.read_index(edits)
            files = self.plan.files(edits)
            entries = self.plan.index(edits)
        except Refused:
            self._check_head()  # what looked like the user's edit may have been their commit
            raise
        watchers = {} if stage else hooks.present(repo)
        if stage or watchers:
            repo.write_blobs([edit.data for edit in edits if edit.data is not None])
        else:
            self._make_all(changes, edits)
        if not stage:
            lock.give_way(repo)
            self._check_head()
        self._record(files, entries, bool(watchers))
        try:
            self._apply_files(files)
            if watchers:
                edits, entries = self._ask_hooks(watchers, files, changes[0].message)
            locked = self._ready_index(edits, files, entries)
            if not stage:
                self._move_branch(changes[-1].message)
            if locked:
                index.publish(repo)
        except BaseException as error:
            self._take_back(error)
            raise
        journal.clear(repo.git_dir)

    def _make_all(self, changes: Sequence[Change], edits: Sequence[Edit]) -> None:
        """Writes the objects of all commits, which are these edits together."""
        repo = self.repo
        oids = {edit.data: edit.new.oid for edit in edits if edit.data is not None and edit.new is not None}
        repo.write_blobs([data for change in changes for data in change.edits.values() if data is not None])
        self.commits += make_commits(
            repo,
            self.whole,
            self.head.commit,
            changes,
            self.author,
            self.committer,
            oids,
        )

    def _make(self, tree: str, parent: str | None, message: bytes) -> str:
        """Writes one commit object."""
        parents = [] if parent is None else [parent]
        return commit_object(self.repo, tree, parents, self.author, self.committer, message)

    def _record(self, files: Sequence[FilePlan], entries: Sequence[IndexPlan], watched: bool) -> None:
        """Makes the files ready and writes the journal."""
        repo = self.repo
        steps = []
        for number, (plan, entry) in enumerate(zip(files, entries, strict=True)):
            edit, written = plan.edit, None
            if plan.action is Action.GONE:
                written = ""
            elif plan.action is not Action.KEEP and plan.data is not None:
                mode = None if plan.found is None else plan.found.mode
                executable = edit.new is not None and edit.new.mode == EXECUTABLE
                write_new(os.fsencode(f"{self.work}/{number}.new"), plan.data, mode, executable=executable)
                written = (
                    edit.new.oid
                    if edit.new is not None and plan.data is edit.data
                    else repo.hash_blob(plan.data)
                )
            steps.append(
                Step(edit.path, edit.base, edit.new, written, plan.found is not None, entry.before, entry.now)
            )
        commit = self.commits[-1] if self.commits else None
        self.journal = Journal(
            os.getpid(), self.options.stage, watched, self.head.ref, commit, self.work, tuple(steps)
        )
        journal.write(repo.git_dir, self.journal)

    def _note(self, edits: Sequence[Edit], entries: Sequence[IndexPlan]) -> None:
        """Brings the journal up to date with what hooks have done to the commit, or other programs to the
        index.
        """
        news = {edit.path: (edit, entry) for edit, entry in zip(edits, entries, strict=True)}
        steps = []
        for step in self.journal.steps:
            edit, entry = news.pop(step.path)
            steps.append(step._replace(new=edit.new, was=entry.before, now=entry.now))
        for path, (edit, entry) in news.items():
            steps.append(Step(path, edit.base, edit.new, None, False, entry.before, entry.now))
        commit = self.commits[-1] if self.commits else None
        self.journal = self.journal._replace(steps=tuple(steps), commit=commit)
        journal.write(self.repo.git_dir, self.journal)

    def _apply_files(self, files: Sequence[FilePlan]) -> None:
        """Puts the files into place. Raises _Again where one was touched since it was read."""
        with Worktree(self.repo.worktree or "") as tree:
            for number, plan in enumerate(files):
                if self.journal.steps[number].written is None:
                    continue
                ready, aside = (
                    os.fsencode(self.journal.ready(number)),
                    os.fsencode(self.journal.aside(number)),
                )
                try:
                    self._apply_file(tree, plan, ready, aside)
                except OSError as error:
                    raise Refused(f"cannot be written: {error.strerror}", path=plan.edit.name) from error

    @staticmethod
    def _apply_file(tree: Worktree, plan: FilePlan, ready: bytes, aside: bytes) -> None:
        path = plan.edit.path
        if plan.found is not None:
            try:
                tree.keep(path, aside)
            except FileNotFoundError:
                raise _Again(path) from None
        if tree.signature(path) != (plan.found and plan.found.signature):
            raise _Again(path)
        if plan.action is Action.GONE:
            tree.remove(path)
        else:
            tree.put(path, ready)

    def _ready_index(
        self, edits: Sequence[Edit], files: Sequence[FilePlan], entries: Sequence[IndexPlan]
    ) -> bool:
        """Builds the new index and takes the index's lock with it; False where the index is right as it is.

        The index may be replaced meanwhile, by `git add` or `git status`: then it is read again.
        """
        repo = self.repo
        by_path = {plan.edit.path: plan for plan in files}
        end = monotonic() + _RETRY
        while True:
            news = {entry.path: entry.now for entry in entries if entry.change}
            flagged = {
                entry.path: entry.was
                for entry in entries
                if entry.was is not None
                and entry.path in news
                and entry.now is not None
                and (entry.was.assumed or entry.was.skipped)
            }
            fresh = [
                path
                for path, entry in news.items()
                if path in by_path and path not in flagged and _is_fresh(by_path[path], entry)
            ]
            if not news or not index.build(repo, self.plan.pinned, news, fresh, flagged):
                return False
            if index.lock(repo, self.plan.pinned):
                return True
            if monotonic() > end:
                raise _Again("git's index")
            self.plan.read_index(edits)
            entries = self.plan.index(edits)
            self._note(edits, entries)

    def _move_branch(self, message: str) -> None:
        self._check_head()
        if lock.committing(self.repo):
            raise _Again(self.head.ref or "HEAD")
        try:
            self.notes += refs.move(
                self.repo,
                self.head,
                self.commits[-1],
                f"memgit: {message.strip().partition(chr(10))[0]}",
                self.committer,
            )
        except refs.Moved:
            raise _Again(self.head.ref or "HEAD") from None

    def _check_head(self) -> None:
        if self.repo.head() != self.head:
            raise _Again(self.head.ref or "HEAD")

    def _take_back(self, error: BaseException) -> None:
        """After an error: finishes where the branch has moved, puts everything back where it has not."""
        repo = self.repo
        here = repo.head().commit if self.head.ref is None else repo.ref(self.head.ref)
        if self.options.stage or (self.commits and here == self.commits[-1]):
            recovery.mend_locked(repo)
            return
        told = recovery.undo(repo, self.journal)
        if told and isinstance(error, MemgitError):
            error.message += "".join(f"\n{line}" for line in told)

    def _ask_hooks(
        self, watchers: Mapping[str, str], files: Sequence[FilePlan], message: str
    ) -> tuple[list[Edit], list[IndexPlan]]:
        """Lets the hooks see the commit in an index of its own, and makes the commit of what they leave in
        it.
        """
        repo = self.repo
        own = f"{self.work}/next-index"
        index.begin(repo, self.plan.pinned, own, self.head.commit)
        news = {plan.edit.path: plan.edit.new for plan in files}
        fresh = [plan.edit.path for plan in files if plan.fresh and plan.has_mode(plan.edit.new)]
        index.build(repo, Pinned(own, None), news, fresh, {})
        text, said = hooks.before(repo, watchers, refs.message_bytes(message), own, self.author)
        self.notes += said
        tree = (
            process.run(["write-tree"], repo=repo, extra={"GIT_INDEX_FILE": own}, write=True)
            .decode("ascii")
            .strip()
        )
        if tree == self.whole.oid:
            raise Refused("the hooks left nothing to commit")
        edits = edits_between(repo, self.whole, Tree(repo, tree), [plan.edit for plan in files])
        self.altered = {edit.path: edit.new for edit in edits} != news
        self.plan.read_index(edits)
        entries = self.plan.index(edits)
        self.commits.append(self._make(tree, self.head.commit, text))
        self._note(edits, entries)
        return edits, entries


def _is_fresh(plan: FilePlan, entry: Entry | None) -> bool:
    """Whether `git update-index` may take the entry from the file: it is the very content, with the very
    mode.
    """
    new = plan.edit.new
    if not plan.fresh or (entry is None) != (new is None):
        return False
    return entry is None or (new is not None and entry.oid == new.oid and plan.has_mode(entry))
