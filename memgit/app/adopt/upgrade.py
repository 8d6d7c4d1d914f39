"""Mem Skill's upgrade: every record that was written before `Source` and `Related` existed gets the labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from memgit.app.read.engines import MEM_SKILL
from memgit.app.workspace import Context, Workspace
from memgit.app.write.overlay import Overlay
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.app.write.write import execute
from memgit.errors import BadInput, MemgitError, UnreadableFile
from memgit.formats.jsonedit import parse, put, value_of
from memgit.formats.mem_skill.backfill import backfill
from memgit.formats.text import decode, encode, has_bom
from memgit.model.layout import Layout
from memgit.model.operation import RecordChange

VERSION = "1.2.0"
"""The version of Mem Skill whose form entries get."""


class Left(NamedTuple):
    """A record or file that the upgrade left as it was, and why."""

    path: str
    line: int
    message: str


class Upgraded(NamedTuple):
    """What was done: records that got a source, records that got the label for links, and the commit (None
    where nothing was missing).

    `version` is that of Mem Skill's configuration before, where it was raised. `records` are those that have
    been looked at, `chinese` those of auto-skill among them, which knows
    neither label.
    """

    written: OperationResult
    records: int
    sources: int
    related: int
    chinese: int
    left: tuple[Left, ...]
    version: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            **self.written.as_json(),
            "op": "upgrade",
            "action": "upgraded" if self.written.changes or self.version is not None else "no_op",
            "records": self.records,
            "sources": self.sources,
            "related_labels": self.related,
            "chinese": self.chinese,
            "version": None if self.version is None else {"from": self.version, "to": VERSION},
            "left": [one._asdict() for one in self.left],
        }


class _Tally:
    def __init__(self) -> None:
        self.records = self.sources = self.related = self.chinese = 0
        self.left: list[Left] = []
        self.version: str | None = None


def upgrade(workspace: Workspace, context: Context) -> Upgraded:
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
        overlay = session.overlay
        for path in entry_paths(workspace.layout, list(overlay.paths())):
            data = overlay.data(path)
            if data is None:
                continue
            records = overlay.parsed(path).records
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
                overlay.put(path, done.data)
        _raise_version(overlay, workspace.layout.base + MEM_SKILL, tally)
        if not changes and tally.version is None:
            return None
        subject = (
            f"upgrade: Source added to {tally.sources}, Related to {tally.related} records"
            if changes
            else f"upgrade: Mem Skill {VERSION}"
        )
        return Plan("upgrade", tuple(changes), subject, anyway=True)

    written = execute(workspace, context, plan)
    return Upgraded(
        written, tally.records, tally.sources, tally.related, tally.chinese, tuple(tally.left), tally.version
    )


def _raise_version(overlay: Overlay, path: str, tally: _Tally) -> None:
    """Sets the version in Mem Skill's own configuration, where there is one and it is older."""
    data = overlay.data(path)
    if data is None:
        return
    try:
        text = decode(data)
        node = parse(text).member("version")
        version = "" if node is None else str(value_of(text, node))
        if _numbers(version) < _numbers(VERSION):
            overlay.put(path, encode(put(text, ("version",), VERSION), has_bom(data)))
            tally.version = version
    except UnreadableFile as error:
        tally.left.append(Left(path, error.line or 1, error.message))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isascii() and part.isdigit() else 0 for part in version[:40].split("."))


def entry_paths(layout: Layout, paths: list[str]) -> Iterator[str]:
    """The entry files among some paths."""
    for path in paths:
        found = layout.find(path) if path.endswith(".md") else None
        if found is not None and found[0].form == "entries":
            yield path
