"""Who last changed each line of a record, and in which operation."""

from __future__ import annotations

from typing import Any, NamedTuple

from memgit.app.read.reader import open_reader
from memgit.app.workspace import Workspace
from memgit.errors import BadInput
from memgit.formats.messages import message as messages
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
    out = []
    known: dict[str, tuple[str | None, str | None]] = {}
    for number, commit, author, date, text in blame_lines(
        repo, record.path, record.line, record.end_line, None if reader.fresh else reader.revision
    ):
        if commit is not None and commit not in known:
            blocks = messages.parse(repo.message_of(commit)).blocks
            known[commit] = (blocks[-1].actor, blocks[-1].op) if blocks else (None, None)
        actor, op = known[commit] if commit is not None else (None, None)
        out.append(BlamedLine(number, text, commit, date, author, actor, op))
    return out
