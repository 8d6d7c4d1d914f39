"""Moving refs by compare-and-swap, and commits on refs that no working tree shows."""

from __future__ import annotations

import os
from contextlib import suppress
from time import monotonic, time

from memgit import TYPE_CHECKING
from memgit.errors import MemgitError, Refused
from memgit.git import process
from memgit.git.backoff import pause
from memgit.git.commit import gc_guard, identity
from memgit.git.commit.identity import Identity
from memgit.git.objects import libgit
from memgit.git.objects.tree import rewrite
from memgit.git.repository import Head

if TYPE_CHECKING:
    from memgit.git.repository import Repository

LOCK_WAIT = 5.0
"""Seconds to wait for another program's lock on a ref."""

_TAIL = 1 << 16  # bytes in which the last line of a reflog lies
_ZERO = "0" * 40


class Moved(Exception):
    """The ref is no longer where it was when the commit was begun."""


def move(repo: Repository, head: Head, new: str, message: str, who: Identity) -> tuple[str, ...]:
    """Moves HEAD's branch (or a detached HEAD) from `head.commit` to a new commit; creates the branch where
    HEAD is unborn.

    Args:
        message: for the reflog, one line.
        who: the committer, for the reflog.

    Returns:
        What the user should be told.

    Raises:
        Moved: somebody moved it meanwhile.
        Refused: another program holds its lock (named with its age), or git's folder cannot be written.
    """
    return swap(repo, "HEAD", head.commit, new, message, who)


def swap(
    repo: Repository, ref: str, old: str | None, new: str, message: str, who: Identity
) -> tuple[str, ...]:
    """As `move`, of any ref; `old` is None for one that is not there yet."""
    message = (
        message.replace("\n", " ").replace("\0", " ").encode("utf-8", "backslashreplace").decode("utf-8")
    )
    end = monotonic() + LOCK_WAIT
    while True:
        repo.restore_written()  # a ref must never lead to what is not there
        said = _swapped(repo, ref, old, new, message, who)
        if said is None:
            return _keep_written(repo)
        head = repo.head()
        now = head.commit if ref == "HEAD" else repo.ref(ref)
        if now != old:
            raise Moved
        branch = head.ref or "HEAD" if ref == "HEAD" else ref
        locks = [f"{repo.common_dir}/{branch}.lock", f"{repo.git_dir}/HEAD.lock"]
        path = next(filter(os.path.exists, locks), locks[0])
        if monotonic() > end:
            raise _stuck(branch, path, said)
        # git does not let a ref lead to what is gone again by then
        if not os.path.exists(path) and not repo.restore_written() and "File exists" not in said:
            raise Refused(f"{branch} cannot be moved: {said}")
        pause(0.02)


def _keep_written(repo: Repository) -> tuple[str, ...]:
    """Sees to it that what was written stays, now that a ref leads to it: a `git gc` that began before that may
    still be at work.

    Returns:
        What the user should be told: it may be lost.
    """
    if not repo.written:
        return ()
    kept = in_danger = False
    if os.path.exists(f"{repo.common_dir}/gc.pid"):
        try:
            kept = gc_guard.keep(repo, repo.written.values())
            in_danger = not kept and gc_guard.runs(repo)
        except Refused:
            in_danger = True
    try:
        if not kept:
            repo.restore_written()
    except MemgitError as error:
        return (
            "git gc may have removed a part of the new commit, which cannot be written again: "
            f"{error} (see git fsck)",
        )
    repo.forget_written()
    if not in_danger:
        return ()
    return ("git gc is at work, and may remove a part of the new commit: see git fsck when it has ended",)


def _swapped(
    repo: Repository, ref: str, old: str | None, new: str, message: str, who: Identity
) -> str | None:
    """Has git move a ref, or the branch that HEAD names by then; returns what went wrong."""
    # Should we be killed, git goes on: it must hold memgit's lock until it is done, or another memgit would
    # judge by what is not yet so.
    args = ["update-ref", "-m", message, ref, new, old or _ZERO]
    argv, env = process.command(args, repo=repo, extra=who.environment("COMMITTER"), write=True)
    done = process.spawn(argv, env, timeout=120, keep=repo.lock_handle)
    return process.words(done.err)[0] or f"exit code {done.code}" if done.code else None


def forget(log: str, commit: str) -> None:
    """Takes the last line off a reflog where it tells of a move to a commit.

    Only under the lock of its ref.
    """
    with suppress(OSError), open(log, "r+b") as file:
        start = max(0, file.seek(0, os.SEEK_END) - _TAIL)
        file.seek(start)
        tail = file.read()
        end = tail.rfind(b"\n", 0, -1) + 1
        if (end or not start) and tail[end + 41 : end + 82] == commit.encode("ascii") + b" ":
            file.truncate(start + end)


def _stuck(ref: str, path: str, said: str) -> Refused:
    try:
        age = time() - os.stat(path).st_mtime
    except FileNotFoundError:
        return Refused(f"{ref} cannot be moved: {said}")
    return Refused(
        f"another program holds {ref}: {path} is {age:.0f} seconds old",
        hint=f"if no git command is running, remove it: rm '{path}'",
    )


def raw_commit(tree: str, parents: list[str], author: Identity, committer: Identity, message: bytes) -> bytes:
    """The content of a commit object; the message (from `message_bytes`) is UTF-8, whatever
    `i18n.commitEncoding` says.
    """
    lines = [
        f"tree {tree}",
        *(f"parent {parent}" for parent in parents),
        f"author {author}",
        f"committer {committer}",
        "",
        "",
    ]
    return "\n".join(lines).encode("utf-8", "surrogateescape") + message


def message_bytes(message: str) -> bytes:
    """A message as it is stored: UTF-8, no NUL, one newline at the end."""
    text = message.replace("\0", "").rstrip("\n") + "\n"
    return text.encode("utf-8", "backslashreplace")


def commit_on(repo: Repository, ref: str, message: str) -> str:
    """Makes an empty commit on a ref that is not checked out, such as a usage ref; its hash. No index, no
    working tree, no hooks.

    Args:
        ref: full name; created, without a parent, where it is not there.

    Raises:
        Refused: the ref is checked out here, keeps moving, or cannot be written; or it has moved, and what it
            leads to may be lost.
    """
    if repo.head().ref == ref:
        raise Refused(f"{ref} is checked out")
    for _ in range(50):
        old = repo.ref(ref)
        tree = rewrite(repo, repo.tree_of(old) if old else None, {})
        who = identity.committer(repo)
        data = raw_commit(tree, [old] if old else [], identity.author(repo), who, message_bytes(message))
        new = repo.write(libgit.COMMIT, data)
        try:
            notes = swap(repo, ref, old, new, "memgit: " + message.partition("\n")[0], who)
        except Moved:
            pause(0.02)
            continue
        if notes:
            raise Refused(f"{ref} is at {new[:10]}, but {notes[0]}")
        return new
    raise Refused(f"{ref} keeps moving", hint="try again")
