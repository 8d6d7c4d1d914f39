"""Promotion: a memory out of an observation, a decision out of a memory or note, with its provenance; what it
grew out of stays.
"""

from __future__ import annotations

from memgit.app.workspace import Context, Workspace
from memgit.app.write import record as recording
from memgit.app.write.record import Request
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.app.write.write import execute
from memgit.errors import BadInput, Conflict, Refused
from memgit.model.record import Record

TARGETS = {"observation": "memory", "memory": "decision", "note": "decision"}


def promote(
    workspace: Workspace,
    context: Context,
    name: str,
    request: Request,
) -> OperationResult:
    """Records `request` as grown out of the record `name`. An empty kind, title or body is taken from that
    record.

    Raises:
        BadInput: a record of this kind is not promoted.
        Conflict: a record has the address of the new one already.
        Refused: an archived observation, which is retired.
    """

    def plan(session: Session) -> Plan:
        origin = session.reader.find(name)
        try:
            return recording.plan(session, filled(origin, request))
        except Conflict as error:
            hint = "memgit update or extend changes it; TITLE or --slug gives the new record another name"
            raise Conflict(error.message, path=error.path, line=error.line, hint=hint) from error

    return execute(workspace, context, plan)


def filled(origin: Record, request: Request) -> Request:
    """The request with what it leaves open taken from the record that it grows out of."""
    kind = request.kind or TARGETS.get(origin.kind, "")
    if origin.kind not in TARGETS:
        raise BadInput(
            f"{origin.address}: a record of kind {origin.kind} is not promoted",
            hint=f"one of {', '.join(TARGETS)}",
        )
    if kind not in ("memory", "decision"):
        raise BadInput(f"{kind!r} is nothing to promote to", hint="memory or decision")
    if origin.archived:
        raise Refused(f"{origin.address} is archived: it is retired", path=origin.path, line=origin.line)
    fields = {"topics": origin.topics, **request.fields} if kind == "memory" else dict(request.fields)
    return request._replace(
        kind=kind,
        title=request.title or origin.title,
        body=request.body or origin.body,
        fields={key: value for key, value in fields.items() if value},
        derived_from=(origin.address,),
    )
