"""The activity log and the history of one record, read from commits.

Every commit of the branch that touches the knowledge root is one event, newest first, in the order of `git
log`. Where the clone does not hold all of history (a shallow or partial clone), `incomplete` says so in
words, and each event whose own changes cannot be told has `complete: false`; a list as such has no place for
the flag, so a face writes the words to standard error.
"""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING
from memgit.app.read.old_log import old_events, with_old
from memgit.cache.db import MAX_ROWS, Cache
from memgit.cache.event_text import EVERYTHING, Entry, Filter
from memgit.cache.events import Events
from memgit.errors import BadInput
from memgit.formats.messages.message import one_line
from memgit.git.repository import Repository
from memgit.model.change import identity
from memgit.model.ids import is_id
from memgit.model.kinds import KINDS
from memgit.model.layout import Layout
from memgit.model.operation import OPS, USAGE, Event, RecordChange
from memgit.model.record import Record
from memgit.model.when import moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memgit.app.workspace import Workspace

HEADER = (
    "# Activity log",
    "",
    'One line for each thing done, oldest first; `grep "^## \\[" log.md` lists them.',
    "",
)
"""What a `log.md` begins with."""
MAX_SHOWN = 10
"""Records of one event that the text form names; the rest is counted."""


def log(
    workspace: Workspace,
    revisions: str | None = None,
    *,
    cache: Cache | None = None,
    record: Record | str | None = None,
    limit: int | None = None,
    wanted: Filter = EVERYTHING,
    records_only: bool = False,
) -> Iterator[Event]:
    """The events of a revision or range (`A..B`, `A..`), by default of HEAD, newest first; none before the
    first commit.

    Args:
        record: only events of this record (a record, its id or its full address), each with that record
            alone.
        limit: at most so many events.
        wanted: see `filters`.
        records_only: leave out commits that changed no record.

    Raises:
        NotFound: no such revision.
        Refused: there is no repository, or git cannot read a commit.
    """
    return (
        entry.event
        for entry in entries(
            workspace,
            revisions,
            cache=cache,
            record=record,
            limit=limit,
            wanted=wanted,
            records_only=records_only,
        )
    )


def entries(
    workspace: Workspace,
    revisions: str | None = None,
    *,
    cache: Cache | None = None,
    record: Record | str | None = None,
    merged: Sequence[Record] = (),
    limit: int | None = None,
    wanted: Filter = EVERYTHING,
    records_only: bool = False,
) -> Iterator[Entry]:
    """As `log`, each event also as ready JSON text; `merged` are records whose events are told with those of
    `record`.
    """
    repo = workspace.require_repository()
    head, without = _range(repo, revisions)
    if head is None:
        return iter(())
    if records_only:
        wanted = wanted._replace(records_only=True)
    if limit is not None:
        limit = min(limit, MAX_ROWS)
    events = Events(repo, workspace.layout, cache)
    if record is None:
        told = events.walk(head, without, wanted, limit)
        return told if without or not workspace.config.old_log else _with_old(workspace, told, wanted, limit)
    within = None if not without else {entry.event.commit for entry in events.walk(head, without)}
    found: Iterator[Event] = (
        event
        for event in _of_record(events, repo, head, record, merged)
        if wanted.takes(event) and (within is None or event.commit in within)
    )
    if workspace.config.old_log and not without:
        found = _with_old_of(workspace, list(found), record, wanted)
    return (
        Entry(event, None)
        for _, event in zip(range(limit) if limit is not None else _endless(), found, strict=False)
    )


def _with_old(
    workspace: Workspace, told: Iterable[Entry], wanted: Filter, limit: int | None
) -> Iterator[Entry]:
    return with_old(told, old_events(workspace, wanted), limit)


def _with_old_of(
    workspace: Workspace, found: Sequence[Event], record: Record | str, wanted: Filter
) -> Iterator[Event]:
    """The events of a record with what an old log tells of it under the names that it had."""
    names = {
        name
        for event in found
        for change in event.records
        for name in (change.address, change.was)
        if name is not None
    }
    names.add(record if isinstance(record, str) else record.address)
    return (
        entry.event
        for entry in with_old((Entry(event, None) for event in found), old_events(workspace, wanted, names))
    )


