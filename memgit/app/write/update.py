"""Changing a record: new content, new fields, a new version of a skill, an added section."""

from __future__ import annotations

from datetime import datetime

from memgit import TYPE_CHECKING
from memgit.app.read.counts import tally
from memgit.app.read.reader import open_reader
from memgit.app.read.record_json import version_id
from memgit.app.workspace import Context, Workspace
from memgit.app.write.decisions import named_decisions, superseded_decisions, write_both_ends
from memgit.app.write.linking import links
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.app.write.write import execute
from memgit.derive.dates import day, newest
from memgit.errors import BadInput, Broken, Conflict, NotFound, Refused
from memgit.formats.markdown import conflict_markers
from memgit.formats.messages import message as messages
from memgit.model.kinds import ADR_STATUSES, KINDS, STATUSES
from memgit.model.lazy_re import pattern
from memgit.model.operation import RecordChange
from memgit.model.record import Record, Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def update(
    workspace: Workspace,
    context: Context,
    name: str,
    *,
    body: str | None = None,
    fields: Mapping[str, Value] | None = None,
    related: tuple[str, ...] = (),
    new_version: bool = False,
    if_version: str | None = None,
) -> OperationResult:
    """Replaces the body and the given fields; a field with an empty value is removed. What it replaces stays
    in the history.

    Raises:
        Conflict: the record is no longer the version that `if_version` names.
        BadInput: a field that the kind does not have; a new version of something that has none.
        Refused: an observation, which is never edited.
    """

    def plan(session: Session) -> Plan | None:
        record = session.reader.find(name)
        if if_version is not None:
            require_version(session, record, if_version)
        if new_version and record.kind != "skill":
            raise BadInput(
                f"{record.address} is not a skill: only skills have versions",
                path=record.path,
                line=record.line,
            )
        return update_record(
            session, record, body, fields=fields or {}, related=related, new_version=new_version
        )

    return execute(workspace, context, plan)


def extend(
    workspace: Workspace,
    context: Context,
    name: str,
    text: str,
    *,
    fields: Mapping[str, Value] | None = None,
    related: tuple[str, ...] = (),
    if_version: str | None = None,
) -> OperationResult:
    """Appends a dated section to a record; raises what `update` raises."""

    def plan(session: Session) -> Plan | None:
        record = session.reader.find(name)
        if if_version is not None:
            require_version(session, record, if_version)
        return extend_record(session, record, text, fields=fields or {}, related=related)

    return execute(workspace, context, plan)


def update_record(
    session: Session,
    record: Record,
    body: str | None,
    *,
    fields: Mapping[str, Value],
    related: tuple[str, ...] = (),
    new_version: bool = False,
) -> Plan:
    """The plan of an update; empty where nothing changes."""
    editable(session, record, fields)
    whole_text(record.kind, body or "")
    over, by = [], []
    if record.kind == "decision":
        fields = named_decisions(session, fields, record.items("supersedes"))
        present = record.items("supersedes")
        over = superseded_decisions(
            session, [one for one in items_of(fields, "supersedes") if one not in present]
        )
        by = superseded_decisions(session, items_of(fields, "superseded_by"))
    form = session.form_of(record)
    before = session.bytes_of(record)
    path, ordinal = record.path, record.ordinal
    changes: dict[str, Value] = {
        key: value for key, value in fields.items() if (value or None) != (record.fields.get(key) or None)
    }
    data = before
    if body is not None and body.strip("\n") != record.body:
        data = form.replace(data, ordinal, body, session.context.today)
    if changes:
        data = form.edit(data, ordinal, changes)
    if data != before:
        session.overlay.put(path, data)
    linked = _link(session, record, related)
    superseded = write_both_ends(session, session.again(path, ordinal), over) if over else []
    for newer in by:
        write_both_ends(session, session.again(newer.path, newer.ordinal), [session.again(path, ordinal)])
        superseded.append(session.again(newer.path, newer.ordinal))
    if not session.overlay.edits and not new_version:
        return unchanged("update", record)
    touch(session, record, {"version": str((record.version or 1) + 1)} if new_version else {})
    made = changed("update", "update", session, record, linked, fields.get("source"))
    ends = [RecordChange("update", other.id, other.address) for other in superseded]
    return made._replace(changes=(made.changes[0], *ends, *made.changes[1:]))


def items_of(fields: Mapping[str, Value], name: str) -> tuple[str, ...]:
    """A field as a list."""
    value = fields.get(name)
    return (value,) if isinstance(value, str) and value else tuple(value or ())


def extend_record(
    session: Session, record: Record, text: str, *, fields: Mapping[str, Value], related: tuple[str, ...] = ()
) -> Plan:
    """The plan of an extension; lists among the fields are added to those that are there."""
    editable(session, record, fields)
    whole_text(record.kind, text)
    if not text.strip():
        raise BadInput("there is nothing to add", hint="-m TEXT, -F FILE or standard input")
    form = session.form_of(record)
    data = form.extend(session.bytes_of(record), record.ordinal, text, session.context.today)
    merged: dict[str, Value] = {}
    for key, value in fields.items():
        present = record.items(key)
        merged[key] = (
            (*present, *(item for item in value if item not in present))
            if isinstance(value, tuple)
            else value
        )
    if merged:
        data = form.edit(data, record.ordinal, merged)
    session.overlay.put(record.path, data)
    linked = _link(session, record, related)
    touch(session, record, {})
    return changed("extend", "extend", session, record, linked, fields.get("source"))


def _link(session: Session, record: Record, related: tuple[str, ...]) -> list[Record]:
    others = [session.reader.find(other) for other in related]
    if not others:
        return []

    return links.both_ways(session, session.again(record.path, record.ordinal), others)[1]


