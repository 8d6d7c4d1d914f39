"""New entries of an ingest, gathered by file, and the links between those that one text gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memgit.app.write import record as recording
from memgit.app.write.session import Session
from memgit.errors import BadInput, Conflict, MemgitError, Refused, UnreadableFile
from memgit.formats.codec import Draft
from memgit.formats.mem_skill import titles
from memgit.formats.mem_skill.entries import create_all, set_meta
from memgit.formats.messages import message as messages
from memgit.ingest.proposal import Category, Item
from memgit.model import link
from memgit.model.kinds import KINDS
from memgit.model.operation import RecordChange
from memgit.model.record import Value

SIBLINGS = 3
"""Records of the same file that a new one is linked with, at most by its own choice."""
SHARED = 0.3
"""The share of key terms from which two new records of one file are linked."""


def request_of(session: Session, item: Item, **more: Any) -> recording.Request:
    """The new record that an item asks for. A page that claims to be of a day to come is of today."""
    if item.kind not in KINDS:
        raise BadInput(f"{item.kind!r} is not a kind of record")
    day = item.date if item.date and item.date <= session.context.today else None
    return recording.Request(
        item.kind, item.title, item.body, _fields(item), item.group or None, date=day, **more
    )


class Drafts:
    """New entries, gathered by file: each file is read once, however many are added to it.

    Attributes:
        made: what was written: the item, path and ordinal of its record, and the change.
    """

    def __init__(self) -> None:
        self._by_path: dict[str, list[tuple[Item, Draft, RecordChange]]] = {}
        self._meta: dict[str, Mapping[str, Value]] = {}
        self.made: list[tuple[Item, str, int, RecordChange]] = []

    def add(self, session: Session, item: Item, links: SiblingLinks) -> str:
        """Takes an item and gives the address of its record; raises what recording it raises."""
        request = recording.checked(
            request_of(
                session,
                item._replace(title=titles.clean(item.title)),
                links=tuple(links.of(item)),
                category=links.category(item),
            ),
            session.context.today,
        )
        place = recording.place_for(session, request.kind)
        path, key = recording.target(session, request, place)
        present = recording.at_address(session, path, request)
        if present is not None or link.normal(request.title) in session.titles(path):
            raise Conflict(
                f"{request.kind}/{key}#{request.title} is there already",
                path=path,
                hint="give it another title",
            )
        identity = session.fresh_id()
        fields = recording.initial_fields(session, request, identity, place, key)
        address = session.workspace.layout.address(place, path, key, request.title)
        draft = Draft(request.kind, request.title, fields, request.body)
        self._by_path.setdefault(path, []).append((item, draft, RecordChange("create", identity, address)))
        self._meta.setdefault(path, request.category)
        session.added(path, request.title)
        return address

    def write(self, session: Session) -> list[tuple[Item, MemgitError]]:
        """Puts all on the overlay; what could not be written, with the reason."""
        lost: list[tuple[Item, MemgitError]] = []
        for path, group in self._by_path.items():
            existing = session.overlay.data(path)
            found = session.overlay.parsed(path)
            unreadable = next(
                (problem for problem in found.problems if problem.fatal and problem.code != "MG104"), None
            )
            if existing is not None and unreadable is not None:
                raise Refused(
                    f"not written: {unreadable.message}",
                    path=path,
                    line=unreadable.line,
                    hint="fix the file by hand",
                )
            start = (
                existing
                if existing is not None
                else set_meta(b"", self._meta[path])
                if self._meta[path]
                else None
            )
            try:
                session.overlay.put(path, create_all([draft for _, draft, _ in group], start))
            except (BadInput, Refused, UnreadableFile) as error:
                lost += _culprits(group, start) or [(item, error) for item, _, _ in group]
                continue
            first = len(found.records)
            self.made += [
                (item, path, first + number, change) for number, (item, _, change) in enumerate(group)
            ]
        return lost


def _culprits(
    group: Sequence[tuple[Item, Draft, RecordChange]], existing: bytes | None
) -> list[tuple[Item, MemgitError]]:
    """Those of some entries that cannot be written even alone."""
    out: list[tuple[Item, MemgitError]] = []
    for item, draft, _ in group:
        try:
            create_all([draft], existing)
        except MemgitError as error:
            out.append((item, error))
    return out


def _fields(item: Item) -> dict[str, Value]:
    """The fields of a new record, those that its kind has."""
    fields: dict[str, Value] = {
        "source": item.source,
        "keywords": item.keywords,
        "context": item.context,
        "topics": (item.topic,) if item.topic else (),
        "summary": item.summary,
    }
    return {name: value for name, value in fields.items() if value and name in KINDS[item.kind].fields}


class SiblingLinks:
    """Links between the new records of one file: each with up to three that share key terms with it, both
    ways.
    """

    def __init__(self, session: Session, items: Sequence[Item], categories: Sequence[Category]) -> None:
        self._session, self._categories = session, {one.key: one for one in categories}
        self._by_id = {item.segment: item for item in items}
        self._pairs: dict[str, list[str]] = {}
        self.places: dict[str, tuple[str, int]] = {}
        by_path: dict[str, list[Item]] = {}
        for item in items:
            by_path.setdefault(item.path, []).append(item)
        for group in by_path.values():
            self._pair(group)

    def _pair(self, group: Sequence[Item]) -> None:
        terms = {item.segment: {word.casefold() for word in item.keywords} for item in group}
        for item in group:
            own = terms[item.segment]
            scores = [
                (len(own & terms[other.segment]) / (len(own) or 1), -number, other.segment)
                for number, other in enumerate(group)
                if other is not item
            ]
            for share, _, segment in sorted(scores, reverse=True)[:SIBLINGS]:
                if share >= SHARED:
                    for one, other in ((item.segment, segment), (segment, item.segment)):
                        if other not in self._pairs.setdefault(one, []):
                            self._pairs[one].append(other)

    def category(self, item: Item) -> Mapping[str, Value]:
        """What a new category of knowledge says about itself."""
        found = self._categories.get(item.group) if item.kind == "knowledge" else None
        return {} if found is None else {"name": found.name, "keywords": found.keywords}

    def siblings(self, item: Item) -> list[str]:
        """The segments whose records a new one is linked with."""
        return self._pairs.get(item.segment, [])

    def of(self, item: Item) -> list[str]:
        """What stands in the Related field of a new entry for them."""
        found = (self._text(self._by_id[segment]) for segment in self.siblings(item))
        return [text for text in found if text is not None]

    def _text(self, item: Item) -> str | None:
        """The text of a link to a new entry, None where none can name it."""
        title = messages.one_line(item.title)
        if (
            KINDS[item.kind].stored != "entry"
            or not item.group
            or any(mark in title for mark in ("|", "[[", "]]"))
        ):
            return None
        stem = f"skill-{item.group}" if item.kind == "experience" else item.group.rpartition("/")[2]
        for text in (f"{stem}#{title}", f"{item.kind}/{item.group}#{title}"):
            if not self._session.reader.named(link.parse(text)):
                return text
        return None
