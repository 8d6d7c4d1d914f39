"""Links between records: what to write between the brackets, and both ends of a link."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.write.session import Session
from memgit.errors import BadInput
from memgit.model import link
from memgit.model.lazy_re import pattern
from memgit.model.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BRACKETS = pattern(r"\[\[([^\[\]\n]+)\]\]")


def link_text(session: Session, record: Record) -> str:
    """The text between the brackets of a link to a record: `file#title` for an entry, the file's name for a
    document.

    Where that would not lead to this record alone, the address or the id is used.

    Raises:
        BadInput: no link can name the record (its title holds brackets or a bar, and it has no id).
    """
    for text in link.spellings(record):
        found = session.reader.named(link.parse(text))
        if all((other.path, other.title) == (record.path, record.title) for other in found):
            return text
    raise BadInput(
        f"no link can name {record.address}",
        path=record.path,
        line=record.line,
        hint="rename it, or give it an id with update",
    )


def add_link(session: Session, origin: Record, target: Record) -> bool:
    """Adds a link to `target` to the Related field of `origin`; False where it is there already."""
    for text in origin.related:
        found = session.reader.named(link.parse(text), origin.path)
        if any((other.path, other.title) == (target.path, target.title) for other in found):
            return False
    text = link_text(session, target)
    if text in origin.related:
        return False
    session.writable(origin)
    data = session.form_of(origin).edit(
        session.bytes_of(origin), origin.ordinal, {"related": (*origin.related, text)}
    )
    session.overlay.put(origin.path, data)
    return True


def both_ways(session: Session, one: Record, others: list[Record]) -> tuple[Record, list[Record]]:
    """Links `one` with each of the others, both ways; the record as it is then, and those others that
    changed.
    """
    changed: list[Record] = []
    for other in others:
        if (other.path, other.ordinal) == (one.path, one.ordinal):
            raise BadInput(f"{one.address} cannot be linked to itself")
        add_link(session, one, other)
        one = session.again(one.path, one.ordinal)
        if add_link(session, session.again(other.path, other.ordinal), one):
            changed.append(session.again(other.path, other.ordinal))
    return one, changed


def warn_of_broken(session: Session, before: Mapping[str, bytes | None]) -> None:
    """Notes on the overlay which links that an operation wrote are unresolved. Nothing is refused for them: what
    they mean may come next.

    Args:
        before: what each file held that is looked at; the lines that it had are not looked at.
    """
    suspect: dict[str, set[int]] = {}
    leads = _Leads(session)
    for path, old in before.items():
        data = session.overlay.data(path) or b""
        keys = _keys(session, path) if b"supersede" in data else set()
        marks = (b"[[", *(key.encode("utf-8", "surrogateescape") for key in keys))
        lines = {
            number: line for number, line in _fresh(old or b"", data) if any(mark in line for mark in marks)
        }
        # All that looks like a link nearly always is one to a record that is there, and that is cheap to say.
        targets = {
            match[1]
            for line in lines.values()
            for match in _BRACKETS.finditer(line.decode("utf-8", "surrogateescape"))
        }
        if not all(leads.somewhere(target) for target in targets | keys):
            suspect[path] = set(lines)
    if suspect:
        from memgit.app.write.linking.broken_links import told  # loads the rules

        session.overlay.notes += told(session, suspect)


def _fresh(old: bytes, new: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines of a text that are new, with their numbers: between the first and the last that differ, those
    that were not there.
    """
    before, after = old.split(b"\n"), new.split(b"\n")
    most = min(len(before), len(after))
    start = next((number for number in range(most) if before[number] != after[number]), most)
    end = next(
        (number for number in range(most - start) if before[-1 - number] != after[-1 - number]), most - start
    )
    known = set(before[start : len(before) - end])
    return (
        (number, after[number - 1])
        for number in range(start + 1, len(after) - end + 1)
        if after[number - 1] not in known
    )


def _keys(session: Session, path: str) -> set[str]:
    """Decisions that a decision names without brackets."""
    items = (
        record.items(field)
        for record in session.overlay.parsed(path).records
        for field in ("supersedes", "superseded_by")
    )
    return {item.strip().removeprefix("[[").removesuffix("]]") for some in items for item in some} - {""}


class _Leads:
    """Which links lead to a record, of those before the operation or of what it wrote."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[str, bool] = {}
        self._names: link.Names | None = None

    def somewhere(self, text: str) -> bool:
        """Whether the text between the brackets of a link does."""
        if text not in self._known:
            target = link.parse(text)
            found = self._session.reader.named(target) or self._written().resolve(target).candidates
            # Whether a document has a heading, only its text can say.
            self._known[text] = bool(found) and (target.heading is None or "#" in found[0].address)
        return self._known[text]

    def _written(self) -> link.Names:
        if self._names is None:
            self._names = link.Names(self._session.overlay.written())
        return self._names
