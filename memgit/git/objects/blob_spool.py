"""A long series of changes: a version of a file that a later change overwrites is written to git at once and
not kept in memory.

What was written belongs to no commit until the branch moves: where the series fails, git's own sweeping takes
it away in time.
"""

from __future__ import annotations

from collections.abc import Sequence

from memgit import TYPE_CHECKING
from memgit.git.commit.commit import Change

if TYPE_CHECKING:
    from memgit.git.repository import Repository

MAX_SPOOLED_BYTES = 1 << 25
"""Bytes of overwritten versions that are kept before they are written: many at once go into one pack, as
differences.
"""


class Spill:
    """The changes of a series in order, as they come."""

    def __init__(self, repo: Repository, most: int = MAX_SPOOLED_BYTES) -> None:
        self._repo = repo
        self._most = most
        self._changes: list[Change] = []
        # by path, edits and hashes of the last change to it
        self._newest: dict[str, tuple[dict[str, bytes | None], dict[str, str]]] = {}
        self._held: dict[str, list[bytes]] = {}
        self._size = 0

    def add(self, change: Change) -> None:
        """Takes the next change.

        Raises:
            Refused: the disk is full, or the object folder cannot be written.
        """
        edits, written = dict(change.edits), dict(change.written)
        self._changes.append(change._replace(edits=edits, written=written))
        for path in edits:
            before, hashes = self._newest.get(path, ({}, {}))
            data = before.get(path)
            if data is not None:
                del before[path]
                hashes[path] = self._repo.hash_blob(data)
                self._held.setdefault(path, []).append(data)
                self._size += len(data)
            self._newest[path] = edits, written
        if self._size > self._most:
            self._write()

    def changes(self) -> Sequence[Change]:
        """All that came. The newest version of each path is still to be written, all others are."""
        self._write()
        return self._changes

    def _write(self) -> None:
        # One path after another: git keeps a blob as what differs from the one that was written before it.
        self._repo.write_blobs([data for versions in self._held.values() for data in versions])
        self._held.clear()
        self._size = 0