def editable(session: Session, record: Record, fields: Mapping[str, Value]) -> None:
    """Raises where a record may not be edited, or a field is none of its kind."""
    session.writable(record)
    if record.kind == "observation":
        raise Refused(
            f"{record.address} is an observation: what was observed is never edited",
            path=record.path,
            line=record.line,
            hint="record a new one, archive this one, or promote it",
        )
    known = KINDS[record.kind].fields
    status = fields.get("status")
    if record.kind == "decision" and isinstance(status, str) and status:
        check_status(status, ADR_STATUSES if session.place_of(record).form == "adr" else STATUSES)
    for key in fields:
        if key not in known:
            raise BadInput(
                f"a record of kind {record.kind} has no field {key!r}", hint=f"its fields: {', '.join(known)}"
            )


def check_status(status: str, known: Sequence[str]) -> None:
    """Raises BadInput where a decision cannot have a status."""
    if status not in known:
        raise BadInput(f"{status!r} is not a status of a decision", hint=f"one of {', '.join(known)}")


def whole_text(kind: str, body: str) -> None:
    """Raises BadInput where a body holds conflict markers that would make its file look like one left in a
    merge.
    """
    if "<<<<<<<" not in body or KINDS[kind].stored == "entry":
        return

    found = conflict_markers(body)
    if found:
        raise BadInput(
            f"line {found[0]} of the body is a conflict marker",
            hint="resolve the conflict, or set the example in a code fence",
        )


_STAMP = pattern(r".{10}([T ])[0-9]{2}:[0-9]{2}(:[0-9]{2})?(\.[0-9]+)?(Z|[+-][0-9]{2}:?[0-9]{2})?")


def stamped(old: Value, context: Context) -> str:
    """The present day, or moment, in the form of an old stamp: epoch seconds or milliseconds, a time of day with
    its zone. A stamp of today stays as it is.
    """
    text = old if isinstance(old, str) else ""
    now = datetime.fromisoformat(context.now)
    if text.isascii() and text.isdigit() and len(text) in (10, 13):
        today = datetime.fromtimestamp(int(text[:10]), now.tzinfo).date() == now.date()
        return text if today else str(int(now.timestamp()) * (1000 if len(text) == 13 else 1))
    match = _STAMP.fullmatch(text)
    if text.startswith(context.today) or match is None:
        return text if match is not None else context.today
    gap, seconds, fraction, zone = match.groups()
    if zone not in (None, "Z"):
        now = now.astimezone(datetime.fromisoformat(f"2000-01-01T00:00:00{zone}").tzinfo)
    detail = "milliseconds" if fraction else "seconds" if seconds else "minutes"
    return now.replace(tzinfo=None).isoformat(gap, detail) + (zone or "")


def touch(session: Session, record: Record, extra: Mapping[str, Value], *, dated: bool = True) -> None:
    """Sets the day of the change (unless `dated` is false), and gives the record an id where it has none yet."""
    now = session.again(record.path, record.ordinal)
    changes: dict[str, Value] = {**_retrievals(session, now), **extra}
    stamp = stamped(now.fields.get("updated"), session.context)
    if day(stamp) == stamp:  # never before it was made, by somebody whose day had begun already
        stamp = max(stamp, day(now.text("created")) or "")
    if dated and stamp != now.text("updated"):
        changes["updated"] = stamp
    if now.id is None:
        changes["id"] = session.fresh_id()
    if changes:
        session.overlay.put(
            record.path, session.form_of(record).edit(session.bytes_of(now), record.ordinal, changes)
        )


def _retrievals(session: Session, record: Record) -> dict[str, Value]:
    """The counters that a vault keeps in its files, where uses were counted on the usage refs since."""
    if session.place_of(record).form != "vault":
        return {}
    used = tally(session.workspace)(record)
    if used.uses <= record.mirrored_count:
        return {}
    total = record.usage_count - record.mirrored_count + used.uses
    last = newest([record.text("last_used"), used.last_used])
    return {"usage_count": str(total), "last_used": last, "mirrored_count": str(used.uses)}


def changed(
    op: str, action: str, session: Session, record: Record, linked: list[Record], source: Value = None
) -> Plan:
    """The plan of an operation that changed one record and linked others back to it."""
    now = session.again(record.path, record.ordinal)
    changes = [
        RecordChange(action, now.id, now.address),
        *(RecordChange("link", other.id, other.address) for other in linked),
    ]
    return Plan(
        op,
        tuple(changes),
        messages.subject(op, now.kind, now.title),
        (now.path, now.ordinal),
        tuple(other.address for other in linked),
        source=source if isinstance(source, str) else None,
    )


def unchanged(op: str, record: Record) -> Plan:
    """The plan that makes no commit: the record is as it should be already."""
    return Plan(op, (), "", (record.path, record.ordinal))


def require_version(session: Session, record: Record, wanted: str) -> None:
    """Raises Conflict unless the record is still what `wanted` names: a `version_id`, or a commit in which it
    read the same.
    """
    present = version_id(record)
    if wanted == present:
        return
    if not (len(wanted) == len(present) and all(char in "0123456789abcdef" for char in wanted)):
        try:
            then = open_reader(session.workspace, wanted)
            found = [
                old
                for old in then.file(record.path).records
                if old.id == record.id and old.title == record.title
            ]
        except Broken:
            raise
        except NotFound:
            raise BadInput(
                f"{wanted!r} is neither a version id nor a commit", hint="memgit show --json gives version_id"
            ) from None
        if any(version_id(old) == present for old in found):
            return
    raise Conflict(
        f"{record.address} was changed since version {wanted}: it is now {present}",
        path=record.path,
        line=record.line,
        hint="read it again, then decide",
    )
