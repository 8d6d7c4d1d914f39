"""What a commit did to records: the values of the activity log."""

from __future__ import annotations

from typing import Any, NamedTuple

ACTIONS = ("create", "update", "extend", "archive", "restore", "rename", "promote", "link", "remove")
USAGE = ("use", "read")
"""Actions that touch no file: they are counted on the usage refs, not on the branch."""
OPS = (
    "init", "record", "update", "extend", "archive", "restore", "rename", "promote", "link", "ingest", "fix", "adopt", "upgrade",
    "merge", "revert", "edit",
)  # fmt: skip
"""`edit` names a commit that was made by hand and changed records in more than one way."""

PAST = {
    "create": "created", "update": "updated", "extend": "extended", "archive": "archived", "restore": "restored",
    "rename": "renamed", "promote": "promoted", "link": "linked", "remove": "removed",
}  # fmt: skip


class RecordChange(NamedTuple):
    """What one operation did to one record; `was` is the address before a rename or move."""

    action: str
    id: str | None
    address: str
    was: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {"action": self.action, "id": self.id, "address": self.address, "was": self.was}


class Event(NamedTuple):
    """One commit of the activity log. `commit` is the full hash, `date` the author's, ISO 8601 with zone; `author` is `Name <mail>`.

    `complete` is false where the clone does not hold what the commit changed: at the border of a shallow clone, or where files are absent.
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

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "derived_from": list(self.derived_from), "records": [change.as_json() for change in self.records]}
