"""The user's index: what is staged for a few paths, and a new index that differs in these alone.

The new index is built by git itself in a file of memgit's own (so split indexes, every version, sparse
checkouts and extensions are git's business), then put in place under `index.lock`, which is held for no
longer than that takes.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from time import monotonic, time

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import process
from memgit.git.backoff import pause
from memgit.git.objects.tree import Entry
from memgit.git.worktree.worktree import write_new
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from memgit.git.repository import Repository

LOCK_WAIT = 5.0
"""Seconds to wait for another program's index.lock."""

_STALE = 60.0  # seconds after which another's index.lock is no longer waited for
_EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
_NO_OID = "0" * 40

_UPDATE = ("-c", "index.sparse=false", "update-index")
"""A sparse index is written in full: git up to 2.39 at least breaks it when it adds below a folder that is not
spelled out in it. The next git command that writes the index folds it up again.
"""
_FROM_FILES = ("--add", "--remove", "--replace", "-z", "--stdin")  # entries from the files of these names

Signature = tuple[int, int, int]
"""Tells versions of the index apart: inode, size in bytes, time of the last change in nanoseconds.

`st_ctime` is left out, because a hard link to the file changes it.
"""


def is_damaged(repo: Repository) -> bool:
    """Whether the index is cut off or holds other bytes than git wrote; git itself does not always look."""
    from hashlib import sha1

    try:
        with open(repo.index_file, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return False
    end = data[-20:]
    if len(data) < 32 or not data.startswith(b"DIRC"):
        return True
    # Zeros stand there with index.skipHash.
    return end != bytes(20) and sha1(data[:-20], usedforsecurity=False).digest() != end


class Staged(NamedTuple):
    """What the index holds for a path at stage 0.

    `skipped`: the path is outside a sparse checkout. `assumed`: `update-index --assume-unchanged`.
    `conflicted`: it has stages instead.
    """

    entry: Entry
    skipped: bool = False
    assumed: bool = False
    conflicted: bool = False


class Pinned(NamedTuple):
    """A private second name (or copy) of the index at one moment; `signature` tells whether it was replaced
    since, None that there was none.
    """

    path: str
    signature: Signature | None


def pin(repo: Repository, path: str) -> Pinned:
    """Takes hold of the index as it is now, under the name `path`."""
    source = repo.index_file
    _unlink(path)
    try:
        os.link(source, path)
        return Pinned(path, signature_at(path))
    except FileNotFoundError:
        return Pinned(path, None)
    except OSError:
        pass  # another file system, or one without links
    try:
        return Pinned(path, _copy(source, path))
    except FileNotFoundError:
        return Pinned(path, None)


def staged(repo: Repository, pinned: Pinned, paths: Collection[str]) -> dict[str, Staged | None]:
    """What the index holds for some paths; a path that it lacks, or has only by `git add -N`, gives None."""
    if pinned.signature is None:
        return dict.fromkeys(paths)
    wanted = set(paths)
    found = _listed(repo, pinned.path, paths if len(paths) <= 100 else (), wanted)
    doubtful = [path for path, row in found.items() if row is not None and row.entry.oid == _EMPTY_BLOB]
    for path in doubtful:
        extra = {"GIT_INDEX_FILE": pinned.path}
        told = process.run(["ls-files", "--stage", "-z", "--debug", "--", path], repo=repo, extra=extra)
        flags = told.rpartition(b"flags: ")[2].split(b"\n")[0]
        if flags and int(flags, 16) & 0x20000000:  # CE_INTENT_TO_ADD in git's cache.h
            found[path] = None
    return found


def _listed(repo: Repository, file: str, paths: Iterable[str], wanted: set[str]) -> dict[str, Staged | None]:
    out: dict[str, Staged | None] = dict.fromkeys(wanted)
    for row in process.run(
        ["ls-files", "--stage", "-v", "-z", "--", *paths], repo=repo, extra={"GIT_INDEX_FILE": file}
    ).split(b"\0"):
        meta, tab, name = row.partition(b"\t")
        path = name.decode("utf-8", "surrogateescape")
        if not tab or path not in wanted:
            continue
        tag, mode, oid, stage = meta.split()
        entry = Entry(int(mode, 8), oid.decode("ascii"))
        out[path] = Staged(entry, skipped=tag in b"Ss", assumed=tag.islower(), conflicted=stage != b"0")
    return out


def cleaned(repo: Repository, pinned: Pinned, scratch: str, paths: Collection[str]) -> dict[str, str | None]:
    """The blob that `git add` would store for each file of the working tree, None for a missing one; the
    user's filters run.

    Args:
        scratch: name of an index file for this alone.
    """
    extra = _scratch(pinned, scratch)
    _update(repo, extra, _FROM_FILES, _names(paths))
    rows = _listed(repo, scratch, paths if len(paths) <= 100 else (), set(paths))
    _unlink(scratch)
    return {path: row.entry.oid if row is not None else None for path, row in rows.items()}


def checked_out(
    repo: Repository, pinned: Pinned, scratch: str, folder: str, entries: Mapping[str, Entry]
) -> dict[str, bytes]:
    """What git would write to the working tree for each path; the user's filters run.

    Args:
        scratch: name of an index file for this alone.
        folder: a folder for this alone, not there yet.
    """
    extra = _scratch(pinned, scratch)
    _set(repo, extra, entries)
    options = ["--force", f"--prefix={folder}/", "-z", "--stdin"]
    process.run(["checkout-index", *options], repo=repo, extra=extra, data=_names(entries))
    _unlink(scratch)
    out: dict[str, bytes] = {}
    for path in entries:
        with open(os.fsencode(f"{folder}/") + path.encode("utf-8", "surrogateescape"), "rb") as file:
            out[path] = file.read()
    return out


def begin(repo: Repository, pinned: Pinned, path: str, commit: str | None) -> None:
    """Makes an index of what a commit holds, in a file of its own; stat data is taken from the pinned one
    where it still fits.
    """
    extra = _scratch(pinned, path)
    process.run(
        ["read-tree", "--reset", commit] if commit else ["read-tree", "--empty"],
        repo=repo,
        extra=extra,
        write=True,
    )


def _scratch(pinned: Pinned, scratch: str) -> dict[str, str]:
    _unlink(scratch)
    if pinned.signature is not None:
        _copy(pinned.path, scratch)
    return {"GIT_INDEX_FILE": scratch}


def _copy(source: str, target: str) -> Signature:
    """Copies an index with its time; the signature of what was copied.

    A file that changed when the index was written may look unchanged by its size and times. Git tells it by
    the time of the index ("racy git", Documentation/technical/racy-git.txt), which a copy has to keep.
    """
    with open(source, "rb") as file:
        was = os.fstat(file.fileno())
        write_new(os.fsencode(target), file.read(), None)
    os.utime(target, ns=(was.st_atime_ns, was.st_mtime_ns))
    return _signature(was)


def build(
    repo: Repository,
    pinned: Pinned,
    entries: Mapping[str, Entry | None],
    fresh: Iterable[str],
    flagged: Mapping[str, Staged],
) -> bool:
    """Changes some entries of a pinned index; the file takes its name, the index itself stays.

    Args:
        entries: new entry by path, None to take it out.
        fresh: those whose file in the working tree is this very content, so that its stat data can be
            recorded.
        flagged: those that keep `skip-worktree` or `assume-unchanged`.

    Returns:
        Whether there is a new index at all; without one, the file is still the index itself and must not be
        published.
    """
    extra = {"GIT_INDEX_FILE": pinned.path}
    quick = {path: entries[path] for path in fresh if path in entries}
    slow = {path: entry for path, entry in entries.items() if path not in quick}
    if slow:
        _set(repo, extra, slow)
    if quick:
        _update(repo, extra, _FROM_FILES, _names(quick))
        # The file may have been touched since, a filter may not give back what it was given, git may have
        # been told to trust a bit rather than to look: what the commit holds counts.
        rows = staged(repo, Pinned(pinned.path, signature_at(pinned.path)), quick)
        wrong = {path: entry for path, entry in quick.items() if _entry(rows[path]) != entry}
        if wrong:
            _set(repo, extra, wrong)
    for option, paths in (
        ("--skip-worktree", [path for path, row in flagged.items() if row.skipped]),
        ("--assume-unchanged", [path for path, row in flagged.items() if row.assumed]),
    ):
        if paths:
            _update(repo, extra, [option, "-z", "--stdin"], _names(paths))
    return signature_at(pinned.path) != pinned.signature


def signature_at(path: str) -> Signature | None:
    """The signature of the index at a path; None where there is none. Raises OSError where it cannot be read."""
    try:
        return _signature(os.stat(path))
    except (FileNotFoundError, NotADirectoryError):
        return None


def _signature(status: os.stat_result) -> Signature:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _entry(row: Staged | None) -> Entry | None:
    return None if row is None else row.entry


def set_entries(repo: Repository, entries: Mapping[str, Entry | None]) -> None:
    """Puts entries into the index itself, None takes one out; whatever stages a path had are gone.

    Git takes its own lock.
    """
    _set(repo, {}, entries)


def _set(repo: Repository, extra: Mapping[str, str], entries: Mapping[str, Entry | None]) -> None:
    lines = [
        f"0 {_NO_OID}\t{path}\0" if entry is None else f"{entry.mode:o} {entry.oid}\t{path}\0"
        for path, entry in entries.items()
    ]
    _update(repo, extra, ["-z", "--index-info"], "".join(lines).encode("utf-8", "surrogateescape"))


def _update(repo: Repository, extra: Mapping[str, str], options: Iterable[str], data: bytes) -> None:
    process.run([*_UPDATE, *options], repo=repo, extra=extra, data=data, write=True)


def _names(paths: Iterable[str]) -> bytes:
    return "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")


