"""Proposing: an operation becomes a commit on a branch of its own, ready to push; working tree, index and
HEAD stay as they are.

A `Proposal` on the workspace stands in for HEAD: readers read its branch, and every write goes there (see
`write.carry_out`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from memgit.app import config as configuration
from memgit.app.config import Config
from memgit.errors import BadInput, Refused
from memgit.git import hooks
from memgit.git.backoff import pause
from memgit.git.commit import lock, refs
from memgit.git.commit.commit import LOCK_TIMEOUT, Change, Committed, Merge
from memgit.git.history import branches
from memgit.git.history.branches import HEADS
from memgit.git.objects.libgit import FAILURES
from memgit.git.objects.tree import Tree
from memgit.git.remote import names as remote_names
from memgit.git.repository import Head, Repository
from memgit.model.slug import slug

FOLDER = "memgit"
"""Under this name the branches lie that nobody named."""
ATTEMPTS = 50


class Needs(NamedTuple):
    """Options without which a command writes no commit.

    Attributes:
        all_of: it must be given each of them.
        one_of: it must be given one of them, where no person can be asked whether what it proposes is to be
            written.
        hint: what to do instead.
    """

    all_of: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
    hint: str | None = None


TAKEN: Mapping[str, Needs] = {
    **dict.fromkeys(
        ("record", "update", "extend", "archive", "restore", "rename", "promote", "link", "rm", "undo"),
        Needs(),
    ),
    "lint": Needs(("mend", "commit")),
    "ingest": Needs(
        one_of=("yes", "apply_"),
        hint="--yes takes the proposals; to choose, memgit ingest SOURCE --plan FILE, edit that, then "
        "memgit propose -- ingest --apply "
        "FILE",
    ),
    **dict.fromkeys(("merge-records", "upgrade"), Needs()),
}
"""The commands that can be proposed, each with what it must be given."""


class Proposal:
    """A branch that takes the operations of one command.

    Attributes:
        ref: its full name; None until the first commit names it.
        repo: the repository, once `begin` was called.
        base: the commit that the branch grew out of.
        tip: the newest commit: of the branch, else the base.
        commits: what was put on it, the oldest first.
        created: whether the branch was made here.
        notes: what the user should be told.
    """

    def __init__(self, branch: str | None = None, base: str | None = None) -> None:
        """`branch` is the short name, None for `memgit/<op>-<slug>`; `base` is the revision that a new branch
        starts from (None: HEAD).
        """
        self.ref = None if branch is None else branches.checked(branch)
        self._base = base
        self.repo: Repository | None = None
        self.base = self.tip = ""
        self.commits: tuple[str, ...] = ()
        self.created = False
        self.notes: tuple[str, ...] = ()

    @property
    def branch(self) -> str | None:
        """The short name."""
        return None if self.ref is None else self.ref.removeprefix(HEADS)

    def begin(self, repo: Repository) -> Config | None:
        """Looks the branch up; the configuration that it has there, if it has one.

        Raises:
            Refused: the branch is checked out, or there is no commit to start from.
            NotFound: no such base.
        """
        self.repo = repo
        if self.ref is not None:
            self._require_free(repo)
        start = self._start(repo)
        self.tip = self._there(repo) or start
        self.base = start if self.tip == start else _fork(repo, start, self.tip)
        if self._base is not None and self.base != start:
            self.notes += (
                (
                    f"{self.branch} is there already and goes on from {self.tip[:10]}: it does not hold "
                    f"all of {self._base}"
                ),
            )
        entry = repo.tree(self.tip).get(configuration.NAME)
        return configuration.parse(repo.blob(entry.oid)) if entry is not None and entry.is_file else None

    def _start(self, repo: Repository) -> str:
        if self._base is not None:
            return repo.resolve(self._base)
        commit = repo.head().commit
        if commit is None:
            raise Refused(
                "HEAD has no commit yet: there is nothing to propose against",
                hint="memgit init, or name a start with --base",
            )
        return commit

    def _there(self, repo: Repository) -> str | None:
        """The commit of the branch where it is there already, here or (in one remote) as it was last fetched."""
        if self.ref is None:
            return None
        found = repo.ref(self.ref)
        if found is not None:
            return found
        remote = branches.tracked(repo, self.ref)
        if len(remote) != 1 or self._base is not None:
            return None
        self.notes += (f"{self.branch} goes on from {remote[0].removeprefix('refs/remotes/')}",)
        return repo.ref(remote[0])

    def _require_free(self, repo: Repository) -> None:
        shown = branches.shown(repo, self.ref or "")
        if shown is not None:
            raise Refused(
                f"{self.branch} is {shown}",
                hint="propose on another --branch, or leave propose out to commit there",
            )

    def commit(
        self,
        repo: Repository,
        build: Callable[[Tree, Head], Change | None],
        *,
        merge: Merge,
        stage: bool = False,
    ) -> Committed:
        """As `git.commit.commit`, on the branch: `build` gets its tree."""
        if stage:
            raise BadInput("--stage needs the working tree, which a proposal leaves alone")

        def one(tree: Tree, head: Head) -> Sequence[Change]:
            change = build(tree, head)
            return [] if change is None else [change]

        return self.commit_series(repo, one, merge=merge)

    def commit_series(
        self, repo: Repository, build: Callable[[Tree, Head], Sequence[Change]], *, merge: Merge
    ) -> Committed:
        """As `git.commit.commit_series`, on the branch: all commits or none."""
        # Inside a hook of a memgit commit, the lock is held by who waits for the hook to end.
        with lock.hold(repo, 0 if hooks.MARK in repo.env else LOCK_TIMEOUT):
            for _ in range(ATTEMPTS):
                old = None if self.ref is None else repo.ref(self.ref)
                parent = old or self.tip
                changes = build(repo.tree(parent), Head(self.ref, parent))
                if not changes:
                    return Committed(None)
                ref = self.ref or self._name(repo, changes[0].message)
                try:
                    if branches.shown(repo, ref) is not None:
                        self._require_free(repo)
                    done = branches.put_on(repo, ref, old, parent, changes)
                except refs.Moved:
                    pause(0.02)
                    continue
                return self._done(ref, old, done)
        raise Refused(f"{self.branch} keeps moving", hint="try again")

    def _done(self, ref: str, old: str | None, done: Committed) -> Committed:
        if done.commit is not None:
            self.created = self.created or old is None
            self.ref, self.tip = ref, done.commit
            self.commits += done.commits
        return done

    @staticmethod
    def _name(repo: Repository, message: str) -> str:
        """A ref that no branch has yet, for the operation of a commit message."""
        head, _, what = message.partition("\n")[0].partition(": ")
        if "(" not in head and what.endswith(")"):
            what = what.rpartition(" (")[0] or what  # how many records a summary counts
        name = f"{head.partition('(')[0]}-{slug(what or head)}"
        taken = branches.taken(repo)
        # Where a branch has the folder's own name, git cannot keep another below it.
        stem = f"{FOLDER}-{name}" if FOLDER in taken else f"{FOLDER}/{name}"
        ref, number = branches.checked(stem), 1
        while ref.removeprefix(HEADS).casefold() in taken or branches.shown(repo, ref) is not None:
            number += 1
            ref = branches.checked(f"{stem}-{number}")
        return ref


def _fork(repo: Repository, start: str, tip: str) -> str:
    """The commit in which a branch and what it is proposed for meet.

    Raises:
        Refused: they have nothing in common.
    """
    try:
        found = repo.raw.merge_base(start, tip)
    except FAILURES:
        found = None
    if found is None:
        raise Refused(
            f"{tip[:10]} and {start[:10]} have no commit in common",
            hint="name what the branch is proposed for with --base",
        )
    return str(found)


def push(repo: Repository, branch: str) -> tuple[str, ...]:
    """The command that publishes a branch: to its own remote, the one set for pushing, that of HEAD's branch,
    or the only one there is.

    Empty where no remote is meant.
    """
    keys = [f"branch.{branch}.pushremote", "remote.pushdefault", f"branch.{branch}.remote"]
    here = repo.head().ref
    if here is not None:
        keys.append(f"branch.{here.removeprefix(HEADS)}.remote")
    names = [repo.config.get(key) for key in keys]
    remotes = remote_names(repo)
    chosen = next((name for name in names if name and name != "."), None)
    chosen = chosen or ("origin" if "origin" in remotes else remotes[0] if len(remotes) == 1 else None)
    return () if chosen is None else ("git", "push", "-u", chosen, branch)


def required(command: str) -> Needs:
    """What a command must be given to be proposed.

    Raises:
        BadInput: it cannot be: it makes no commit, or works on the working tree.
    """
    if command not in TAKEN:
        raise BadInput(f"{command!r} cannot be proposed", hint=f"one of {', '.join(TAKEN)}")
    return TAKEN[command]
