"""Records that a merge would leave in two files: both sides gave one record another place, each its own.

Git sees two files that were added, or changed far apart, and merges them without a conflict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from memgit.app.read.reader import open_reader
from memgit.app.workspace import Workspace
from memgit.cache.rows import FROM_FILES, FROM_RECORDS
from memgit.derive import is_derived
from memgit.errors import MemgitError
from memgit.formats.codecs import parse_file
from memgit.git.worktree.staged import staged
from memgit.model.duplicate_id import merging
from memgit.model.record import Record

if TYPE_CHECKING:
    from memgit.cache.records import Snapshot

CHUNK = 500
"""So many paths or ids stand in one query."""


class Twice(NamedTuple):
    """A record that is staged in one file and stands in another as well."""

    record: Record
    other: str


def twice(workspace: Workspace) -> list[Twice]:
    """The records that are new to a staged file and that another file of the newest commit keeps as well,
    known by their ids.

    What one side has twice is left to `memgit lint`. The cost follows what is staged.
    """
    repo, layout = workspace.require_repository(), workspace.layout
    head = repo.head().commit
    held = {
        path: b"" if entry is None or not entry.is_file else repo.blob(entry.oid)
        for path, entry in staged(repo, head).items()
        if layout.find(path) is not None and not is_derived(layout, path)
    }
    tree = repo.tree(head)
    after = {
        path: [record for record in parse_file(layout, path, data).records if record.id]
        for path, data in held.items()
    }
    out = []
    for path, records in after.items():
        if not records:
            continue
        before = {record.id for record in parse_file(layout, path, tree.data(path) or b"").records}
        for record in records:
            if record.id is None or record.id in before:
                continue
            other = _in_head(workspace, head, record.id)
            if (
                other is not None
                and other != path
                and (other not in after or any(one.id == record.id for one in after[other]))
            ):
                out.append(Twice(record, other))
    return out


def _in_head(workspace: Workspace, head: str | None, wanted: str) -> str | None:
    """The file that has a record in the newest commit; None where none has it, or several."""
    if head is None:
        return None
    try:
        found = open_reader(workspace, head).find(wanted)
    except MemgitError:
        return None
    return found.path if found.id == wanted else None


class Doubled(NamedTuple):
    """A record that a merge left in two files: as our side had it, and as the other brought it."""

    kept: Record
    copy: Record

    def words(self, folder: str = ".") -> str:
        """What is wrong, and the command that makes one record of the two again; `folder` is where the
        knowledge root lies.
        """
        command = merging(self.kept.address, self.copy.address, folder=folder)
        return f"is in {self.kept.path}:{self.kept.line} as well: both sides gave it a place; fix: {command}"


def doubled(workspace: Workspace, snapshot: Snapshot, old: str, changed: Iterable[str]) -> list[Doubled]:
    """The records that are in two files since a merge, known by their ids, one for each id. The cost follows
    what the merge changed.

    Args:
        snapshot: the state to look at.
        old: our side before the merge.
        changed: the paths that the merge changed.
    """
    layout, tree = workspace.layout, workspace.require_repository().tree(old)
    paths = [path for path in changed if layout.holds(path)]
    ids: set[str] = set()
    for some in _chunks(paths):
        marks = ", ".join("?" * len(some))
        sql = (
            f"select record.id {FROM_FILES} where file.path in ({marks}) and record.id is not null and "
            f"{{visible}}"
        )
        ids.update(id_ for (id_,) in snapshot.rows(sql, some))
    out = []
    for some in _chunks(sorted(ids)):
        marks = ", ".join("?" * len(some))
        sql = (
            f"select record.id {FROM_RECORDS} where record.id in ({marks}) and {{visible}} group by "
            f"record.id having count(*) > 1"
        )
        for (id_,) in snapshot.rows(sql, some):
            held = snapshot.with_id(id_)
            before = {
                path
                for path in {one.path for one in held}
                if id_ in {one.id for one in parse_file(layout, path, tree.data(path) or b"").records}
            }
            ours = [one for one in held if one.path in before]
            theirs = [one for one in held if one.path not in before]
            if ours and theirs:  # what one side has twice is left to `memgit lint`
                out.append(Doubled(ours[0], theirs[0]))
    return out


def _chunks(items: list[str]) -> Iterator[list[str]]:
    return (items[start : start + CHUNK] for start in range(0, len(items), CHUNK))
