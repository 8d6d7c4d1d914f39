"""Dates as text: which are real, and which is the newest."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.model.lazy_re import pattern
from memgit.model.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

_DAY = pattern(r"(\d{4})-(\d\d)-(\d\d)(?![\d-])")
_MOMENT = pattern(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?")
_FIELDS = ("created", "updated", "at", "archived")
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def day(text: str | None) -> str | None:
    """The day, `YYYY-MM-DD`, that a date or an ISO 8601 moment names; None where it names no real one."""
    match = _DAY.match(text.strip()) if text else None
    if match is None or not match[0].isascii():
        return None
    year, month, number = int(match[1]), int(match[2]), int(match[3])
    if not 1 <= month <= 12 or number < 1:
        return None
    leap = month == 2 and ((year % 4 == 0 and year % 100 != 0) or year % 400 == 0)
    return match[0] if number <= _DAYS[month - 1] + leap else None


def newest(texts: Iterable[str | None]) -> str | None:
    """The newest day among texts; None where none of them is a real date."""
    return max((found for found in map(day, texts) if found is not None), default=None)


def newest_of(records: Iterable[Record]) -> str | None:
    """The newest day on which one of the records was made, changed or archived, as far as they say."""
    # The days of many records are few: each is looked at once.
    values = {record.fields.get(name) for record in records for name in _FIELDS}
    return newest([", ".join(value) if isinstance(value, tuple) else value for value in values])


def like(present: object, new: str) -> str:
    """The day `new` in the form of what stands there now: the same text where it names that day, a moment
    where it was a moment.
    """
    if not isinstance(present, str):
        return new
    if day(present) == new:
        return present
    match = _MOMENT.fullmatch(present.strip())
    return new if match is None else f"{new}T00:00:00{match[1] or ''}"
