"""Dates as people type them: one parser for every option and argument that takes one.

The day of an instant is that of this machine's zone, in which records are dated.
"""

from __future__ import annotations

from memgit.errors import BadInput
from memgit.model.lazy_re import pattern

DAY = 86_400
_UNITS = {"hour": 3600, "day": DAY, "week": 7 * DAY, "month": 30 * DAY, "year": 365 * DAY}
_AGO = pattern(r"(\d{1,5})[ .]?(hour|day|week|month|year)s?(?:[ .]ago)?")
_DATE = pattern(r"\d{4}(-\d\d(-\d\d)?)?")


def moment(text: str, now: int, *, first: bool) -> str | int:
    """What a text means: a day, `YYYY-MM-DD`, on whatever clock, or an instant in seconds since 1970.

    Args:
        text: `YYYY`, `YYYY-MM`, `YYYY-MM-DD`, a date and time with or without zone (UTC), `now`, `today`,
            `yesterday`, or `3 days ago`, also in hours, weeks, months of 30 days and years of 365.
        now: seconds since 1970, for what is relative.
        first: of a year or month, the first day; else the last.

    Raises:
        BadInput: it is not a date.
    """
    from datetime import UTC, date, datetime

    words = " ".join(text.lower().split())
    try:
        if _DATE.fullmatch(words):
            start = date.fromisoformat((words + "-01-01")[:10])
            return start.isoformat() if first else words + "-12-31"[len(words) - 4 :]
        if words in ("today", "yesterday"):
            return _day_of(now - (DAY if words == "yesterday" else 0))
        if words == "now":
            return now
        ago = _AGO.fullmatch(words)
        if ago is not None:
            return now - int(ago[1]) * _UNITS[ago[2]]
        read = datetime.fromisoformat(text.strip().replace(" ", "T", 1))
        return int((read if read.tzinfo is not None else read.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        raise BadInput(
            f"{text!r} is not a date", hint="2026-03-01, 2026-03-01T12:00+01:00, or '3 days ago'"
        ) from None


def day(text: str, now: int, *, first: bool = True) -> str:
    """The day that a text means, `YYYY-MM-DD`; of an instant, its day here. Arguments and errors as for `moment`."""
    found = moment(text, now, first=first)
    return found if isinstance(found, str) else _day_of(found)


def noon(today: str) -> int:
    """Noon of a day here, as the `now` of callers that know only the day."""
    from datetime import datetime

    return int(datetime.fromisoformat(f"{today}T12:00").timestamp())


def _day_of(seconds: int) -> str:
    from datetime import datetime

    return datetime.fromtimestamp(seconds).date().isoformat()
