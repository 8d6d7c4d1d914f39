"""The message with which a branch may be squashed, so that the log afterwards tells what it told before."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from memgit.app.read.log import incomplete, log
from memgit.app.review.review import Request, sides
from memgit.app.workspace import Workspace
from memgit.formats.messages import squash
from memgit.git.repository import Repository
from memgit.model.operation import Event, Operation

MAX_MESSAGE_CHARACTERS = 60_000
"""Characters from which on forges are known to cut a message (GitHub's own limit for texts is 65,536)."""


class Squash(NamedTuple):
    """A message and what it is about:

    `operations` counts its blocks, `commits` what the branch has and its base has not.
    """

    base: str
    head: str
    message: str
    operations: int
    commits: int
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        subject, _, body = self.message.partition("\n")
        return {
            "base": self.base,
            "head": self.head,
            "subject": subject,
            "body": body.strip("\n"),
            "message": self.message,
            "operations": self.operations,
            "commits": self.commits,
        }


def squash_message(workspace: Workspace, base: str | None, head: str | None) -> Squash:
    """The message for squashing what `head` has and `base` has not; where one is None, it is that of a
    review.

    Raises:
        NotFound: no such revision.
        Refused: there is no repository, or git cannot read a commit.
    """
    repo = workspace.require_repository()
    (_, start), (name, end) = sides(repo, Request(base, head))
    events = list(log(workspace, f"{start}..{end}", cache=workspace.cache))[::-1]
    notes = [note for note in (incomplete(repo),) if note is not None]
    told = [event for event in events if _tells(event)]
    operations = list(_operations(told))
    text = squash.build(_named(repo, name), operations, len(events) - len(told))
    if len(text) > MAX_MESSAGE_CHARACTERS:
        notes.append(
            f"the message has {len(text):,} characters: a forge may cut it; git merge --squash and "
            "git commit -F take it whole"
        )
    return Squash(start, end, text, len(operations), len(events), tuple(notes))


def _named(repo: Repository, head: str) -> str:
    """The branch for people."""
    if head == "HEAD":
        ref = repo.head().ref
        return ref.removeprefix("refs/heads/") if ref is not None else "records"
    return head.removeprefix("refs/heads/")


def _tells(event: Event) -> bool:
    """Whether an event is worth a block: it did something to records, or memgit's own message names an
    operation.
    """
    return bool(event.records or event.operations) or event.op in ("init", "fix", "adopt", "upgrade", "lint")


def _operations(events: Iterable[Event]) -> Iterable[Operation]:
    """The operations of some events, each with its author: who squashes is somebody else, as often as not."""
    for part in (part for event in events for part in event.parts()):
        yield Operation(
            part.op,
            part.records,
            part.source,
            part.actor,
            part.run,
            part.derived_from,
            part.subject,
            part.reason,
            part.author,
        )
