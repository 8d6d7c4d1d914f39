"""Mem Skill's upgrade: every record that was written before `Source` and `Related` existed gets the labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from memgit.app.workspace import Context, Workspace
from memgit.app.write.session import Plan, Session, Written
from memgit.app.write.write import carry_out
from memgit.errors import BadInput, MemgitError
from memgit.formats.mem_skill.backfill import backfill
from memgit.model.layout import Layout
from memgit.model.operation import RecordChange


class Left(NamedTuple):
    """A record or file that the upgrade left as it was, and why."""

    path: str
    line: int
    message: str


class Upgraded(NamedTuple):
    """What was done: records that got a source, records that got the label for links, and the commit (None
    where nothing was missing).

    `records` are those that have been looked at, `chinese` those of auto-skill among them, which knows
    neither label.
    """

    written: Written
    records: int
    sources: int
    related: int
    chinese: int
    left: tuple[Left, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            **self.written.as_json(),
            "op": "upgrade",
            "action": "upgraded" if self.written.changes else "no_op",
            "records": self.records,
            "sources": self.sources,
            "related_labels": self.related,
            "chinese": self.chinese,
            "left": [one._asdict() for one in self.left],
        }


class _Tally:
    def __init__(self) -> None:
        self.records = self.sources = self.related = self.chinese = 0
        self.left: list[Left] = []


def upgrade(
    workspace: Workspace, context: Context, *, reason: str | None = None, stage: bool = False
) -> Upgraded:
    """Adds the labels that are missing, record by record, in one commit; a second time there is nothing to
    do.

    Raises:
        BadInput: the layout has no entries.
        Refused: the repository cannot take a commit now.
    """
    if not any(place.form == "entries" for place in workspace.layout.places):
        raise BadInput(f"upgrade is for Mem Skill's entries, and the layout {workspace.layout.name} has none")
    tally = _Tally()

    def plan(session: Session) -> Plan | None:
        nonlocal tally
        tally = _Tally()
        changes: list[RecordChange] = []
        board = session.board
        for path in entry_paths(workspace.layout, list(board.paths())):
            data = board.data(path)
            if data is None:
                continue
            records = board.parsed(path).records
            tally.records += len(records)
            try:
                done = backfill(data)
            except MemgitError as error:
                tally.left.append(Left(path, error.line or 1, error.message))
                continue
            tally.chinese += done.chinese
            for filled in done.records:
                if filled.failure is not None:
                    tally.left.append(Left(path, filled.line, filled.failure))
                    continue
                tally.sources += filled.source
                tally.related += filled.related
                record = records[filled.ordinal]
                changes.append(RecordChange("update", record.id, record.address))
            if done.data != data:
                board.put(path, done.data)
        if not changes:
            return None
        return Plan(
            "upgrade",
            tuple(changes),
            f"upgrade: Source added to {tally.sources}, Related to {tally.related} records",
        )

    written = carry_out(workspace, context, plan, reason=reason, stage=stage)
    return Upgraded(written, tally.records, tally.sources, tally.related, tally.chinese, tuple(tally.left))


def entry_paths(layout: Layout, paths: list[str]) -> Iterator[str]:
    """The entry files among some paths."""
    for path in paths:
        found = layout.find(path) if path.endswith(".md") else None
        if found is not None and found[0].form == "entries":
            yield path