def history(
    workspace: Workspace, record: Record | str, *, at: str | None = None, cache: Cache | None = None
) -> Iterator[Event]:
    """The events of one record (a record, its id or its full address), newest first, through renames, moves
    and merges.

    Each event names that record alone. `at` is the revision to look back from, by default HEAD.

    Raises:
        NotFound: no such revision.
        Refused: there is no repository, or git cannot read a commit.
    """
    return log(workspace, at, record=record, cache=cache)


def incomplete(repo: Repository) -> str | None:
    """Why this clone does not hold all of history, in words; None where it does."""
    if repo.shallow():
        return (
            "history is incomplete (complete: false): the clone is shallow, and what lies before its "
            "border is not known here"
        )
    # Settings cost a process, so they are read only where the plain file speaks of such a thing.
    try:
        with open(os.path.join(repo.common_dir, "config"), "rb") as file:
            named = b"partialclone" in (text := file.read().lower()) or b"promisor" in text
    except OSError:
        named = True
    if named and repo.partial():
        return (
            "history is incomplete (complete: false): the clone was made with a filter, and files that "
            "it left out are not known here"
        )
    return None


def filters(
    *,
    since: str | None = None,
    until: str | None = None,
    ops: Sequence[str] = (),
    kinds: Sequence[str] = (),
    actors: Sequence[str] = (),
    runs: Sequence[str] = (),
    now: int = 0,
) -> Filter:
    """A filter from what a person typed.

    Args:
        since: as `model.when.moment` reads it; a day is compared with the one that the author's clock showed.
        until: the same; a year, month or day counts to its end.
        now: seconds since 1970, for what is relative.

    Raises:
        BadInput: a date, operation or kind that cannot be one.
    """
    for op in ops:
        if op not in (*OPS, *USAGE):
            raise BadInput(f"{op!r} is not an operation", hint=f"one of {', '.join((*OPS, *USAGE))}")
    for kind in kinds:
        if kind not in KINDS:
            raise BadInput(f"{kind!r} is not a kind of record", hint=f"one of {', '.join(KINDS)}")
    return Filter(
        None if since is None else moment(since, now, first=True),
        None if until is None else moment(until, now, first=False),
        tuple(ops),
        tuple(kinds),
        tuple(actors),
        tuple(runs),
    )


def _range(repo: Repository, revisions: str | None) -> tuple[str | None, list[str]]:
    """The commit to look back from, and those whose history is left out."""
    if revisions is None:
        return repo.head().commit, []
    start, dots, end = revisions.partition("..")
    if not dots:
        return repo.resolve(revisions), []
    if end.startswith("."):
        raise BadInput(
            f"{revisions!r} names two histories at once", hint="write A..B: what B has and A has not"
        )
    return repo.resolve(end or "HEAD"), [repo.resolve(start or "HEAD")]


def _endless() -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1


