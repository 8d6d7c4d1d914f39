"""Who last changed each line of a record, and in which operation."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from memgit.app.read.reader import open_reader
from memgit.app.workspace import Workspace
from memgit.errors import BadInput
from memgit.formats.messages import message as messages
from memgit.formats.messages.message import Block
from memgit.git.history.blame import blame_lines


class BlamedLine(NamedTuple):
    """One line of a record: its number in the file, its text, the commit (None while it is not committed),
    and who made it.
    """

    line: int
    text: str
    commit: str | None
    date: str
    author: str
    actor: str | None
    op: str | None

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


def blame(workspace: Workspace, name: str, at: str | None = None) -> list[BlamedLine]:
    """The lines of a record with their origin; edits that are not committed have no commit.

    Raises:
        BadInput: the file is not committed yet.
    """
    repo = workspace.require_repository()
    reader = open_reader(workspace, at)
    record = reader.find(name)
    if reader.revision is None or repo.tree(reader.revision).get(record.path) is None:
        raise BadInput("this file is not committed yet", path=record.path, hint="memgit commit")
    names = {record.address, record.id}
    out = []
    known: dict[str, _Told] = {}
    for number, commit, author, date, text in blame_lines(
        repo, record.path, record.line, record.end_line, None if reader.fresh else reader.revision
    ):
        if commit is not None and commit not in known:
            known[commit] = _told(messages.parse(repo.message_of(commit)).blocks, names)
        told = known[commit] if commit is not None else _Told()
        out.append(BlamedLine(number, text, commit, date, told.author or author, told.actor, told.op))
    return out


class _Told(NamedTuple):
    author: str | None = None
    actor: str | None = None
    op: str | None = None


def _told(blocks: Sequence[Block], names: Collection[str | None]) -> _Told:
    """What a message says of the operations on a record; a squash tells of several, of which any may have written a
    line where more than one is about the record.
    """
    own = [
        block
        for block in blocks
        if any({one.id, one.address, one.was}.intersection(names) - {None} for one in block.records)
    ] or blocks
    authors, actors, ops = (
        dict.fromkeys(value for block in own if (value := getattr(block, name)))
        for name in ("author", "actor", "op")
    )
    op = next(iter(ops), None) if len(ops) < 2 else "edit"
    return _Told(", ".join(authors) or None, ", ".join(actors) or None, op)
