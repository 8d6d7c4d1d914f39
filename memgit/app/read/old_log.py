"""Operations of the time before memgit in the log: what the configuration names under `old_log`, read by
content.

They have no commit; `source` names the file and line that tells of them. A clone that does not hold the
content has them not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from memgit.adopt.old_log import events, references
from memgit.app.workspace import Workspace
from memgit.cache.event_text import EVERYTHING, Entry, Filter, moment
from memgit.errors import NotFound
from memgit.model.operation import Event


def old_events(
    workspace: Workspace, wanted: Filter = EVERYTHING, addresses: Collection[str] | None = None
) -> list[Event]:
    """The old operations that pass a filter, newest first; of the records at some addresses alone, where
    given.
    """
    repo = workspace.require_repository()
    found: list[Event] = []
    for old in references(workspace.config.old_log):
        try:
            data = repo.blob(old.blob)
        except NotFound:
            continue
        found += events(old.path, data, workspace.layout)
    if addresses is not None:
        found = [event for event in found if any(change.address in addresses for change in event.records)]
    return sorted(
        (event for event in reversed(found) if wanted.takes(event)),
        key=lambda event: moment(event.date),
        reverse=True,
    )


def with_old(entries: Iterable[Entry], old: Iterable[Event], limit: int | None = None) -> Iterator[Entry]:
    """Entries of commits and old operations in one log, newest first, as many as `limit`; a day counts from
    its beginning.
    """
    merged = _merged(iter(entries), list(old))
    return merged if limit is None else (entry for entry, _ in zip(merged, range(limit), strict=False))


def _merged(entries: Iterator[Entry], old: list[Event]) -> Iterator[Entry]:
    old.reverse()
    for entry in entries:
        if not old:
            yield entry
            break
        now = moment(entry.event.date)
        while old and moment(old[-1].date) > now:
            yield Entry(old.pop(), None)
        yield entry
    yield from chain(entries, (Entry(event, None) for event in reversed(old)))
