"""How long a record said what it said: since which operation, and which one changed it."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.read.log import as_text as event_lines
from memgit.app.read.log import history
from memgit.app.read.reader import open_reader
from memgit.model import address as addresses
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memgit.app.workspace import Workspace
    from memgit.model.operation import Event
    from memgit.model.record import Record, Value

BESIDE = frozenset(
    (
        "id",
        "created",
        "updated",
        "scope",
        "keywords",
        "related",
        "derived_from",
        "tags",
        "topics",
        "usage_count",
        "last_used",
        "mirrored_count",
    )
)
"""Fields that do not belong to what a record says."""
MAX_NAMES = 100
"""Renames that are followed to the present name of a record."""


class Span(NamedTuple):
    """A record as it was, and how long it stood so.

    Attributes:
        since: the operation that made it say so; None where history does not tell.
        until: the first one after which it says something else; None while it stands.
        changed: what that one changed: `title`, `text`, names of fields, or `removed`.
    """

    record: Record
    since: Event | None
    until: Event | None
    changed: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "address": self.record.address,
            "title": self.record.title,
            "since": self.since and self.since.as_json(),
            "until": self.until and self.until.as_json(),
            "changed": list(self.changed),
        }


def span(workspace: Workspace, name: str, at: str | None = None) -> Span:
    """How long a record stood as it was at a revision, by default in the newest commit.

    Raises:
        NotFound: no such record or revision.
        Ambiguous: several records could be meant.
    """
    reader = open_reader(workspace, at or "HEAD")
    record = reader.find(name)
    repo = workspace.require_repository()
    revision = reader.revision or ""
    late: list[Event] = []
    early: list[Event] = []
    for event in _events(workspace, record):
        (early if repo.is_ancestor(event.commit, revision) else late).append(event)
    since = until = None
    changed: tuple[str, ...] = ()
    for event in reversed(late):
        changed = _differences(record, _after(workspace, event))
        if changed:
            until = event
            break
    for event in early:
        if _differences(record, _after(workspace, event)):
            break
        since = event
    return Span(record, since, until, changed)


def _events(workspace: Workspace, record: Record) -> list[Event]:
    """What happened to a record until now, newest first, also after it got another name."""
    name: Record | str = record.id or record.address
    found: dict[str, Event] = {}
    for _ in range(MAX_NAMES):
        events = [event for event in history(workspace, name, cache=workspace.cache) if event.commit]
        found = {event.commit: event for event in (*events, *found.values())}
        now = events[0].records[-1].address if events and events[0].records else name
        if record.id or now in (name, record.address):
            break
        name = now
    return list(found.values())


def _after(workspace: Workspace, event: Event) -> Record | None:
    """The record as an event left it; None where it took it away."""
    address = addresses.parse(event.records[-1].address) if event.records else None
    found = open_reader(workspace, event.commit).at(address) if address is not None else []
    return found[0] if found else None


def _differences(then: Record, now: Record | None) -> tuple[str, ...]:
    """In what two states of a record say something else."""
    if now is None:
        return ("removed",)
    out = [name for name in ("title", "body") if getattr(then, name) != getattr(now, name)]
    fields, others = _said(then), _said(now)
    out += [name for name in {**fields, **others} if fields.get(name) != others.get(name)]
    return tuple(dict.fromkeys("text" if name == "body" else name for name in out))


def _said(record: Record) -> dict[str, Value]:
    return {name: value for name, value in record.fields.items() if name not in BESIDE and value}


def as_text(found: Span) -> Iterator[str]:
    """Lines for a person: the operations at both ends of the time, the later one first."""
    if found.until is None:
        yield f"until now: {found.record.address} stands"
    else:
        yield f"until (changed: {', '.join(found.changed)})"
        yield from _set_in(found.until)
    if found.since is not None:
        yield "since"
        yield from _set_in(found.since)


def _set_in(event: Event) -> Iterator[str]:
    return (f"  {line}" for line in event_lines([event]))
