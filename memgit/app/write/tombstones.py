"""Records that were merged into others: they are archived and say into which (`merged_into`), so their
histories and uses are found.
"""

from __future__ import annotations

from collections.abc import Iterator

from memgit.app.read.reader import CachedReader, Reader
from memgit.app.workspace import Workspace
from memgit.model.filetree import NO_FILES
from memgit.model.record import Record


class Merged:
    """What was merged into which record, looked up once.

    Args:
        reader: of the state that is asked about; of the newest commit unless given, where looking at the
            working tree costs too much.
    """

    def __init__(self, workspace: Workspace, reader: Reader | None = None) -> None:
        self._workspace, self._reader = workspace, reader
        self._by_name: dict[str, list[Record]] | None = None

    def into(self, record: Record) -> list[Record]:
        """The heads of the records that were merged into one, and into those in turn; in the order of their
        paths.
        """
        found: dict[tuple[str, int], Record] = {}
        waiting = [record]
        while waiting:
            one = waiting.pop()
            for other in self._direct(one):
                here = (other.path, other.ordinal)
                if here not in found and here != (record.path, record.ordinal):
                    found[here] = other
                    waiting.append(other)
        return [found[here] for here in sorted(found)]

    def _direct(self, record: Record) -> Iterator[Record]:
        if self._by_name is None:
            self._by_name = {}
            for other in (self._reader or self._committed()).merged():
                self._by_name.setdefault(other.text("merged_into") or "", []).append(other)
        if not self._by_name:
            return
        # Other tools name a file by its stem, people by its address.
        for name in dict.fromkeys([record.id, record.stem, record.address]):
            yield from self._by_name.get(name or "", ())

    def _committed(self) -> Reader:
        repo = self._workspace.require_repository()
        if self._workspace.proposal is not None:
            return CachedReader(self._workspace, repo, NO_FILES, self._workspace.proposal.tip, False)
        return CachedReader(self._workspace, repo, NO_FILES, repo.head().commit, False, label="")