class _Trail:
    """The search for everything that happened to one record, from its newest name back.

    An address stands for the record only between its renames: below the commit that gave it this name, and in
    lines of history that a merge joined to it. Another record with another id at the same address is left
    out.
    """

    def __init__(self, events: Events, repo: Repository, head: str, by_name: bool) -> None:
        self._by_name = by_name
        self._events = events
        self._repo = repo
        self._head = head
        self._ids: set[str] = set()
        self._seen: set[tuple[str, float]] = set()
        self._waiting: list[tuple[str, float, str | None]] = []
        self.found: dict[int, tuple[Event, list[RecordChange]]] = {}

    def follow(self, address: str | None, id_: str | None) -> None:
        if id_ is not None:
            self._by_id(id_)
        if address is not None:
            self._later(address, float("inf"), None)
        while self._waiting:
            self._by_address(*self._waiting.pop())

    def _take(self, place: int, event: Event, change: RecordChange) -> None:
        changes = self.found.setdefault(place, (event, []))[1]
        if change not in changes:
            changes.append(change)
        if change.id is not None and change.id not in self._ids:
            self._by_id(change.id)
        if change.was is not None:
            self._later(change.was, place, event.commit)

    def _later(self, address: str, below: float, renamed: str | None) -> None:
        if (address, below) not in self._seen:
            self._seen.add((address, below))
            self._waiting.append((address, below, renamed))

    def _by_id(self, id_: str) -> None:
        self._ids.add(id_)
        oldest: tuple[int, Event, RecordChange] | None = None
        for place, event in self._events.touching(self._head, [id_]):
            for change in event.records:
                if change.id == id_:
                    self._take(place, event, change)
                    oldest = (place, event, change)
        if oldest is not None and oldest[2].action not in ("create", "promote"):
            self._later(oldest[2].was or oldest[2].address, oldest[0], oldest[1].commit)

    def _by_address(self, address: str, below: float, renamed: str | None) -> None:
        """Events at an address: those before the commit that renamed the record away from it, and those
        beside that commit.
        """
        # What a known commit changed was there before it: the same record, though a hand took its id away,
        # and it got another since.
        before = renamed
        for place, event in self._events.touching(self._head, [address]):
            if place == below:
                continue
            if place > below and (renamed is None or self._repo.is_ancestor(renamed, event.commit)):
                continue
            same = before is not None and place < below and self._repo.is_ancestor(event.commit, before)
            here = [
                change
                for change in event.records
                if change.address == address and (same or not self._is_other(change))
            ]
            before = None if here else before
            away = [change for change in event.records if change.was == address and change.address != address]
            for change in here:
                self._take(place, event, change)
            if away and not self.found and self._by_name:
                # Nothing stands at this address any more: the record that was renamed away from it is meant.
                self._take(place, event, away[0])
                return
            if place > below:
                continue
            if any(change.was is not None and change.was != address for change in here):
                return
            if any(change.action in ("create", "promote") and change.id is not None for change in here):
                return
            if (
                away
                and not here
                and not any(change in self.found.get(place, (event, []))[1] for change in away)
            ):
                return

    def _is_other(self, change: RecordChange) -> bool:
        return change.id is not None and bool(self._ids) and change.id not in self._ids


def _of_record(
    events: Events, repo: Repository, head: str, record: Record | str, merged: Sequence[Record]
) -> Iterator[Event]:
    """The events of one record, and of those that were merged into it, newest first."""
    # what matches records is not needed where all events are asked for

    trail = _Trail(events, repo, head, isinstance(record, str))
    if isinstance(record, str):
        trail.follow(None, record) if is_id(record) else trail.follow(record, None)
    else:
        trail.follow(record.address, identity(record))
    everything = trail.found
    for other in merged:
        trail = _Trail(events, repo, head, False)
        trail.follow(other.address, identity(other))
        for place, (event, found) in trail.found.items():
            changes = everything.setdefault(place, (event, []))[1]
            changes += [change for change in found if change not in changes]
    for place in sorted(everything, reverse=True):
        event, changes = everything[place]
        named = {name for change in changes for name in (change.id, change.address, change.was)} - {None}
        told = [
            one
            for one in event.operations
            if any({change.id, change.address, change.was} & named for change in one.records)
        ]
        yield event._replace(records=tuple(changes), operations=tuple(told))


def as_json(found: Iterable[Entry]) -> Iterator[str]:
    """A JSON list of events, piece by piece, one event a line."""
    first = True
    batch: list[str] = []
    for entry in found:
        batch.append(("[\n" if first else ",\n") + entry.text)
        first = False
        if len(batch) >= 200:
            yield "".join(batch)
            batch = []
    batch.append("[]\n" if first else "\n]\n")
    yield "".join(batch)


def as_text(found: Iterable[Event]) -> Iterator[str]:
    """Lines for a person: one a commit with short hash, day, subject and who, one an operation of a squash,
    then one a record, set in.
    """
    for event in found:
        who = event.author.rpartition(" <")[0] or event.author
        by = f"{who} with {event.actor}" if event.actor else who
        partly = "" if event.complete else "  [not all of it is known in this clone]"
        whence = f"({by})" if event.commit else f"({f'{by}, ' if by else ''}from {event.source})"
        yield one_line(
            f"{event.commit[:10] or '-' * 10} {event.date[:10]} {event.subject or event.op}  {whence}{partly}"
        )
        for told in event.operations:
            own = (
                "" if told.author in (None, event.author) else told.author.rpartition(" <")[0] or told.author
            )
            by = " ".join(filter(None, (own, told.actor and f"with {told.actor}")))
            yield "  * " + one_line((told.subject or told.op) + (f" ({by})" if by else ""))
        for change in event.records[:MAX_SHOWN]:
            was = f" <- {change.was}" if change.was is not None else ""
            yield "    " + one_line(
                f"{change.action} {change.address}{was}" + (f"  {change.id}" if change.id else "")
            )
        if len(event.records) > MAX_SHOWN:
            yield f"    and {len(event.records) - MAX_SHOWN} more"


