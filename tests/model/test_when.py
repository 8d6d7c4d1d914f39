"""Dates as people type them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.errors import BadInput
from memgit.model.when import day, moment, noon

NOW = 1772323200  # 2026-03-01T00:00:00Z


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
