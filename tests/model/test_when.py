"""Dates as people type them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.errors import BadInput
from memgit.model.when import day, moment, noon

NOW = 1772323200  # 2026-03-01T00:00:00Z


@contextmanager
def zone(name: str) -> Iterator[None]:
    """This process in another zone."""
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TZ", name)
            time.tzset()
            yield
    finally:
        time.tzset()


@pytest.fixture(autouse=True)
def utc() -> Iterator[None]:
    with zone("UTC"):
        yield


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026", "2026-01-01", "2026-12-31"),
        ("2026-02", "2026-02-01", "2026-02-31"),
        ("2026-02-03", "2026-02-03", "2026-02-03"),
        (" Yesterday ", "2026-02-28", "2026-02-28"),
        ("today", "2026-03-01", "2026-03-01"),
        ("now", "2026-03-01", "2026-03-01"),
        ("2 weeks ago", "2026-02-15", "2026-02-15"),
        ("2.weeks.ago", "2026-02-15", "2026-02-15"),
        ("36 hours", "2026-02-27", "2026-02-27"),
        ("2026-02-03T01:00+02:00", "2026-02-02", "2026-02-02"),
    ],
)
def test_days(text: str, first: str, last: str) -> None:
    assert (day(text, NOW), day(text, NOW, first=False)) == (first, last)


@pytest.mark.parametrize(("place", "today"), [("Etc/GMT-14", "2026-03-01"), ("Etc/GMT+11", "2026-02-28")])
def test_today_is_the_day_on_which_records_are_dated_here(place: str, today: str) -> None:
    with zone(place):
        assert time.strftime("%Y-%m-%d", time.localtime(NOW)) == today
        assert day("now", NOW) == day("today", NOW) == moment("today", NOW, first=True) == today
        assert day("now", noon(today)) == today


def test_a_time_without_zone_is_utc() -> None:
    assert moment("1970-01-02 00:00", 0, first=True) == 86_400
    assert noon("1970-01-02") == 86_400 * 3 // 2


@pytest.mark.parametrize("text", ["", "soon", "2026-13", "2026-02-30", "weeks ago", "-1 days", "0000"])
def test_no_dates(text: str) -> None:
    with pytest.raises(BadInput):
        moment(text, NOW, first=True)


@given(st.text(max_size=30), st.integers(0, 4_000_000_000))
def test_any_text_is_a_date_or_bad_input(text: str, now: int) -> None:
    with suppress(BadInput):
        assert len(day(text, now)) == 10
