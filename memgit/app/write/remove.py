"""Deleting records: they go from the newest state and stay in history, from where `undo` brings them back."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.write.linking.follow import linking_records
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.app.write.write import execute
from memgit.errors import BadInput, Refused
from memgit.formats.messages import message as messages
from memgit.model import link
from memgit.model.kinds import KINDS
from memgit.model.operation import RecordChange

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memgit.app.workspace import Context, Workspace
    from memgit.model.record import Record

MAX_NAMED = 5
"""Records whose links would break that a refusal names; the rest are counted."""


class LinksBreak(Refused):
    """Links of other records lead to one that is to be deleted."""


def remove(
    workspace: Workspace,
    context: Context,
    names: Sequence[str],
    *,
    force: bool = False,
) -> OperationResult:
    """Deletes records in one commit. Related fields of other records drop their links to them.

    Args:
        force: delete them though other links lead to them.

    Raises:
        BadInput: no reason is given; a record that is gone without one is a finding (MG404).
        LinksBreak: a link in a text, or another field than Related, names one of them.
        Refused: a file cannot be written, or holds uncommitted edits.
    """
    if not (context.reason and context.reason.strip()):
        raise BadInput(
            "say why it is deleted", hint="--reason TEXT; memgit archive hides a record and keeps its file"
        )

    def plan(session: Session) -> Plan:
        found = {_place(one): _removable(session, one) for one in map(session.reader.find, names)}
        linked = _unrelate(session, found.values())
        left = _linking(session, found.values())
        if left and not force:
            raise _links_break(list(found.values()), left)
        for record in sorted(found.values(), key=_place, reverse=True):
            entry = KINDS[record.kind].stored == "entry"
            data = session.bytes_of(record)
            left_over = session.form_of(record).remove(data, record.ordinal) if entry else None
            session.overlay.put(record.path, left_over)
        gone = [RecordChange("remove", one.id, one.address) for one in found.values()]
        back = [RecordChange("link", one.id, one.address) for one in linked]
        first = next(iter(found.values()))
        subject = (
            messages.subject("remove", first.kind, first.title)
            if len(gone) == 1
            else messages.summary("remove", "records", gone)
        )
        notes = tuple(f"{one.path}:{one.line}: {one.address} links to what is gone" for one in left)
        linking = tuple(one.address for one in linked)
        return Plan("remove", (*gone, *back), subject, linked=linking, notes=notes)

    return execute(workspace, context, plan)


def _removable(session: Session, record: Record) -> Record:
    """The record, where it can be taken out of its file: a whole file also where it cannot be understood."""
    return session.writable(record) if KINDS[record.kind].stored == "entry" else record


def _place(record: Record) -> tuple[str, int]:
    return record.path, record.ordinal


def _linking(session: Session, gone: Collection[Record]) -> list[Record]:
    """The records that stay and have a link to one that goes, as they are now."""
    places = set(map(_place, gone))
    found = {_place(other): other for one in gone for other in linking_records(session, one)}
    return [found[place] for place in sorted(found) if place not in places]


def _unrelate(session: Session, gone: Collection[Record]) -> list[Record]:
    """Takes the links to what goes out of the Related fields of what stays; the records changed."""
    places = set(map(_place, gone))
    changed = []
    for other in _linking(session, gone):
        related = tuple(
            text
            for text in other.related
            if not any(_place(to) in places for to in session.reader.named(link.parse(text), other.path))
        )
        if related != other.related:
            session.writable(other)
            data = session.form_of(other).edit(session.bytes_of(other), other.ordinal, {"related": related})
            session.overlay.put(other.path, data)
            changed.append(session.again(other.path, other.ordinal))
    return changed


def _links_break(gone: Sequence[Record], left: Sequence[Record]) -> LinksBreak:
    named = [f"{one.address} ({one.path}:{one.line})" for one in left[:MAX_NAMED]]
    more = [f"{len(left) - MAX_NAMED} more"] if len(left) > MAX_NAMED else []
    what = f"{gone[0].address} is" if len(gone) == 1 else f"{len(gone)} records are"
    return LinksBreak(
        f"not deleted: {what} linked from {', '.join((*named, *more))}",
        hint="change those links, hide it with memgit archive, or break them with --force",
    )
