"""Moving refs by compare-and-swap, and commits on refs that no working tree shows."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from time import monotonic, time

from memgit import TYPE_CHECKING
from memgit.errors import MemgitError, Refused
from memgit.git import process
from memgit.git.backoff import pause
from memgit.git.commit import gc_guard, identity
from memgit.git.commit.identity import Identity
from memgit.git.hooks import present
from memgit.git.objects import libgit
from memgit.git.objects.tree import FILE, Entry, Tree, rewrite
from memgit.git.permissions import shared
from memgit.git.repository import Head
from memgit.git.write_all import write_all

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
    return swap(repo, head.ref or "HEAD", head.commit, new, message, who)


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
        now = repo.head().commit if ref == "HEAD" else repo.ref(ref)
        if now != old:
            raise Moved
        locks = (
            [f"{repo.git_dir}/HEAD.lock"]
            if ref == "HEAD"
            else [f"{repo.common_dir}/{ref}.lock", f"{repo.git_dir}/HEAD.lock"]
        )
        path = next(filter(os.path.exists, locks), locks[0])
        if monotonic() > end:
            raise _stuck(ref, path, said)
        # Neither libgit2 nor git lets a ref lead to what is gone again by then.
        if (
            not os.path.exists(path)
            and not repo.restore_written()
            and "File exists" not in said
            and "failed to lock file" not in said
        ):
            raise Refused(f"{ref} cannot be moved: {said}")
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
    """In the cheapest way that there is. Returns what went wrong."""
    if old is not None and not _watched(repo):
        logs = _logs(repo, ref)
        if logs is not None:
            with _uninterrupted():
                return _swap_in_files(repo, ref, old, new, f"{old} {new} {who}\t{message}\n", logs)
        if identity.known_to_libgit2(repo, who):
            return _swap_quickly(repo, ref, old, new, message)
    return _swap_by_git(repo, ref, old, new, message, who)


def _logs(repo: Repository, ref: str) -> list[str] | None:
    """The reflogs in which a move of a branch is to be noted, where all of it are ordinary files; None where
    it is another matter.
    """
    if repo.bare or repo.git_dir != repo.common_dir or repo.hardened or not ref.startswith("refs/heads/"):
        return None
    logs = [f"{repo.git_dir}/logs/{name}" for name in ((ref, "HEAD") if repo.head().ref == ref else (ref,))]
    if not all(os.path.isfile(path) and not os.path.islink(path) for path in logs):
        return None
    path = f"{repo.git_dir}/{ref}"
    try:
        with open(path, "rb") as file:
            return None if os.path.islink(path) or file.read(4) == b"ref:" else logs
    except FileNotFoundError:
        return logs if os.path.isdir(os.path.dirname(path)) else None  # packed
    except OSError:
        return None  # an empty folder in its place, which git removes


def _swap_in_files(
    repo: Repository, ref: str, old: str, new: str, line: str, logs: Sequence[str]
) -> str | None:
    """As git does it: under the lock of each ref whose reflog is written, the reflogs first. Returns what
    went wrong.

    Args:
        logs: the ref's own reflog, and HEAD's where it is HEAD's branch.

    Raises:
        Moved: the ref is no longer where it was, or no longer HEAD's branch.
    """
    path = f"{repo.git_dir}/{ref}"
    # without HEAD's, `git reflog expire` would lose a line
    names = [f"{path}.lock", f"{repo.git_dir}/HEAD.lock"][: len(logs)]
    data = line.encode("utf-8", "surrogateescape")
    held: list[tuple[str, int]] = []
    sizes: list[tuple[str, int]] = []
    try:
        with shared(repo.settings):
            for name in names:
                held.append((name, os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)))
                write_all(held[-1][1], f"{new}\n".encode("ascii"))
        if repo.ref(ref) != old or (len(logs) > 1 and repo.head().ref != ref):
            raise Moved
        for log in logs:
            sizes.append((log, os.path.getsize(log)))
            _append(log, data)
        os.rename(names[0], path)
    except BaseException as error:
        if sizes and not _is_there(held[0][1], path):
            for log, size in sizes:
                _cut(log, size, data)
        if isinstance(error, OSError):
            return f"{error.filename or path}: {error.strerror}"
        raise
    finally:
        for name, handle in reversed(held):
            _unlock(name, handle)
            os.close(handle)
    return None


class _uninterrupted:  # noqa: N801  # read as a word of the statement
    """In a process of one thread, Ctrl-C waits until the block has ended, which it would have leave a lock
    behind; it is raised then.
    """

    def __enter__(self) -> None:
        self._was = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        try:
            signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
        except KeyboardInterrupt:  # it came just before, and the block is not entered
            signal.pthread_sigmask(signal.SIG_SETMASK, self._was)
            raise

    def __exit__(self, *error: object) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self._was)


def _unlock(lock: str, handle: int) -> None:
    """Removes a lock file that this process made, but not another's that took its name since."""
    with suppress(OSError):
        if _is_there(handle, lock):
            os.unlink(lock)


