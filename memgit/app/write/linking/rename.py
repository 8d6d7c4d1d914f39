"""Renaming and moving: a new title, category, scope or file name, with every link to the record rewritten in
the same commit.
"""

from __future__ import annotations

from memgit.app.workspace import Context, Workspace
from memgit.app.write.linking.follow import follow
from memgit.app.write.record import KEYS, Request, as_spelled, place_for, safe_key
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.app.write.update import touch, unchanged
from memgit.app.write.write import execute
from memgit.errors import BadInput, Conflict, Refused
from memgit.formats.codec import Draft
from memgit.formats.codecs import form_named
from memgit.formats.follow import key_of
from memgit.formats.messages import message as messages
from memgit.model import link
from memgit.model.kinds import KINDS
from memgit.model.operation import RecordChange
from memgit.model.record import Record
from memgit.model.slug import digest

KEYED = frozenset(["mnema-block", "adr"])
"""Forms whose files are named after a key of their own: a new title leaves the name alone."""


def rename(
    workspace: Workspace,
    context: Context,
    name: str,
    *,
    title: str | None = None,
    key: str | None = None,
    slug: str | None = None,
    keep_path: bool = False,
) -> OperationResult:
    """Gives a record another title or another place.

    Args:
        title: the new title; a document's file follows it unless `keep_path` or `slug` says otherwise.
        key: the new category, skill, scope or folder.
        slug: the new file name of a document.

    Raises:
        Conflict: the new address is taken.
        Refused: an observation, which keeps its id for a name.
    """

    def plan(session: Session) -> Plan:
        record = session.writable(session.reader.find(name))
        if record.kind == "observation":
            raise Refused(
                f"{record.address} is an observation: it is never edited", path=record.path, line=record.line
            )
        return move(session, record, title=title, key=key, slug=slug, keep_path=keep_path)

    return execute(workspace, context, plan)


def move(
    session: Session, record: Record, *, title: str | None, key: str | None, slug: str | None, keep_path: bool
) -> Plan:
    """The plan of a rename; empty where the record has that title and place already."""
    wanted = messages.one_line(title) if title is not None else record.title
    if not wanted:
        raise BadInput("the new title is empty")
    path = new_path(
        session, record, wanted, key, slug, keep_path or (title is None and key is None and slug is None)
    )
    if (path, wanted) == (record.path, record.title):
        return unchanged("rename", record)
    held = session.overlay.parsed(path).records if session.overlay.data(path) is not None else ()
    entry = KINDS[record.kind].stored == "entry"
    if path != record.path and not entry and session.overlay.data(path) is not None:
        raise Conflict(f"{path} is there already", path=path, line=1, hint="choose another title or --slug")
    here = (record.path, record.ordinal)
    if entry and any(
        link.normal(other.title) == link.normal(wanted) and (path, other.ordinal) != here for other in held
    ):
        raise Conflict(f"{path} has a record of that title already", path=path, hint="choose another title")
    moved = _carry(session, record, path, wanted) if entry else _carry_document(session, record, path, wanted)
    touch(session, moved, {})
    moved = session.again(moved.path, moved.ordinal)
    own = key_of(moved)
    rewritten = [one for one in follow(session, {key_of(record): moved}, [record]) if key_of(one) != own]
    named = RecordChange("rename", moved.id, moved.address, record.address)
    # Under the same address the record has a new title only: nothing that named it before fails to find it.
    changes = [named if named.address != named.was else named._replace(action="update", was=None)]
    changes += [RecordChange("link", other.id, other.address) for other in rewritten]
    moved = session.again(moved.path, moved.ordinal)
    return Plan(
        "rename",
        tuple(changes),
        messages.subject("rename", moved.kind, moved.title),
        (moved.path, moved.ordinal),
        tuple(other.address for other in rewritten),
    )


def new_path(
    session: Session, record: Record, title: str, key: str | None, slug: str | None, keep: bool
) -> str:
    """Where the record lies after the rename."""
    place = session.place_of(record)
    folder, _, name = record.path.rpartition("/")
    if KINDS[record.kind].stored == "entry":
        if key is None:
            return record.path
        request = Request(record.kind, title, key=key)
        path = as_spelled(
            session, place_for(session, record.kind).path(KEYS[record.kind](session, request, place))
        )
        if not _holds(session, path, record.kind):
            raise BadInput(f"{path} would not be a record of kind {record.kind}", hint="choose another place")
        return path
    if (keep or place.form in KEYED) and slug is None and key is None:
        return record.path
    stem = safe_key(slug, "file name") if slug is not None else name.removesuffix(".md")
    if slug is None and not keep and title != record.title:
        day = record.path.rpartition("/")[2][:8]
        keyed = Request(record.kind, title, key=folder.removeprefix(place.folder.rstrip("/")).strip("/"))
        own = KEYS["skill"](session, keyed, place)
        stem = f"{day}-{own}" if record.kind == "decision" and day.isdigit() else own
        prefix = place.path("").rpartition("/")[2].removesuffix(".md")
        stem = stem if record.kind == "decision" or not name.startswith(prefix) else prefix + stem
    if key is not None:
        if record.kind not in ("memory", "note"):
            raise BadInput(f"a record of kind {record.kind} has no scope or folder to move to")
        folder = (place.folder or "") + safe_key(key, "scope") if key else place.folder.rstrip("/")
    path = f"{folder}/{stem}.md" if folder else f"{stem}.md"
    if key is not None and not _holds(session, path, record.kind):
        # as `record --folder` takes it
        path = place.path(f"{safe_key(key, 'folder')}/{stem}" if key else stem)
    if path.casefold() != record.path.casefold():
        path = as_spelled(session, path)
    if slug is None and path != record.path and session.overlay.data(path) is not None:
        there = session.overlay.parsed(path).records
        if there and link.normal(there[0].title) != link.normal(title):
            path = f"{path.removesuffix('.md')}-{digest(title)}.md"
    if not _holds(session, path, record.kind):
        raise BadInput(f"{path} would not be a record of kind {record.kind}", hint="choose another place")
    return path


def _holds(session: Session, path: str, kind: str) -> bool:
    """Whether a file at a path would hold a record of a kind."""
    found = session.workspace.layout.find(path)
    return found is not None and found[0].kind == kind


def _carry(session: Session, record: Record, path: str, title: str) -> Record:
    """Renames an entry in its file, or takes it out of one file and appends it to another."""
    form = session.form_of(record)
    data = session.bytes_of(record)
    if path == record.path:
        session.overlay.put(path, form.edit(data, record.ordinal, {"title": title}))
        return session.again(path, record.ordinal)
    fields = dict(record.fields)
    if record.kind == "experience":
        found = session.workspace.layout.find(path)
        fields["skill"] = found[1] if found else fields.get("skill")
    existing = session.overlay.data(path)
    ordinal = len(session.titles(path)) if existing is not None else 0
    session.overlay.put(path, form.create(Draft(record.kind, title, fields, record.body), existing))
    session.overlay.put(record.path, form.remove(data, record.ordinal))
    return session.again(path, ordinal)


def _carry_document(session: Session, record: Record, path: str, title: str) -> Record:
    data = session.bytes_of(record)
    if title != record.title:
        data = form_named(session.place_of(record).form).edit(data, record.ordinal, {"title": title})
    if path != record.path:
        session.overlay.put(record.path, None)
    session.overlay.put(path, data)
    return session.again(path, record.ordinal)
