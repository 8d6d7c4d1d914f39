"""Records that a merge would leave in two files: both sides gave one record another place, each its own.

Git sees two files that were added, or changed far apart, and merges them without a conflict.
"""

from __future__ import annotations

from typing import NamedTuple

from memgit.app.reader import open_reader
from memgit.app.workspace import Workspace
from memgit.derive import is_derived
from memgit.errors import MemgitError
from memgit.formats.forms import parse_file
from memgit.git.staged import staged
from memgit.model.record import Record


class Twice(NamedTuple):
    """A record that is staged in one file and stands in another as well."""

    record: Record
    other: str


def twice(workspace: Workspace) -> list[Twice]:
    """The records that are new to a staged file and that another file of the newest commit keeps as well, known by their ids.

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
    after = {path: [record for record in parse_file(layout, path, data).records if record.id] for path, data in held.items()}
    out = []
    for path, records in after.items():
        if not records:
            continue
        before = {record.id for record in parse_file(layout, path, tree.data(path) or b"").records}
        for record in records:
            if record.id is None or record.id in before:
                continue
            other = _in_head(workspace, head, record.id)
            if other is not None and other != path and (other not in after or any(one.id == record.id for one in after[other])):
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
