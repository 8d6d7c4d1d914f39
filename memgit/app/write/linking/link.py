"""Linking records with each other, both ways, in one commit."""

from __future__ import annotations

from memgit.app.workspace import Context, Workspace
from memgit.app.write.linking import links
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.app.write.update import unchanged
from memgit.app.write.write import execute
from memgit.formats.messages import message as messages
from memgit.model.operation import RecordChange


def link(
    workspace: Workspace,
    context: Context,
    name: str,
    others: tuple[str, ...],
) -> OperationResult:
    """Adds each of `others` to the Related field of the record, and the record to theirs; links that are
    there stay as they are.
    """

    def plan(session: Session) -> Plan:
        record = session.writable(session.reader.find(name))
        before = record.related
        record, changed = links.both_ways(session, record, [session.reader.find(other) for other in others])
        if not session.overlay.edits:
            return unchanged("link", record)
        ends = ([record] if record.related != before else []) + changed
        changes = tuple(RecordChange("link", end.id, end.address) for end in ends)
        return Plan(
            "link",
            changes,
            messages.subject("link", record.kind, record.title),
            (record.path, record.ordinal),
            tuple(other.address for other in changed),
        )

    return execute(workspace, context, plan)
