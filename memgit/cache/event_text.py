"""Events as rows and as text, and the filter that picks among them."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple
from memgit.model.operation import Event, Operation, RecordChange

if TYPE_CHECKING:
    from typing import Any

_UNSAFE = pattern("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


class Filter(NamedTuple):
    """Which events are wanted; empty fields let all pass. Of a squash, each operation that it tells counts.

    `since` and `until` are a day (`YYYY-MM-DD`, compared with the day that the event itself names, both
    included) or seconds since 1970. `kinds`, `ops`, `actors` and `runs` each name what one of must be;
    `records_only` leaves out commits that changed no record.
    """

    since: str | int | None = None
    until: str | int | None = None
    ops: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    actors: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    records_only: bool = False

    @property
    def everything(self) -> bool:
        """Whether every event passes."""
        return self == EVERYTHING

    def where(self) -> tuple[str, list[str | int]]:
        """The filter as a condition on the table `event`, with its parameters."""
        parts: list[str] = []
        values: list[str | int] = []
        for bound, sign in ((self.since, ">="), (self.until, "<=")):
            if bound is not None:
                parts.append(f"{'day' if isinstance(bound, str) else 'moment'} {sign} ?")
                values.append(bound)
        for column, wanted in (
            ("op", self.ops),
            ("kinds", self.kinds),
            ("actor", self.actors),
            ("run", self.runs),
        ):
            if wanted:
                parts.append(f"({' or '.join([f'instr({column}, ?) > 0'] * len(wanted))})")
                values += [_listed(word) for word in wanted]
        if self.records_only:
            parts.append("kinds <> ''")
        return " and ".join(parts) or "1", values

    def takes(self, event: Event) -> bool:
        """Whether an event passes; the same answer as `where` gives."""
        for bound, sign in ((self.since, 1), (self.until, -1)):
            if (
                isinstance(bound, str)
                and event.date[:10] != bound
                and (event.date[:10] > bound) != (sign > 0)
            ):
                return False
            if isinstance(bound, int) and (moment(event.date) - bound) * sign < 0:
                return False
        if self.ops and not any(op in self.ops for op in _ops(event)):
            return False
        if self.kinds and not any(_kind(change) in self.kinds for change in event.records):
            return False
        for value, wanted in ((event.actor, self.actors), (event.run, self.runs)):
            if wanted and not any(_listed(word) in (_words(value) or "") for word in wanted):
                return False
        return bool(event.records) or not self.records_only


EVERYTHING = Filter()


class Row(NamedTuple):
    """One event as it is stored.

    `text` is its JSON, ready to be printed; lists of words stand between line ends.
    """

    id: str
    op: str
    actor: str | None
    run: str | None
    day: str
    moment: int
    kinds: str
    text: str


class Entry:
    """One event of the log, as a value and as JSON text; each is made when it is first asked for."""

    __slots__ = ("_event", "_text")

    def __init__(self, event: Event | None, text: str | None) -> None:
        self._event = event
        self._text = text

    @property
    def event(self) -> Event:
        if self._event is None:
            try:
                self._event = from_text(self._text or "")
            except ValueError:
                raise Refused(
                    "the cache is broken: it holds an event that cannot be read", hint="memgit rebuild"
                ) from None
        return self._event

    @property
    def text(self) -> str:
        """JSON on one line, keys in a fixed order, without control characters that a terminal obeys."""
        if self._text is None:
            assert self._event is not None
            self._text = to_text(self._event)
        return self._text


def to_text(event: Event) -> str:
    """An event as JSON on one line; what a terminal could obey or reorder stands as `\\uXXXX`."""
    text = json.dumps(event.as_json(), ensure_ascii=False)
    return (
        text
        if text.isascii() and "\x7f" not in text
        else _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    )


def from_text(text: str) -> Event:
    """The event that `to_text` wrote.

    Raises:
        ValueError: it did not.
    """
    try:
        known: dict[str, Any] = json.loads(text)
        known["records"] = tuple(RecordChange(**change) for change in known["records"])
        known["derived_from"] = tuple(known["derived_from"])
        known["operations"] = tuple(Operation(**_with_tuples(told)) for told in known["operations"])
        return Event(**known)
    except (LookupError, TypeError, RecursionError) as error:
        raise ValueError(f"no event: {error}") from error


def _with_tuples(told: dict[str, Any]) -> dict[str, Any]:
    records = tuple(RecordChange(**change) for change in told["records"])
    return {**told, "records": records, "derived_from": tuple(told["derived_from"])}


def to_row(entry: Entry) -> Row:
    event = entry.event
    records = event.records
    kinds = (
        _listed(_kind(records[0]))
        if len(records) == 1
        else "".join(map(_listed, dict.fromkeys(map(_kind, records))))
    )
    ops = "".join(map(_listed, dict.fromkeys(_ops(event)))) if event.operations else _listed(event.op)
    return Row(
        event.commit,
        ops,
        _words(event.actor),
        _words(event.run),
        event.date[:10],
        moment(event.date),
        kinds,
        entry.text,
    )


def moment(date: str) -> int:
    """Seconds since 1970 of an ISO 8601 date with zone, 0 for one that cannot be read."""
    try:
        read = datetime.fromisoformat(date)
        return int((read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return 0


def _ops(event: Event) -> list[str]:
    """The operation of an event, and those that it tells."""
    return [event.op, *(told.op for told in event.operations)]


def _kind(change: RecordChange) -> str:
    return change.address.partition("/")[0]


def _listed(word: str) -> str:
    return f"\n{word}\n" if word.isascii() else "\n" + word.encode("utf-8", "replace").decode() + "\n"


def _words(joined: str | None) -> str | None:
    """Several names (a squash joins them by commas), each between line ends; also the whole as it stands."""
    if joined is None:
        return None
    return (
        _listed(joined)
        if "," not in joined
        else "".join(map(_listed, dict.fromkeys([joined, *joined.split(", ")])))
    )
