"""A commit that changes no file: a message on the branch, by compare-and-swap; index and working tree have
nothing to follow.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from memgit.errors import Refused
from memgit.git import hooks, process
from memgit.git.backoff import pause
from memgit.git.commit import identity, journal, lock, maintenance, recovery, refs, sign
from memgit.git.commit.commit import LOCK_TIMEOUT, Committed
from memgit.git.objects import libgit

if TYPE_CHECKING:
    from memgit.git.commit.identity import Identity
    from memgit.git.repository import Head, Repository

_RETRY = 20.0  # seconds during which it is begun again because HEAD moved


def commit_empty(repo: Repository, message: str) -> Committed:
    """Commits the tree of HEAD again with a message, on HEAD's branch. What is staged stays staged.

    Raises:
        Refused: a bare repository, no commit yet, a merge or the like under way, a hook that says no.
    """
    if repo.bare:
        raise Refused(
            "this repository is bare: memgit writes where there is a working tree",
            hint="git worktree add FOLDER",
        )
    notes: tuple[str, ...] = ()
    end = monotonic() + _RETRY
    with lock.hold(repo, LOCK_TIMEOUT):
        notes += recovery.mend_locked(repo)
        while True:
            operation = repo.in_progress()
            if operation is not None and operation != "bisect":
                raise Refused(
                    f"git {operation} is under way in this working tree",
                    hint=f"end it or git {operation} --abort",
                )
            head = repo.head()
            author, committer = identity.author(repo), identity.committer(repo)
            made, said = _make(repo, head, message, author, committer)
            try:
                said += refs.move(repo, head, made, f"memgit: {message.partition(chr(10))[0]}", committer)
            except refs.Moved:
                if monotonic() > end:
                    raise Refused("HEAD keeps moving", hint="try again") from None
                pause(0.03)
                continue
            break
    notes += said
    if head.ref is None:
        notes += (f"HEAD is detached: commit {made[:10]} is on no branch (git switch -c NAME keeps it)",)
    notes += tuple(hooks.after(repo))
    maintenance.after_commit(repo)
    return Committed(made, notes, (made,))


def _make(
    repo: Repository, head: Head, message: str, author: Identity, committer: Identity
) -> tuple[str, tuple[str, ...]]:
    """Writes the commit object; its hash, and what the hooks of other tools said."""
    if head.commit is None:
        raise Refused("there is no commit yet", hint="commit the records first")
    data = refs.message_bytes(message)
    said: list[str] = []
    watchers = hooks.present(repo)
    if watchers:
        work = journal.new_work(repo.git_dir)
        try:
            own = f"{work}/next-index"
            process.run(["read-tree", head.commit], repo=repo, extra={"GIT_INDEX_FILE": own}, write=True)
            data, said = hooks.before(repo, watchers, data, own, author)
        finally:
            journal.remove_work(work)
    tree = repo.tree_of(head.commit)
    if sign.wanted(repo):
        return sign.commit_tree(repo, tree, [head.commit], author, committer, data), tuple(said)
    return repo.write(libgit.COMMIT, refs.raw_commit(tree, [head.commit], author, committer, data)), tuple(
        said
    )
