"""Merging a commit into the branch that is checked out.

The merge commit is made in memory, and git moves the branch, the index and the working tree to it in one step.
git merges by itself, with a merge under way until its commit, only where `in_memory` leaves that to it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from memgit.app.derived.staged import settle
from memgit.app.merge.in_memory import merge_commit
from memgit.app.merge.resolve import NEXT, Left, in_two_places, resolve
from memgit.app.merge.tree_merge import merge_bases
from memgit.app.workspace import Workspace
from memgit.derive import is_derived
from memgit.errors import MemgitError, Refused
from memgit.git import process
from memgit.git.commit import lock
from memgit.git.hooks import MARK
from memgit.git.repository import Head, Repository
from memgit.git.worktree import index
from memgit.git.worktree.unmerged import unmerged
from memgit.git.worktree.untracked_conflicts import in_the_way
from memgit.model.printable import readable

LOCK_WAIT = 60.0
"""Seconds to wait for another memgit that writes in this clone."""
MOVED = 10
"""How often a merge is begun again because HEAD moved meanwhile."""
MERGING = 600.0
"""Seconds that git may take to merge, or to update the working tree."""
NOTE = "memgit/merging"
"""File in the git directory with HEAD, the other commit and our process id while git merges; a killed memgit leaves it."""
MAX_SHOWN = 10
_PLAIN = ("--quiet", "--no-squash", "--no-autostash")
"""Edits that are not committed stay where they are, whatever `merge.autoStash` says. And a merge is one,
whatever the branch's `mergeOptions` say: `--squash` and `-s ours` would make it look as if what came had been
merged. Git from 2.31 on forgets them all."""


class Merged(NamedTuple):
    """How a commit was merged (`none`, `fast-forward`, `merge`, `conflict`), what conflicts, and what to tell."""

    how: str
    left: tuple[Left, ...] = ()
    notes: tuple[str, ...] = ()


def check_idle(repo: Repository) -> None:
    """Raises Refused where an operation of git is under way."""
    operation = repo.in_progress()
    if operation is not None:
        hint = (
            f"memgit resolve, then {NEXT[operation]}; or git {operation} --abort"
            if operation in NEXT
            else "git bisect reset"
        )
        raise Refused(f"git {operation} is under way in this working tree", hint=hint)


def merge_into_head(workspace: Workspace, theirs: str, name: str, message: str) -> Merged:
    """Merges a commit into HEAD's branch.

    Args:
        name: what names the commit in conflict markers, a revision.
        message: of the merge commit.

    Raises:
        Refused: histories are unrelated, HEAD keeps moving, git refuses the merge, or the merge commit cannot be
            made; nothing was changed, unless the message says that the merge is ready.
    """
    for _ in range(MOVED):
        done = _Merge(workspace, workspace.writable().head()).run(theirs, name, message)
        if done is not None:
            return done
    raise Refused(
        "this branch keeps moving while it is merged",
        hint="try again when the other writers are done",
    )


def finish(workspace: Workspace) -> tuple[str, ...]:
    """Ends a merge that a killed memgit left under way; what was done, in words.

    Cheap where there is nothing to do: one look at a file. A merge in which something else was staged since is
    left to the user.
    """
    repo = workspace.repo
    if repo is None or not os.path.exists(f"{repo.git_dir}/{NOTE}"):
        return ()
    try:
        if _is_alive(repo):
            return ()
        with lock.hold(repo, LOCK_WAIT):  # the git that it started may be at work for a moment
            noted = _noted(repo)
            if noted is None or repo.in_progress() != "merge":
                return ()
            ours, theirs = noted
            if (repo.head().commit, repo.ref("MERGE_HEAD")) != (ours, theirs):
                return ()
            merge = _Merge(workspace, repo.head())
            brought = repo.git("diff", "--name-only", "-z", merge.base(ours, theirs), theirs).split(b"\0")
            staged = repo.git("diff", "--name-only", "-z", "--cached").split(b"\0")
            if set(staged) <= {*brought, *(path for path in staged if _is_derived(workspace, path))}:
                done = merge.conclude(bool(unmerged(repo)))
                if not done.left:
                    return ("finished the merge that an interrupted sync had begun", *done.notes)
    except lock.Busy:
        return ()
    except (MemgitError, OSError) as error:
        return (f"an interrupted sync left a merge under way: {error}",)
    return ("an interrupted sync left a merge under way: memgit resolve says how to go on",)


def _is_derived(workspace: Workspace, raw: bytes) -> bool:
    path, prefix = raw.decode("utf-8", "surrogateescape"), workspace.require_repository().prefix
    return path.startswith(prefix) and is_derived(workspace.layout, path[len(prefix) :])


def _noted(repo: Repository) -> tuple[str, str] | None:
    """HEAD and the other commit of a merge that was begun; the note is gone then."""
    path = f"{repo.git_dir}/{NOTE}"
    with open(path, encoding="ascii", errors="replace") as file:
        words = file.read().split()
    os.unlink(path)
    return (words[0], words[1]) if len(words) == 3 else None


def _is_alive(repo: Repository) -> bool:
    """Whether the process that the note names still runs."""
    with open(f"{repo.git_dir}/{NOTE}", encoding="ascii", errors="replace") as file:
        words = file.read().split()
    try:
        os.kill(int(words[2]), 0)
    except (IndexError, ValueError, ProcessLookupError):
        return False
    except PermissionError:
        pass
    return True


@contextmanager
def _noting(repo: Repository, ours: str, theirs: str) -> Iterator[None]:
    """While this holds, the note says what is merged."""
    path = f"{repo.git_dir}/{NOTE}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{ours} {theirs} {os.getpid()}\n")
    try:
        yield
    finally:
        with suppress(OSError):
            os.unlink(path)


class _Merge:
    """One try, from one state of HEAD."""

    def __init__(self, workspace: Workspace, head: Head) -> None:
        self.workspace, self.repo, self.head = workspace, workspace.writable(), head

    def run(self, theirs: str, name: str, message: str) -> Merged | None:
        """Merges a commit into HEAD as it is; None where HEAD moved meanwhile."""
        repo, ours = self.repo, self.head.commit
        if ours is not None and repo.is_ancestor(theirs, ours):
            return Merged("none")
        forward = ours is None or repo.is_ancestor(ours, theirs)
        base = ours if ours is None or forward else self.base(ours, theirs)
        # Who records in this clone meanwhile waits for the merge to be whole.
        with lock.hold(repo, LOCK_WAIT):
            check_idle(repo)
            lock.give_way(repo)
            if repo.head() != self.head:
                return None
            index.wait_until_free(repo)
            self._check_untracked(base, theirs)
            if forward:
                return self._forward(name, "fast-forward")
            assert ours is not None
            made = merge_commit(self.workspace, ours, theirs, message)
            if made is not None:
                return self._forward(made, "merge")
            with _noting(repo, ours, theirs):
                return self._join(name)

    def base(self, ours: str, theirs: str) -> str:
        """Where both sides come from; Refused where their histories never met."""
        bases = merge_bases(self.repo, ours, theirs)
        if not bases and self.repo.shallow():
            raise Refused(
                "both sides have no commit in common as far as this shallow clone goes",
                hint="git fetch --unshallow",
            )
        if not bases:
            raise Refused(
                "both sides have no commit in common: their histories are unrelated",
                hint="git merge --allow-unrelated-histories joins them",
            )
        return bases[0]

    def _check_untracked(self, base: str | None, theirs: str) -> None:
        """Raises Refused where the merge would overwrite files that are not in git: git itself spares only
        those that are not ignored.
        """
        local = self.workspace.indexes() == "local"
        layout, prefix = self.workspace.layout, self.repo.prefix
        found = [
            path
            for path in in_the_way(self.repo, base, self.head.commit, theirs)
            if not (local and path.startswith(prefix) and is_derived(layout, path[len(prefix) :]))
        ]
        if found:
            more = f" and {len(found) - MAX_SHOWN} more" if len(found) > MAX_SHOWN else ""
            named = ", ".join(map(readable, found[:MAX_SHOWN]))
            raise Refused(
                f"the merge would overwrite files that are not in git: {named}{more}",
                hint="move them away, then try again",
            )

    def _forward(self, name: str, how: str) -> Merged | None:
        """Moves the branch, the index and the working tree to a commit that follows HEAD."""
        done = self._git("merge", "--ff-only", *_PLAIN, name)
        if done.code and self.repo.head() != self.head:
            return None
        if done.code:
            raise _refused(done)
        local = self.workspace.indexes() == "local"
        return Merged(how, (), settle(self.workspace).notes if local else ())

    def _join(self, name: str) -> Merged:
        """Has git make a merge commit, with the derived files that its records give."""
        done = self._git("merge", "--no-commit", "--no-ff", *_PLAIN, name)
        if done.code and not unmerged(self.repo):
            # Where git fails for another reason than a conflict (the index is locked, the disk is full), it
            # can leave a merge under way that holds nothing of theirs, and that a commit would end so.
            if self.repo.in_progress() == "merge":
                self._git("merge", "--quit")
            raise _refused(done)
        return self.conclude(bool(done.code))

    def conclude(self, conflicts: bool) -> Merged:
        """Commits the merge that git has under way, unless something is to be settled first."""
        if conflicts:
            resolved = resolve(self.workspace)
            left, notes = resolved.left, resolved.notes
        else:
            notes = settle(self.workspace).notes
            left = tuple(in_two_places(self.workspace))
        if left:
            return Merged("conflict", left, notes)
        committed = self._git("commit", "--no-edit", "--quiet")
        if committed.code:
            message, _ = process.words(committed.err)
            raise Refused(
                f"the merge is ready, but its commit was refused: {message}",
                hint="fix it, then memgit resolve, which says how to go on",
            )
        return Merged("merge", (), notes)

    def _git(self, *args: str) -> process.Done:
        # What a merge brings has been checked where it was written, so memgit's own hooks need not look at
        # it; those of others do.
        count = self.repo.env.get("GIT_CONFIG_COUNT", "")
        number = int(count) if count.isdigit() else 0
        branch = (self.head.ref or "").removeprefix("refs/heads/")
        extra = {
            MARK: "1",
            "GIT_EDITOR": ":",
            "GIT_CONFIG_COUNT": str(number + 1),
            f"GIT_CONFIG_KEY_{number}": f"branch.{branch}.mergeoptions",
            f"GIT_CONFIG_VALUE_{number}": "",
        }
        return process.outlive(list(args), repo=self.repo, extra=extra, timeout=MERGING)


def _refused(done: process.Done) -> Refused:
    """The error for a merge that git did not begin."""
    message, hint = process.words(done.err)
    if "would be overwritten" not in message:
        message = message or f"it failed with exit code {done.code}, as where the disk is full"
        return Refused(
            f"git refused the merge: {message}",
            hint=hint or "git status shows what it may have written by then",
        )
    # git names the files one a line after a tab, where the index is in the way on one line.
    said = done.err.decode("utf-8", "replace").splitlines()
    files = [line.strip() for line in said if line.startswith(("\t", "  "))]
    return Refused(
        f"git does not merge over what is edited or staged, but not committed: {', '.join(files) or message}",
        hint="git commit or git stash them, then try again",
    )