def _is_there(handle: int, path: str) -> bool:
    """Whether an open file has this name."""
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False


def _append(path: str, line: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
    try:
        write_all(handle, line)
    finally:
        os.close(handle)


def _cut(path: str, size: int, line: bytes) -> None:
    """Takes a line, or the part of it that was written, off the end of a file again."""
    with suppress(OSError), open(path, "r+b") as file:
        file.seek(size)
        if line.startswith(file.read()):
            file.truncate(size)


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


def _swap_quickly(repo: Repository, ref: str, old: str, new: str, message: str) -> str | None:
    """By libgit2, in this process. Returns what went wrong."""
    try:
        found = repo.raw.lookup_reference(ref)
        if isinstance(found.raw_target, bytes):
            return _swap_by_git(repo, ref, old, new, message, identity.committer(repo))
        if str(found.raw_target) != old:
            raise Moved
        with shared(repo.settings):
            found.set_target(new, message)
    except libgit.FAILURES as error:
        return str(error)
    return None


def _swap_by_git(
    repo: Repository, ref: str, old: str | None, new: str, message: str, who: Identity
) -> str | None:
    """By `git update-ref`: runs a `reference-transaction` hook, and knows every identity.

    Returns what went wrong.
    """
    args = ["update-ref", "-m", message]
    if ref == "HEAD":
        args.append("--no-deref")
    # Should we be killed, git goes on: it must hold memgit's lock until it is done, or another memgit would
    # judge by what is not yet so.
    argv, env = process.command(
        [*args, ref, new, old or _ZERO], repo=repo, extra=who.environment("COMMITTER"), write=True
    )
    done = process.spawn(argv, env, timeout=120, keep=repo.lock_handle)
    return process.words(done.err)[0] or f"exit code {done.code}" if done.code else None


def _watched(repo: Repository) -> bool:
    """Whether a `reference-transaction` hook wants to hear of moves, which libgit2 would not tell."""
    return "reference-transaction" in present(repo, ("reference-transaction",))


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


def commit_on(
    repo: Repository,
    ref: str,
    build: Callable[[Tree, str | None], tuple[Mapping[str, bytes | None], str] | None],
    *,
    start: str | None = None,
) -> str | None:
    """Makes a commit on a ref that is not checked out: a usage ref, or a branch for review. No index, no
    working tree, no hooks.

    Args:
        ref: full name; created where it is not there.
        build: gets the tree of the knowledge root and the ref's commit, returns the edits (may be none: an
            empty commit) and the message, or None for no commit. Called again where the ref moved.
        start: the commit that a new ref starts from; None starts without parents.

    Raises:
        Refused: the ref is checked out here, keeps moving, or cannot be written; or it has moved, and what it
            leads to may be lost.
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
        data = raw_commit(
            tree, [parent] if parent else [], identity.author(repo), who, message_bytes(message)
        )
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
