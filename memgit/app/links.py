"""Links between records: what to write between the brackets, and both ends of a link."""

from __future__ import annotations

from memgit.app.write import Session
from memgit.errors import BadInput
from memgit.model import link
from memgit.model.kinds import KINDS
from memgit.model.record import Record


def link_text(session: Session, record: Record) -> str:
    """The text between the brackets of a link to a record: `file#title` for an entry, the file's name for a document.

    Where that would not lead to this record alone, the address or the id is used.

    Raises:
        BadInput: no link can name the record (its title holds brackets or a bar, and it has no id).
    """
    stem = record.path.rpartition("/")[2].removesuffix(".md")
    entry = KINDS[record.kind].stored == "entry"
    for text in (f"{stem}#{record.title}" if entry else stem, record.address, record.id):
        if text is None or any(mark in text for mark in ("|", "[[", "]]", "\n")) or (not entry and "#" in text):
            continue
        parsed = link.parse(text)
        found = session.reader.named(parsed)
        if all((other.path, other.title) == (record.path, record.title) for other in found):
            return text
    raise BadInput(f"no link can name {record.address}", path=record.path, line=record.line, hint="rename it, or give it an id with update")


def add_link(session: Session, origin: Record, target: Record) -> bool:
    """Adds a link to `target` to the Related field of `origin`; False where it is there already."""
    for text in origin.related:
        found = session.reader.named(link.parse(text), origin)
        if any((other.path, other.title) == (target.path, target.title) for other in found):
            return False
    text = link_text(session, target)
    if text in origin.related:
        return False
    session.writable(origin)
    data = session.form_of(origin).edit(session.bytes_of(origin), origin.ordinal, {"related": (*origin.related, text)})
    session.board.put(origin.path, data)
    return True


def both_ways(session: Session, one: Record, others: list[Record]) -> tuple[Record, list[Record]]:
    """Links `one` with each of the others, both ways; the record as it is then, and those others that changed."""
    changed: list[Record] = []
    for other in others:
        if (other.path, other.ordinal) == (one.path, one.ordinal):
            raise BadInput(f"{one.address} cannot be linked to itself")
        add_link(session, one, other)
        one = session.again(one.path, one.ordinal)
        if add_link(session, session.again(other.path, other.ordinal), one):
            changed.append(session.again(other.path, other.ordinal))
    return one, changed
