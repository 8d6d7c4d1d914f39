"""Dates as text."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.derive.dates import day, like, newest


@given(st.dates())
def test_every_real_day_is_one(date: datetime.date) -> None:
    assert day(date.isoformat()) == date.isoformat()
    assert day(f"{date.isoformat()}T10:00:00.000Z") == date.isoformat()


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-29",
        "2026-13-01",
        "2026-00-10",
        "2026-01-00",
        "2026-04-31",
        "03/02/2026",
        "2026-1-2",
        "",
        None,
        "2026-01-011",
        "1900-02-29",
        "tomorrow",
        "٢٠٢٦-٠١-٠١",
        "2026-01-01-slug",
    ],
)
def test_others_are_not(text: str | None) -> None:
    assert day(text) is None


def test_leap_days() -> None:
    assert day("2024-02-29") and day("2000-02-29")


def test_the_newest_of_some() -> None:
    assert newest(["2026-03-01", None, "2999-99-99", "2026-03-02T00:00:00Z", "2025-12-31"]) == "2026-03-02"
    assert newest([None, "soon"]) is None


@pytest.mark.parametrize(
    ("present", "new", "expected"),
    [
        ("2026-03-01", "2026-03-02", "2026-03-02"),
        ("2026-03-02T11:22:33", "2026-03-02", "2026-03-02T11:22:33"),
        ("2026-03-01T11:22:33", "2026-03-02", "2026-03-02T00:00:00"),
        ("2026-03-01T11:22:33.123Z", "2026-03-02", "2026-03-02T00:00:00Z"),
        ("2026-03-01 11:22+02:00", "2026-03-02", "2026-03-02T00:00:00+02:00"),
        (None, "2026-03-02", "2026-03-02"),
        ("YYYY-MM-DD", "2026-03-02", "2026-03-02"),
    ],
)
def test_a_new_day_takes_the_form_of_the_old(present: object, new: str, expected: str) -> None:
    assert like(present, new) == expected
    assert like(like(present, new), new) == expected
