"""Archiving hides a record from lists, search and context; its file stays.

Restoring brings it back; observations archive one way.
"""

from __future__ import annotations

from memgit.app.workspace import Context, Workspace
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.app.write.update import changed, touch, unchanged
from memgit.app.write.write import execute
from memgit.errors import Refused
from memgit.formats.messages.message import one_line
from memgit.model.record import Value


def archive(workspace: Workspace, context: Context, name: str) -> OperationResult:
    """Marks a record as archived today; one that is archived already is left alone."""

    def plan(session: Session) -> Plan:
        record = session.writable(session.reader.find(name))
        if record.archived:
            return unchanged("archive", record)
        changes: dict[str, Value] = {"archived": context.today}
        if context.reason and session.place_of(record).form == "vault":
            changes["tombstone_reason"] = one_line(context.reason)
        data = session.form_of(record).edit(session.bytes_of(record), record.ordinal, changes)
        session.overlay.put(record.path, data)
        if record.kind != "observation":
            touch(session, record, {}, dated=False)
        return changed("archive", "archive", session, record, [])

    return execute(workspace, context, plan)


def restore(workspace: Workspace, context: Context, name: str) -> OperationResult:
    """Takes the mark away again. What a record that was merged gave to another stays with that one; its uses
    count for it alone again.

    Raises:
        Refused: an observation: its archiving is final.
    """

    def plan(session: Session) -> Plan:
        record = session.writable(session.reader.find(name))
        if not record.archived:
            return unchanged("restore", record)
        if record.kind == "observation":
            raise Refused(
                f"{record.address} stays archived: observations archive one way",
                path=record.path,
                line=record.line,
            )
        changes: dict[str, Value] = {
            "archived": None,
            **({"merged_into": None} if record.text("merged_into") else {}),
        }
        data = session.form_of(record).edit(session.bytes_of(record), record.ordinal, changes)
        session.overlay.put(record.path, data)
        touch(session, record, {}, dated=False)
        return changed("restore", "restore", session, record, [])

    return execute(workspace, context, plan)
