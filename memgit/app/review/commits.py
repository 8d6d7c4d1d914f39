"""Who made the changes that a review is about: authors, agents and sources, by record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from memgit.formats.messages import message as messages
from memgit.git.history import history
from memgit.git.history.activity import Activity
from memgit.git.history.history import RawCommit
from memgit.git.objects.promisor import obtain
from memgit.git.repository import Repository
from memgit.model.change import Change, identity
from memgit.model.claim import Contradiction
from memgit.model.layout import Layout
from memgit.model.operation import Event, RecordChange
from memgit.review.values import NOBODY, SHORT, Who

MOST_FILES = 20_000
"""Files changed by all commits together beyond which nobody is named for a single record: all who took part
are.
"""
_TRAILER = re.compile(r"[A-Z][A-Za-z]*(-[A-Za-z]+)+: \S")


class Commits(NamedTuple):
    """The commits of a change: how many, and who changed which record (`names`, by id and address), and
    everybody together; `claims` is what their messages say and their trees contradict.
    """

    number: int
    names: dict[str, Who]
    everybody: Who
    claims: tuple[Contradiction, ...] = ()

    def of(self, change: Change) -> Who:
        """Who made one change."""
        if not self.names:
            return self.everybody
        found = [
            who
            for record in (change.new, change.old)
            if record is not None
            for name in (identity(record), record.address)
            if name is not None and (who := self.names.get(name)) is not None
        ]
        return _joined(found) if found else NOBODY


def commits_of(repo: Repository, layout: Layout, base: str, head: str) -> Commits:
    """The commits that head has and base has not.

    Raises:
        Refused: git cannot read one.
    """
    found = list(history.commits(repo, [head, f"^{base}"]))
    own = [commit for commit in found if len(commit.parents) < 2] or found
    told = [_who(commit) for commit in reversed(own)]
    everybody = _joined(told)
    alike = len({(who.authors, who.actors, who.runs, who.sources) for who in told}) < 2
    alone = alike and len(told) < 2 and all(len(names) < 2 for names in everybody[:-1])
    if sum(len(commit.changes) for commit in found) > MOST_FILES:
        return Commits(len(found), {}, everybody)
    sides = (side for commit in found for change in commit.changes for side in (change.old, change.new))
    obtain(repo, (side.oid for side in sides if side is not None and layout.find(side.path) is not None))
    claims = contradictions(repo, layout, found)
    if alone:
        return Commits(len(found), {}, everybody, claims)
    names: dict[str, list[Who]] = {}
    for event in reversed(list(Activity(repo, layout).events(found))):
        makers = _makers(event)
        for change in event.records:
            who = _of_change(event, change, makers)
            keys = [name for name in (change.id, change.address) if name is not None]
            before = [one for name in (*keys, change.was) if name is not None for one in names.get(name, [])]
            for name in keys:
                names[name] = [*dict.fromkeys([*before, who])]
    return Commits(len(found), {name: _joined(several) for name, several in names.items()}, everybody, claims)


def contradictions(
    repo: Repository, layout: Layout, commits: Sequence[RawCommit]
) -> tuple[Contradiction, ...]:
    """What the messages of some commits say about records and their trees contradict."""
    activity = Activity(repo, layout)
    return tuple(claim for commit in commits for claim in activity.contradictions(commit))


def _who(commit: RawCommit) -> Who:
    message = messages.parse(commit.message)
    blocks = message.blocks
    return Who(
        _once(block.author for block in blocks) or (commit.author,),
        _once(block.actor for block in blocks),
        _once(block.run for block in blocks),
        _once(block.source for block in blocks),
        _once(_why(block.reason) for block in blocks) or _once([_why(message.reason)]),
        (commit.commit[:SHORT],),
    )


def _makers(event: Event) -> dict[str, list[Who]]:
    """Who each operation of a squash tells of, by the ids and addresses of the records that it names."""
    found: dict[str, list[Who]] = {}
    for part in event.parts():
        who = _of_event(part)
        for one in part.records:
            for name in dict.fromkeys((one.id, one.address, one.was)):
                if name is not None:
                    found.setdefault(name, []).append(who)
    return found


def _of_change(event: Event, change: RecordChange, makers: Mapping[str, Sequence[Who]]) -> Who:
    """Who made a change: in a squash, those whose operations name its record."""
    told = [
        who
        for name in (change.id, change.address, change.was)
        if name is not None
        for who in makers.get(name, ())
    ]
    return _joined([*dict.fromkeys(told)]) if told else _of_event(event)


def _of_event(event: Event) -> Who:
    return Who(
        (event.author,),
        _once([event.actor]),
        _once([event.run]),
        _once([event.source]),
        _once([_why(event.reason)]),
        (event.commit[:SHORT],),
    )


def _why(reason: str | None) -> str | None:
    """A reason without trailers of other tools, which say who took part and not why."""
    lines = (reason or "").rstrip().split("\n")
    while lines and (_TRAILER.match(lines[-1]) or not lines[-1].strip()):
        lines.pop()
    return "\n".join(lines) or None


def _once(values: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))


def _joined(several: Sequence[Who]) -> Who:
    """Several as one, each name once."""
    return Who(
        *(
            tuple(dict.fromkeys(value for who in several for value in who[number]))
            for number in range(len(NOBODY))
        )
    )
