"""The health of a store: what each record gets in the way, and the command that helps."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Any, NamedTuple

from memgit.app.read import token_counts
from memgit.app.read.counts import Tally, listed, tally
from memgit.app.read.listing import group_of, in_group
from memgit.app.read.reader import open_reader
from memgit.app.workspace import Context, Workspace
from memgit.derive.dates import day
from memgit.model import health as scores
from memgit.model.duplicate_id import merging
from memgit.model.health import ACTIONS, Facts, Likest, Score
from memgit.model.printable import readable
from memgit.model.record import Record


class Rated(NamedTuple):
    """One record with its score.

    Attributes:
        record: its head. uses, last_used: how often, and on which day at last, it was used: the larger of
        what the file, a vault's index and the usage refs
            say.
        like: the record that has most of its keywords, where one has any.
        command: what helps, to be typed as it is; None for a healthy record.
    """

    record: Record
    facts: Facts
    score: Score
    uses: int
    last_used: str | None
    like: Record | None
    command: str | None = None

    def as_json(self) -> dict[str, Any]:
        record = self.record
        return {
            "address": record.address,
            "id": record.id,
            "kind": record.kind,
            "title": record.title,
            "path": readable(record.path),
            "line": record.line,
            **{name: round(value, 4) for name, value in self.score._asdict().items()},
            "actions": list(self.score.actions),
            "tokens": self.facts.tokens,
            "age": self.facts.age,
            "uses": self.uses,
            "last_used": self.last_used,
            "duplicate_of": None if self.like is None else self.like.address,
            "command": self.command,
        }


class Group(NamedTuple):
    """Records that belong together: how many, the mean of their scores, and how many call for each action."""

    name: str
    records: int
    score: float
    actions: dict[str, int]

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "records": self.records, "score": round(self.score, 4), **self.actions}


class Health(NamedTuple):
    """The health of a store as of one state.

    Attributes:
        points: 0 to 100, with the word for it.
        found: the records that call for an action, the highest score first.
        groups: by kind, category and topic, the highest mean first.
        unreadable: files that could not be understood, as `path:line: why`; what they hold is not scored, or
            not wholly.
        undated: how many records say nowhere when they were made, nor does the log: they cannot be stale.
    """

    points: int
    verdict: str
    records: int
    undated: int
    actions: dict[str, int]
    groups: dict[str, tuple[Group, ...]]
    found: tuple[Rated, ...]
    revision: str | None
    fresh: bool
    unreadable: tuple[str, ...] = ()

    def as_json(self, limit: int | None = None) -> dict[str, Any]:
        return {
            "health": self.points,
            "verdict": self.verdict,
            "records": self.records,
            "undated": self.undated,
            "actions": self.actions,
            "groups": {name: [group.as_json() for group in groups] for name, groups in self.groups.items()},
            "candidates": [rated.as_json() for rated in self.found[:limit]],
            "revision": self.revision,
            "fresh": self.fresh,
        }


def health(
    workspace: Workspace,
    context: Context,
    *,
    kind: str | None = None,
    category: str | None = None,
    at: str | None = None,
) -> Health:
    """Scores all records in use, or those of a kind or category; the like of a record is looked for among all
    of them.

    Raises:
        NotFound: no such revision.
    """
    reader = open_reader(workspace, at)
    heads = [record for record in reader.heads(archived=False) if not record.archived]
    likest = _likest(heads)
    wanted = [
        place
        for place, record in enumerate(heads)
        if (kind is None or record.kind == kind) and (category is None or _in_category(record, category))
    ]
    made = _made(workspace, at, [heads[place] for place in wanted])
    count, known, tokens = tally(workspace), listed(reader), token_counts.counter(reader)
    rated: dict[int, Rated] = {}
    for place in wanted:
        head = heads[place]
        used = count(head)
        retrieved, retrieved_at = known.get(head.path, Tally())
        uses = max(used.uses, head.usage_count, retrieved)
        last = max(filter(None, (used.last_used, day(head.text("last_used")), retrieved_at)), default=None)
        facts = Facts(
            _days(context.today, made.get(head.address)),
            _days(context.today, last),
            bool(uses or last),
            tokens(head),
            likest[place].share,
        )
        rated[place] = Rated(head, facts, scores.score(facts), uses, last, _like(heads, likest[place]))
    names = _names(heads)
    named = {
        place: one._replace(command=_command(place, one, rated, likest[place], names))
        for place, one in rated.items()
    }
    found = sorted(
        (one for one in named.values() if one.score.actions),
        key=lambda one: (-one.score.score, one.record.address),
    )
    points = scores.store(one.score.actions for one in found)
    return Health(
        points,
        scores.verdict(points),
        len(rated),
        sum(one.facts.age is None for one in rated.values()),
        _counted(rated.values()),
        {name: _grouped(rated.values(), of) for name, of in GROUPINGS.items()},
        tuple(found),
        reader.revision,
        reader.fresh,
        tuple(
            f"{path}:{problem.line}: {problem.message}"
            for path, problem in reader.problems()
            if problem.fatal
        ),
    )


def category_of(record: Record) -> str:
    """The category of a record: a field, a tag in capitals in the first place (vaults), else the group in its
    address.
    """
    named = (record.text("category") or "").strip().strip("[]")
    first = next(iter(record.items("tags")), "")
    return named or (first if first.isupper() else "") or group_of(record)


GROUPINGS: dict[str, Callable[[Record], str]] = {
    "kind": lambda record: record.kind,
    "category": category_of,
    "topic": lambda record: record.topics[0].split("/")[0].strip() if record.topics else "",
}
"""How records are grouped; "" for one that belongs to no group of the sort."""


def _in_category(record: Record, category: str) -> bool:
    return category_of(record).casefold() == category.casefold() or in_group(record, category)


def _likest(heads: Sequence[Record]) -> list[Likest]:
    """For each record the one with most of its keywords; of several, one of its own kind, which it can be
    merged with.
    """
    words = [
        frozenset(" ".join(word.casefold().split()) for word in record.keywords) - {""} for record in heads
    ]
    found = scores.likest(words)
    for kind in {
        heads[place].kind
        for place, one in enumerate(found)
        if one.place is not None and heads[one.place].kind != heads[place].kind
    }:
        places = [place for place, record in enumerate(heads) if record.kind == kind]
        for place, one in zip(places, scores.likest([words[place] for place in places]), strict=True):
            if one.place is not None and one.share == found[place].share:
                found[place] = Likest(one.share, places[one.place])
    return found


def _like(heads: Sequence[Record], likest: Likest) -> Record | None:
    return None if likest.place is None else heads[likest.place]


def _days(today: str, then: str | None) -> int | None:
    """The days since a day; None where it is not known."""
    return None if then is None else (date.fromisoformat(today) - date.fromisoformat(then)).days


def _made(workspace: Workspace, at: str | None, records: Sequence[Record]) -> dict[str, str]:
    """The day on which each record was made, by address: what it says itself, else the day of the commit that
    brought it.
    """
    made = {
        record.address: found
        for record in records
        if (found := day(record.created) or day(record.text("at"))) is not None
    }
    sought = {record.address: record.address for record in records if record.address not in made}
    if sought and workspace.repo is not None:
        from memgit.app.read.log import log

        for event in log(workspace, at, cache=workspace.cache, records_only=True):
            for change in event.records:
                address = sought.get(change.address)
                if address is not None and (found := day(event.date)) is not None:
                    made[address] = found  # newest first: the last one to be met is the oldest
                    if change.was is not None:
                        sought[change.was] = address
    return made


def _counted(rated: Iterable[Rated]) -> dict[str, int]:
    counts = dict.fromkeys(ACTIONS, 0)
    for one in rated:
        for action in one.score.actions:
            counts[action] += 1
    return counts


def _grouped(rated: Iterable[Rated], of: Callable[[Record], str]) -> tuple[Group, ...]:
    """The groups that records fall into, the one with the highest mean score first."""
    members: dict[str, list[Rated]] = {}
    for one in rated:
        members.setdefault(of(one.record), []).append(one)
    groups = [
        Group(name, len(found), sum(one.score.score for one in found) / len(found), _counted(found))
        for name, found in members.items()
    ]
    return tuple(sorted(groups, key=lambda group: (-group.score, group.name)))


def _names(heads: Sequence[Record]) -> list[str | None]:
    """What names each record on a command line: its address, where another one has that its id; None where
    nothing names it alone.
    """
    held = Counter(record.address for record in heads)
    return [record.address if held[record.address] == 1 else record.id for record in heads]


def _command(
    place: int, one: Rated, rated: dict[int, Rated], likest: Likest, names: Sequence[str | None]
) -> str | None:
    """The command that helps a record."""
    actions, name, like = (
        one.score.actions,
        names[place],
        None if likest.place is None else names[likest.place],
    )
    if not actions:
        return None
    if name is None or ("merge" in actions and likest.place is not None and like is None):
        return "memgit lint --select MG005"  # titles that stand twice in a file are to be told apart first
    quoted = shlex.quote(name)
    if (
        "merge" in actions
        and one.like is not None
        and likest.place is not None
        and mergeable(one.record, one.like)
    ):
        pair = sorted(
            ((place, one), (likest.place, rated.get(likest.place))),
            key=lambda item: _worth(*item),
            reverse=True,
        )
        return merging(*(names[number] or "" for number, _ in pair))
    if "archive" in actions:
        return f"memgit archive {quoted}"
    if "merge" in actions and like is not None:
        return f"memgit link {quoted} {shlex.quote(like)}"
    return f"memgit update {quoted} -F FILE" if "shorten" in actions else f"memgit show {quoted}"


def mergeable(one: Record, other: Record) -> bool:
    """Whether two records can be merged: they are of one kind, and not observations, which are never edited."""
    return one.kind == other.kind != "observation"


def _worth(place: int, one: Rated | None) -> tuple[int, float, int]:
    """What of two records to keep goes by: uses, then health, then which stands first."""
    return (0, 0.0, -place) if one is None else (one.uses, -one.score.score, -place)
