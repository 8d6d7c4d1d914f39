"""Renaming and moving: a new title, category, scope or file name, with every link to the record rewritten in
the same commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memgit.app.workspace import Context, Workspace
from memgit.app.write.links import link_text
from memgit.app.write.record import KEYS, Request, as_spelled, place_for, safe_key
from memgit.app.write.update import touch, unchanged
from memgit.app.write.write import Plan, Session, Written, carry_out
from memgit.errors import BadInput, Conflict, Refused
from memgit.formats.codec import Draft
from memgit.formats.codecs import FORMS
from memgit.formats.markdown import replace_wikilinks
from memgit.formats.messages import message as messages
from memgit.formats.text import decode, encode, has_bom
from memgit.model import link
from memgit.model.kinds import FIELDS, KINDS, NAMING
from memgit.model.link import Wikilink
from memgit.model.operation import RecordChange
from memgit.model.record import Record, Value
from memgit.model.slug import digest

KEYED = frozenset(["mnema-block", "adr"])
"""Forms whose files are named after a key of their own: a new title leaves the name alone."""
_ENDS = frozenset(' ()<>[]"\\%#?`')
"""Characters that would end the target of a link, or mean something else there."""


def rename(
    workspace: Workspace,
    context: Context,
    name: str,
    *,
    title: str | None = None,
    key: str | None = None,
    slug: str | None = None,
    keep_path: bool = False,
    reason: str | None = None,
    stage: bool = False,
) -> Written:
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

    return carry_out(workspace, context, plan, reason=reason, stage=stage)


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
    linking = [
        other
        for other in linking_records(session, record)
        if (other.path, other.ordinal) != (record.path, record.ordinal)
    ]
    held = session.board.parsed(path).records if session.board.data(path) is not None else ()
    entry = KINDS[record.kind].stored == "entry"
    if path != record.path and not entry and session.board.data(path) is not None:
        raise Conflict(f"{path} is there already", path=path, line=1, hint="choose another title or --slug")
    here = (record.path, record.ordinal)
    if entry and any(
        link.normal(other.title) == link.normal(wanted) and (path, other.ordinal) != here for other in held
    ):
        raise Conflict(f"{path} has a record of that title already", path=path, hint="choose another title")
    moved = _carry(session, record, path, wanted) if entry else _carry_document(session, record, path, wanted)
    touch(session, moved, {})
    moved = session.again(moved.path, moved.ordinal)
    rewritten = rewrite_links(session, record, moved, linking)
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
        own = KEYS["skill"](session, Request(record.kind, title), place)
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
    if slug is None and path != record.path and session.board.data(path) is not None:
        there = session.board.parsed(path).records
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
        session.board.put(path, form.edit(data, record.ordinal, {"title": title}))
        return session.again(path, record.ordinal)
    fields = dict(record.fields)
    if record.kind == "experience":
        found = session.workspace.layout.find(path)
        fields["skill"] = found[1] if found else fields.get("skill")
    existing = session.board.data(path)
    ordinal = len(session.titles(path)) if existing is not None else 0
    session.board.put(path, form.create(Draft(record.kind, title, fields, record.body), existing))
    session.board.put(record.path, form.remove(data, record.ordinal))
    return session.again(path, ordinal)


def _carry_document(session: Session, record: Record, path: str, title: str) -> Record:
    data = session.bytes_of(record)
    if title != record.title:
        data = FORMS[session.place_of(record).form].edit(data, record.ordinal, {"title": title})
    if path != record.path:
        session.board.put(record.path, None)
        text = decode(data)
        there = session.board.tree
        moved = replace_relative(
            text,
            record.path,
            path,
            lambda target: target if target[:3] == "../" or there.get(target) is not None else None,
        )
        data = data if moved == text else encode(moved, has_bom(data))
    session.board.put(path, data)
    return session.again(path, record.ordinal)


def linking_records(session: Session, record: Record) -> list[Record]:
    """The records that hold a link which resolves to `record`, found by the names that it answers to."""
    stem = record.path.rpartition("/")[2].removesuffix(".md")
    names = {record.title, stem, record.address}
    if KINDS[record.kind].stored == "document":
        names.add(encoded(stem))
    if record.id:
        names.add(record.id)
    return [
        other
        for path in session.reader.paths_holding(sorted(names))
        for other in session.board.parsed(path).records
        if any(_same(session, target, other, record) for target in _targets(other))
        or _links_to(other, record)
    ]


def _targets(record: Record) -> Iterable[Wikilink]:
    from memgit.formats.markdown import wikilinks

    yield from (link.parse(text) for name in NAMING for text in record.items(name))
    yield from (found for _, found in wikilinks(record.body))


def _links_to(record: Record, other: Record) -> bool:
    """Whether a relative link in the text leads to the file of a document."""
    from memgit.formats.markdown import relative_links

    return KINDS[other.kind].stored == "document" and any(
        reached(record.path, found.path) == other.path for found in relative_links(record.body)
    )


def _same(session: Session, target: Wikilink, origin: Record, record: Record) -> bool:
    found = session.reader.named(target, origin)
    return len(found) == 1 and (found[0].path, found[0].ordinal) == (record.path, record.ordinal)


def rewrite_links(session: Session, old: Record, new: Record, linking: list[Record]) -> list[Record]:
    """Rewrites the links of the given records from one record to another, which may be the same under a new
    name; those that changed.
    """
    text = link_text_after(session, new)
    fresh = link.parse(text)
    changed: list[Record] = []
    for path in sorted({record.path for record in linking}):
        data = session.board.data(path)
        if data is None:
            continue
        before = session.board.parsed(path).records
        origin = next(record for record in linking if record.path == path)

        def replace(target: Wikilink, origin: Record = origin) -> Wikilink:
            return fresh._replace(label=target.label) if _same(session, target, origin, old) else target

        source = decode(data)
        rewritten = replace_wikilinks(source, replace)
        if KINDS[old.kind].stored == "document" and new.path != old.path:
            rewritten = replace_relative(
                rewritten, path, path, lambda target: new.path if target == old.path else target
            )
        if rewritten != source:
            session.board.put(path, encode(rewritten, has_bom(data)))
        for record in session.board.parsed(path).records:
            _rename_in_fields(session, record, old, new, text)
        after = session.board.parsed(path).records
        changed += [
            record
            for was, record in zip(before, after, strict=False)
            if (was.body, was.fields) != (record.body, record.fields)
        ]
    return changed


def _rename_in_fields(session: Session, record: Record, old: Record, new: Record, text: str) -> None:
    """Has the fields of a record that name another one by address, file or title say its new name."""
    changes: dict[str, Value] = {}
    for name in NAMING:
        items = record.items(name)
        for item in items:
            if (
                item != old.id
                and (record.path, record.ordinal) != (new.path, new.ordinal)
                and _same(session, link.parse(item), record, old)
            ):
                items = tuple(
                    (new.address if item == old.address else text) if one == item else one for one in items
                )
        if items != record.items(name):
            changes[name] = items if FIELDS[name].many else items[0]
    if changes:
        form = session.form_of(record)
        session.board.put(record.path, form.edit(session.bytes_of(record), record.ordinal, changes))


def replace_relative(text: str, path: str, to: str, renamed: Callable[[str], str | None]) -> str:
    """The text of a file with its relative links led elsewhere.

    Args:
        path: where the file lay when the links were written; `to` is where it lies now.
        renamed: the new path of what a link leads to, itself where it stays; None leaves the link as it is.
    """
    from memgit.formats.markdown import relative_links

    parts: list[str] = []
    position = 0
    for found in sorted(relative_links(text), key=lambda found: found.start):
        before = reached(path, found.path)
        after = None if before is None else renamed(before)
        if (
            after is None
            or found.start < position
            or (after == before and path.rpartition("/")[0] == to.rpartition("/")[0])
        ):
            continue
        tail = found.target[
            len(found.target) - len(found.target.partition("#")[1] + found.target.partition("#")[2]) :
        ]
        slash = "/" if found.path.endswith("/") else ""
        parts += (text[position : found.start], encoded(relative(to, after)) + slash + tail)
        position = found.end
    return "".join((*parts, text[position:])) if parts else text


def reached(path: str, target: str) -> str | None:
    """The path that a relative link in a file leads to, from the knowledge root; it begins with `../` where
    it leaves that.
    """
    import posixpath

    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else None


def relative(path: str, target: str) -> str:
    """The relative link from one file to another path; both are relative to the knowledge root."""
    import posixpath

    deep = "/-" * (target.count("../") + 1) + "/"  # folders above the root, whatever their names are
    return posixpath.relpath(deep + target, posixpath.dirname(deep + path))


def encoded(path: str) -> str:
    """A path as the target of a link: what would end it there is percent-encoded."""
    return "".join(f"%{ord(char):02X}" if char in _ENDS or char < " " else char for char in path)


def link_text_after(session: Session, record: Record) -> str:
    """The text of links to a record that was just renamed: the names known to the session are those before."""
    try:
        return link_text(session, record)
    except BadInput:
        if record.id:
            return record.id
        raise