def wait_until_free(repo: Repository) -> None:
    """Waits for another program's lock on the index.

    Raises Refused, with its name and age, where it stays.
    """
    end = monotonic() + LOCK_WAIT
    while True:
        age = _age(lock_path(repo))
        if age is None:
            return
        if age > _STALE or monotonic() > end:
            raise _held(repo, age)
        pause(0.02)


def lock(repo: Repository, pinned: Pinned) -> bool:
    """Takes `index.lock` with the finished index as its content.

    Returns:
        False, holding nothing, where the index was replaced since it was pinned: what was built no longer
        fits.

    Raises:
        Refused: another program held the lock all the time.
    """
    target = lock_path(repo)
    end = monotonic() + LOCK_WAIT
    while True:
        try:
            _take(pinned.path, target)
            break
        except FileExistsError:
            age = _age(target)
            if age is not None and (age > _STALE or monotonic() > end):
                raise _held(repo, age) from None
            pause(0.02)
    if signature_at(repo.index_file) == pinned.signature:
        return True
    os.unlink(target)
    return False


def _take(path: str, target: str) -> None:
    try:
        os.link(path, target)
    except OSError as error:
        if error.errno not in (errno.EXDEV, errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS):
            raise
        _copy(path, target)


def publish(repo: Repository) -> None:
    """Makes the content of the lock the index, which ends the lock."""
    os.rename(lock_path(repo), repo.index_file)


def unlock(repo: Repository) -> None:
    """Gives the lock up; the index stays as it was."""
    _unlink(lock_path(repo))


def is_ours(repo: Repository, path: str) -> bool:
    """Whether the lock on the index is the private file `path`, or a copy of it: one that this clone's memgit
    left when it was killed.
    """
    try:
        with open(lock_path(repo), "rb") as one, open(path, "rb") as two:
            return (
                os.path.samestat(os.fstat(one.fileno()), os.fstat(two.fileno())) or one.read() == two.read()
            )
    except FileNotFoundError:
        return False


def lock_path(repo: Repository) -> str:
    """Where git locks the index."""
    return f"{repo.index_file}.lock"


def _held(repo: Repository, age: float) -> Refused:
    path = lock_path(repo)
    return Refused(
        f"another program holds git's index: {path} is {_words(age)} old",
        hint=f"if no git command is running, remove it: rm '{path}'",
    )


def _age(path: str) -> float | None:
    try:
        return max(0.0, time() - os.stat(path).st_mtime)
    except FileNotFoundError:
        return None


def _words(seconds: float) -> str:
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return f"{seconds:.0f} second{'' if round(seconds) == 1 else 's'}"


def _unlink(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)
