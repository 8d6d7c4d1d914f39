"""Counting uses and reads of records; nothing in the working tree or on the branch changes."""

from __future__ import annotations

from collections.abc import Sequence

from memgit import TYPE_CHECKING
from memgit.app.read.counts import uses
from memgit.app.read.reader import open_reader
from memgit.app.read.record_json import record_json
from memgit.app.workspace import Context, Workspace
from memgit.errors import Refused
from memgit.formats.messages import message as messages
from memgit.git.history import usage as refs
from memgit.model.namedtuple import NamedTuple
from memgit.model.operation import RecordChange
from memgit.model.record import Record

if TYPE_CHECKING:
    from typing import Any


class Used(NamedTuple):
    """One use that was counted: the record, the commit on the usage ref, and the uses of the record in all
    clones known here and in its file.
    """

    record: Record
    commit: str
    uses: int

    def as_json(self) -> dict[str, Any]:
        return {
            "op": "use",
            "action": "used",
            "record": record_json(self.record, self.uses - self.record.usage_count),
            "commit": self.commit,
            "related": [],
        }


def use(workspace: Workspace, context: Context, name: str) -> Used:
    """Counts one use of a record; of a skill, of its present version.

    Raises:
        Refused: an archived record, which is not in use.
    """
    reader = open_reader(workspace)
    record = reader.find(name)
    if record.archived:
        raise Refused(
            f"{record.address} is archived",
            path=record.path,
            line=record.line,
            hint=f"memgit restore {record.address}",
        )
    commit = count(workspace, context, "use", [record])
    return Used(record, commit, record.usage_count + uses(reader, record))


def count(workspace: Workspace, context: Context, action: str, records: Sequence[Record]) -> str:
    """Appends one commit to this clone's usage ref that names the records; its hash."""
    changes = [RecordChange(action, record.id, versioned(record)) for record in records]
    one = records[0]
    subject = (
        messages.subject(action, one.kind, one.title)
        if len(records) == 1
        else f"{action}: {len(records)} records"
    )
    text = messages.build(
        subject, action, changes, reason=context.reason, actor=context.actor, run=context.run
    )
    return refs.append(workspace.require_repository(), text)


def versioned(record: Record) -> str:
    """The address of a record; of a skill, with its version: each version is counted by itself."""
    return (
        f"{record.address}@{record.version}"
        if record.kind == "skill" and record.version is not None
        else record.address
    )
