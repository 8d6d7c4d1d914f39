"""The events of a whole history, told by a second process while this one does something else.

The second process is a fork: it has the repository and the layout at hand, asks git for what it needs, and
never touches the cache. What it tells goes through a file without a name, so that it never waits for us.
Where that cannot be, or where it failed, nothing is lost: whoever wants the events reads them as ever.

Form of the file: batches, each of them eight bytes with its length and then as JSON; a length
of 0 is the end.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO

from memgit.cache.event_rows import Draft, drafted
from memgit.cache.event_text import Entry, Row
from memgit.cache.events import BrokenOff
from memgit.git.history import history
from memgit.git.history.activity import Activity

if TYPE_CHECKING:
    from memgit.git.repository import Repository
    from memgit.model.layout import Layout

BATCH_SIZE = 2_000
"""Events that are written at once."""
AT_ONCE = 32_000
"""Events that are read at once, where so many are there already."""
_PAUSE = 0.01  # seconds between looks at the file
_HEAD = 8


class Beside:
    """Events that are being told.

    Attributes:
        head: the commit whose history they are of.
    """

    def __init__(self, head: str, pid: int, handle: int) -> None:
        self.head = head
        self._pid = pid
        self._handle = handle

    def drafts(self) -> Iterator[list[Draft]]:
        """All of them in the order of the log, newest first, as they come. Once.

        Raises:
            BrokenOff: the other process failed.
        """
        place = 0
        waiting: list[Draft] = []
        while True:
            batch = self._batch(place)
            if batch:
                place += _HEAD + len(batch)
                waiting += [Draft(Row(*row), names, lasting) for row, names, lasting in json.loads(batch)]
                if len(waiting) < AT_ONCE:
                    continue
            if waiting:
                yield waiting
                waiting = []
            elif batch is not None:
                self.stop()
                return
            elif not self._pid:
                self.stop()
                raise BrokenOff
            elif not self._over():
                time.sleep(_PAUSE)

    def _batch(self, place: int) -> bytes | None:
        """What begins at a place of the file, empty at its end; None where it is not there yet."""
        head = os.pread(self._handle, _HEAD, place)
        if len(head) < _HEAD:
            return None
        size = int.from_bytes(head, "big")
        batch = os.pread(self._handle, size, place + _HEAD)
        return batch if len(batch) == size else None

    def _over(self) -> bool:
        """Whether the other process has ended."""
        if self._pid and os.waitpid(self._pid, os.WNOHANG)[0]:
            self._pid = 0
        return not self._pid

    def stop(self) -> None:
        """Ends it; what it told is lost."""
        if self._pid:
            with suppress(OSError):
                os.kill(self._pid, 9)
                os.waitpid(self._pid, 0)
            self._pid = 0
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def begin(repo: Repository, layout: Layout, head: str | None) -> Beside | None:
    """Starts it; None where it cannot be, or would not help: one processor, other threads, a partial clone,
    no commit.
    """
    if head is None or not hasattr(os, "fork") or _processors() < 2 or _threads() > 1 or repo.partial():
        return None
    path = os.path.join(repo.common_dir, "memgit", f"events-{os.getpid()}")
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        os.unlink(path)
    except OSError:
        return None
    parent = os.getpid()
    try:
        pid = os.fork()
    except OSError:
        os.close(handle)
        return None
    if pid == 0:
        code = 1
        try:
            repo.lock_handle = None  # it is the parent's
            _tell(repo, layout, head, handle, parent)
            code = 0
        finally:  # nothing of what the fork inherited may be closed or flushed twice
            os._exit(code)
    return Beside(head, pid, handle)


class _Alone(Exception):
    """The process that wanted the events is gone."""


def _tell(repo: Repository, layout: Layout, head: str, handle: int, parent: int) -> None:
    activity = Activity(repo, layout)
    with os.fdopen(handle, "wb") as file:
        batch: list[tuple[object, ...]] = []
        for event in activity.events(history.commits(repo, [head])):
            draft = drafted(Entry(event, None), activity.border)
            batch.append((tuple(draft.row), draft.names, draft.lasting))
            if len(batch) == BATCH_SIZE:
                if os.getppid() != parent:
                    raise _Alone
                _write(file, batch)
                batch = []
        if batch:
            _write(file, batch)
        file.write(bytes(_HEAD))


def _write(file: BinaryIO, batch: list[tuple[object, ...]]) -> None:
    data = json.dumps(batch).encode()
    file.write(len(data).to_bytes(_HEAD, "big"))
    file.write(data)
    file.flush()


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _threads() -> int:
    threading = sys.modules.get("threading")
    return threading.active_count() if threading is not None else 1
