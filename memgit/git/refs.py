"""Moving refs by compare-and-swap, and commits on refs that no working tree shows."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from time import monotonic, time
from typing import TYPE_CHECKING

from memgit.errors import Refused
from memgit.git import identity, libgit, process
from memgit.git.identity import Identity
from memgit.git.pause import pause
from memgit.git.permissions import shared
from memgit.git.repository import Head
from memgit.git.tree import FILE, Entry, Tree, rewrite

if TYPE_CHECKING:
    from memgit.git.repository import Repository

LOCK_WAIT = 5.0
"""Seconds to wait for another program's lock on a ref."""

_ZERO = "0" * 40


class Moved(Exception):
    """The ref is no longer where it was when the commit was begun."""


def move(repo: Repository, head: Head, new: str, message: str, who: Identity) -> None:
    """Moves HEAD's branch (or a detached HEAD) from `head.commit` to a new commit; creates the branch where HEAD is unborn.

    Args:
        message: for the reflog, one line.
        who: the committer, for the reflog.

    Raises:
        Moved: somebody moved it meanwhile.
        Refused: another program holds its lock (named with its age), or git's folder cannot be written.
    """
    swap(repo, head.ref or "HEAD", head.commit, new, message, who)


def swap(repo: Repository, ref: str, old: str | None, new: str, message: str, who: Identity) -> None:
    """As `move`, of any ref; `old` is None for one that is not there yet."""
    message = message.replace("\n", " ").replace("\0", " ")
    quick = old is not None and identity.known_to_libgit2(repo, who) and not _watched(repo)
    end = monotonic() + LOCK_WAIT
    while True:
        said = _swap_quickly(repo, ref, old, new, message) if quick and old else _swap_by_git(repo, ref, old, new, message, who)
        if said is None:
            return
        now = repo.head().commit if ref == "HEAD" else repo.ref(ref)
        if now != old:
            raise Moved
        path = f"{repo.git_dir}/HEAD.lock" if ref == "HEAD" else f"{repo.common_dir}/{ref}.lock"
        if monotonic() > end:
            raise _stuck(ref, path, said)
        if not os.path.exists(path) and "File exists" not in said and "failed to lock file" not in said:
            raise Refused(f"{ref} cannot be moved: {said}")
        pause(0.02)


def _swap_quickly(repo: Repository, ref: str, old: str, new: str, message: str) -> str | None:
    """By libgit2, in this process. Returns what went wrong."""
    try:
        found = repo.raw.lookup_reference(ref)
        if isinstance(found.raw_target, bytes):
            return _swap_by_git(repo, ref, old, new, message, identity.committer(repo))
        if str(found.raw_target) != old:
            raise Moved
        with shared(repo):
            found.set_target(new, message)
    except libgit.FAILURES as error:
        return str(error)
    return None


def _swap_by_git(repo: Repository, ref: str, old: str | None, new: str, message: str, who: Identity) -> str | None:
    """By `git update-ref`: runs a `reference-transaction` hook, and knows every identity. Returns what went wrong."""
    args = ["update-ref", "-m", message]
    if ref == "HEAD":
        args.append("--no-deref")
    # Should we be killed, git goes on: it must hold memgit's lock until it is done, or another memgit would judge by what is not yet so.
    argv, env = process.command([*args, ref, new, old or _ZERO], repo=repo, extra=who.environment("COMMITTER"), write=True)
    done = process.spawn(argv, env, timeout=120, keep=repo.lock_handle)
    return process.words(done.err)[0] or f"exit code {done.code}" if done.code else None


def _watched(repo: Repository) -> bool:
    """Whether a `reference-transaction` hook wants to hear of moves, which libgit2 would not tell."""
    from memgit.git.hooks import present

    return "reference-transaction" in present(repo, ("reference-transaction",))


def _stuck(ref: str, path: str, said: str) -> Refused:
    try:
        age = time() - os.stat(path).st_mtime
    except FileNotFoundError:
        return Refused(f"{ref} cannot be moved: {said}")
    return Refused(
        f"another program holds {ref}: {path} is {age:.0f} seconds old", hint=f"if no git command is running, remove it: rm '{path}'"
    )


def raw_commit(tree: str, parents: list[str], author: Identity, committer: Identity, message: bytes) -> bytes:
    """The content of a commit object; the message (from `message_bytes`) is UTF-8, whatever `i18n.commitEncoding` says."""
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents), f"author {author}", f"committer {committer}", "", ""]
    return "\n".join(lines).encode("utf-8", "surrogateescape") + message


def message_bytes(message: str) -> bytes:
    """A message as it is stored: UTF-8, no NUL, one newline at the end."""
    text = message.replace("\0", "").rstrip("\n") + "\n"
    return text.encode("utf-8", "backslashreplace")


def commit_on(
    repo: Repository,
    ref: str,
    build: Callable[[Tree, str | None], tuple[Mapping[str, bytes | None], str] | None],
    *,
    start: str | None = None,
) -> str | None:
    """Makes a commit on a ref that is not checked out: a usage ref, or a branch for review. No index, no working tree, no hooks.

    Args:
        ref: full name; created where it is not there.
        build: gets the tree of the knowledge root and the ref's commit, returns the edits (may be none: an empty commit) and the message,
            or None for no commit. Called again where the ref moved.
        start: the commit that a new ref starts from; None starts without parents.

    Raises:
        Refused: the ref is checked out here, keeps moving, or cannot be written.
    """
    if repo.head().ref == ref:
        raise Refused(f"{ref} is checked out")
    for _ in range(50):
        old = repo.ref(ref)
        parent = old or start
        built = build(repo.tree(parent), old)
        if built is None:
            return None
        edits, message = built
        whole = Tree(repo, repo.tree_of(parent) if parent else None)
        entries: dict[str, Entry | None] = {}
        for path, data in edits.items():
            held = whole.get(repo.prefix + path)
            mode = held.mode if held is not None and held.is_file else FILE
            entries[repo.prefix + path] = None if data is None else Entry(mode, repo.write_blob(data))
        tree = rewrite(repo, whole.oid, entries)
        who = identity.committer(repo)
        data = raw_commit(tree, [parent] if parent else [], identity.author(repo), who, message_bytes(message))
        new = repo.write(libgit.COMMIT, data)
        try:
            swap(repo, ref, old, new, "memgit: " + message.partition("\n")[0], who)
        except Moved:
            pause(0.02)
            continue
        return new
    raise Refused(f"{ref} keeps moving", hint="try again")
