"""One writer at a time among memgit's own processes: an advisory lock on a file in the common git directory.

It orders the writers of one clone and its linked worktrees and is gone the moment its holder ends, however it
ends. Other programs know nothing of it; against them stand git's own locks and compare-and-swap.
"""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import contextmanager
from time import monotonic, sleep, time

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git.backoff import pause
from memgit.git.permissions import shared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgit.git.repository import Repository

FOLDER = "memgit"
"""Name of memgit's own folder in a git directory."""
COMMITTING = "committing"
"""File there in which the pre-commit hook names the `git commit` that runs it."""
GAP = 0.05
"""Seconds for which a writer that had to wait leaves the branch alone, so that a plain `git commit` can start."""
GIVE_WAY = 3.0
"""Seconds for which writers wait at most for a `git commit`: it gives up where HEAD moves before its end."""


class Busy(Refused):
    """Another memgit is writing in this clone."""


@contextmanager
def hold(repo: Repository, timeout: float) -> Iterator[None]:
    """Holds the lock of a clone; who holds it already through this `repo` goes on at once.

    Args:
        timeout: seconds to wait for another holder; 0 tries once.

    Raises:
        Busy: another process held it all the time (it is named by its pid).
        Refused: the git directory cannot be written.
    """
    if repo.lock_handle is not None:  # held already, around several steps
        yield
        return
    path = f"{repo.common_dir}/{FOLDER}/lock"
    fd = _open(repo, path)
    try:
        if _acquire(fd, path, timeout):
            sleep(GAP)
        try:
            os.ftruncate(fd, 0)
            os.pwrite(fd, b"%d\n" % os.getpid(), 0)
        except OSError:
            # the pid is a courtesy: a file of another user's, or a full disk, must not stop anybody here
            pass
        repo.lock_handle = fd
        yield
    finally:
        repo.lock_handle = None
        os.close(fd)


def _open(repo: Repository, path: str) -> int:
    try:
        try:
            return os.open(path, os.O_RDWR)
        except FileNotFoundError:
            with shared(repo.settings):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except PermissionError:
            if not os.path.exists(path):
                raise
            return os.open(path, os.O_RDONLY)
    except OSError as error:
        raise Refused(f"the git directory cannot be written: {path}: {error.strerror}") from None


def give_way(repo: Repository) -> None:
    """Waits for a plain `git commit` under way in this working tree."""
    while committing(repo):
        sleep(0.005)


def committing(repo: Repository) -> bool:
    """Whether a plain `git commit` began in this working tree a moment ago; not in one of its own hooks."""
    if "GIT_INDEX_FILE" in repo.env:
        return False
    try:
        with open(f"{repo.git_dir}/{FOLDER}/{COMMITTING}", encoding="ascii") as file:
            os.kill(int(file.read(20)), 0)
            return time() - os.fstat(file.fileno()).st_mtime < GIVE_WAY
    except (OSError, ValueError):
        return False


def _acquire(fd: int, path: str, timeout: float) -> bool:
    """Takes the lock; whether it had to wait."""
    end = monotonic() + timeout
    waited = False
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return waited
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES, errno.EINTR):
                raise Refused(f"{path} cannot be locked: {error.strerror}") from None
        if monotonic() >= end:
            holder = holder_of(fd)
            raise Busy(
                (
                    f"another memgit{f' (process {holder})' if holder else ''} has been writing for more "
                    f"than {timeout:g} s"
                ),
                hint="wait for it to end, or end it, then try again",
            )
        waited = True
        pause(0.012)


def holder_of(fd: int) -> int | None:
    """The process id that a lock file names."""
    text = os.pread(fd, 32, 0).strip()
    return int(text) if text.isdigit() else None
