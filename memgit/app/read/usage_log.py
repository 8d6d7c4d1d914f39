"""Uses and reads in the log: what all clones counted on the usage refs, beside the commits of the branch."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.read.old_log import with_old
from memgit.errors import BadInput
from memgit.formats.messages import message as messages
from memgit.git.history import usage as refs
from memgit.model.operation import USAGE, Event
from memgit.model.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memgit.app.workspace import Workspace
    from memgit.cache.event_text import Entry, Filter


def usage_events(workspace: Workspace, wanted: Filter) -> Iterator[Event]:
    """What was used and read, one event a commit of a usage ref, as far as a filter takes it; newest first."""
    repo = workspace.require_repository()
    tips = refs.tips(repo)
    for counted in refs.commits(repo, list(tips.values()), []) if tips else ():
        told = messages.parse(counted.text)
        for block in told.blocks:
            if block.op not in USAGE or not block.records:
                continue
            event = Event(
                counted.commit,
                counted.date,
                block.op,
                told.subject,
                counted.author,
                block.records,
                block.actor,
                block.run,
                told.reason,
            )
            if wanted.takes(event):
                yield event


def with_usage(
    workspace: Workspace,
    told: Iterable[Entry],
    wanted: Filter,
    *,
    revisions: str | None,
    record: Record | str | None,
    limit: int | None,
) -> Iterator[Entry]:
    """Entries of the log with the uses and reads that a filter asks for by name; none where it does not.

    Raises:
        BadInput: a range of commits, which says nothing of them.
    """
    if not set(USAGE) & set(wanted.ops):
        return iter(told)
    if revisions is not None:
        raise BadInput(
            "uses and reads are counted apart from the branch, so no revision bounds them",
            hint="--since and --until do",
        )
    events = usage_events(workspace, wanted)
    if record is not None:
        id_, address = (record.id, record.address) if isinstance(record, Record) else (record, record)
        names = {id_, address} - {None}
        events = (
            event._replace(records=mine)
            for event in events
            if (mine := tuple(one for one in event.records if {one.id, _unversioned(one.address)} & names))
        )
    return with_old(told, events, limit)


def _unversioned(address: str) -> str:
    return address.rpartition("@")[0] if address.startswith("skill/") and "@" in address else address