_DONE = {
    "create": ("write", "Recorded to {path}: {title}"),
    "promote": ("write", "Promoted to {path}: {title}"),
    "update": ("update", "Updated {path}: {title}"),
    "extend": ("update", "Updated {path}: {title} (merged new info)"),
    "archive": ("update", "Archived in {path}: {title}"),
    "restore": ("update", "Restored in {path}: {title}"),
    "rename": ("update", "Renamed in {path}: {was} is now {title}"),
    "link": ("update", "Linked in {path}: {title}"),
    "remove": ("update", "Removed from {path}: {title}"),
}


def as_markdown(found: Iterable[Event], layout: Layout) -> Iterator[str]:
    """Lines of a Mem Skill `log.md` without its header, in the order given: `## [YYYY-MM-DD] write | Recorded
    to <file>: "<title>"`.

    One line a record for what was written, one a commit for what counts as a whole (init, ingest, fix, adopt,
    upgrade). Verbs are Mem Skill's own: init, write, update, lint, ingest, recordnow, upgrade. Commits that did nothing
    of the kind have no line.
    """
    for event in (part for whole in found for part in whole.parts()):
        head = f"## [{event.date[:10]}]"
        rest = one_line(event.subject).partition(": ")[2] or one_line(event.subject)
        count = len(event.records)
        if not event.commit:  # an operation of the time before memgit, in the words of its log
            yield f"{head} {event.subject}"
        elif event.op == "init":
            yield f"{head} init | {rest or 'initialized'}"
        elif event.op == "ingest" and event.source == "conversation":
            yield f"{head} recordnow | Manually recorded {count} entries"
        elif event.op == "ingest":
            yield (
                f"{head} ingest | Processed {one_line(event.source or rest)} → {count} entries "
                "created/updated"
            )
        elif event.op == "fix":
            yield f"{head} lint | {rest} ({count} records)"
        elif event.op == "lint":
            yield f"{head} lint | {rest}"
        elif event.op in USAGE:
            yield f"{head} {event.op} | {_used(event, layout)}"
        elif event.op in ("adopt", "upgrade"):
            yield f"{head} upgrade | {rest}" + (f" ({count} records)" if count else "")
        else:
            for change in event.records:
                verb, words = _DONE[change.action]
                path, title = _place(change.address, layout)
                was = _place(change.was, layout)[1] if change.was is not None else ""
                # One pass over the template: braces in a title are text.
                yield f"{head} {verb} | " + one_line(
                    words.format(path=path, title=f'"{title}"', was=f'"{was}"')
                )


def _used(event: Event, layout: Layout) -> str:
    """What was read or used, in the words of a Mem Skill log: entries by their files, other records by name."""
    files: dict[str, dict[str, None]] = {}
    for record in event.records:
        path, title = _place(record.address, layout)
        kind = record.address.partition("/")[0]
        name = path.rpartition("/")[2] if kind in ("knowledge", "experience") else f'{path}: "{title}"'
        files.setdefault(kind, {})[name] = None
    verbs = {"knowledge": "Loaded"} if event.op == "read" else dict.fromkeys(files, "Used")
    return "; ".join(
        one_line(f"{verbs.get(kind, 'Retrieved')} {kind}: {', '.join(names)}")
        for kind, names in files.items()
    )


def _place(address: str, layout: Layout) -> tuple[str, str]:
    """The file of a record as far as its address tells, and its title or name."""
    kind, _, rest = address.partition("/")
    places = layout.of(kind)
    if kind in KINDS and KINDS[kind].stored == "entry":
        key, _, title = rest.partition("#")
    else:
        key, title = rest, rest.rpartition("/")[2]
    if kind == "note":
        return f"{layout.base}{key}.md", title
    if not places or "{year}" in (places[0].new or ""):
        return address, title
    place = places[0]
    if place.form == "vault" and key.startswith((place.new or "").partition("{key}")[0]):
        place = place._replace(new=None)  # the key of a memory in a vault has the prefix of its file
    return place.path(key), title
