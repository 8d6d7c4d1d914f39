"""What a commit did to records: the values of the activity log."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

ACTIONS = ("create", "update", "extend", "archive", "restore", "rename", "promote", "link", "remove")
USAGE = ("use", "read")
"""Actions that touch no file: they are counted on the usage refs, not on the branch."""
OPS = (
    "init",
    "record",
    "update",
    "extend",
    "archive",
    "restore",
    "rename",
    "promote",
    "link",
    "remove",
    "ingest",
    "fix",
    "adopt",
    "upgrade",
    "merge",
    "revert",
    "edit",
    "lint",
)
"""`edit` names a commit that was made by hand and changed records in more than one way, `lint` one that holds
the result of a check.
"""

PAST = {
    "create": "created",
    "update": "updated",
    "extend": "extended",
    "archive": "archived",
    "restore": "restored",
    "rename": "renamed",
    "promote": "promoted",
    "link": "linked",
    "remove": "removed",
}


class RecordChange(NamedTuple):
    """What one operation did to one record; `was` is the address before a rename or move."""

    action: str
    id: str | None
    address: str
    was: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {"action": self.action, "id": self.id, "address": self.address, "was": self.was}


class Operation(NamedTuple):
    """One operation as a commit message tells it.

    `reason` and `author` are set where the message is that of a squash.
    """

    op: str
    records: tuple[RecordChange, ...] = ()
    source: str | None = None
    actor: str | None = None
    run: str | None = None
    derived_from: tuple[str, ...] = ()
    subject: str = ""
    reason: str | None = None
    author: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            **self._asdict(),
            "derived_from": list(self.derived_from),
            "records": [change.as_json() for change in self.records],
        }


class Event(NamedTuple):
    """One commit of the activity log. `commit` is the full hash, `date` the author's, ISO 8601 with zone;
    `author` is `Name <mail>`.

    `complete` is false where the clone does not hold what the commit changed: at the border of a shallow
    clone, or where files are absent. `operations` are those that the message of a squash tells, the first one
    first; `records` is what the commit as a whole did.
    """

    commit: str
    date: str
    op: str
    subject: str
    author: str
    records: tuple[RecordChange, ...]
    actor: str | None = None
    run: str | None = None
    reason: str | None = None
    source: str | None = None
    derived_from: tuple[str, ...] = ()
    complete: bool = True
    operations: tuple[Operation, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            **self._asdict(),
            "derived_from": list(self.derived_from),
            "records": [change.as_json() for change in self.records],
            "operations": [operation.as_json() for operation in self.operations],
        }

    def parts(self) -> Iterator[Event]:
        """The event once for each operation that it tells; itself where it tells none."""
        if not self.operations:
            yield self
        for told in self.operations:
            yield self._replace(
                op=told.op if told.op in OPS else self.op,
                subject=told.subject or self.subject,
                author=told.author or self.author,
                records=told.records,
                actor=told.actor,
                run=told.run,
                reason=told.reason,
                source=told.source,
                derived_from=told.derived_from,
                operations=(),
            )
