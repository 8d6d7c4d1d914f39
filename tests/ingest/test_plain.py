"""Titles that stand alone, and plain text of marked-up lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.ingest.plain import MAX_TOGETHER, plain, shortened, standing_alone


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[glob](lib/glob.js#L43)", "glob"),
        ('<h1 align="center">Widget Queue</h1>', "Widget Queue"),
        ("![build](https://ci.example.org/b.svg) Tide tables", "Tide tables"),
        ("[![npm](https://x.example.org/n.svg)](https://x.example.org) Install", "Install"),
        ("**Bold** and `code` and _em_ &amp; more", "Bold and code and em & more"),
        ("See [[tides|the tides]] :rocket:", "See the tides"),
        ("snake_case_name stays", "snake_case_name stays"),
        ("Options {#options}", "Options"),
        ("2 * 3 * 4 = 24", "2 * 3 * 4 = 24"),
        ("`--flag`", "--flag"),
    ],
)
def test_plain(text: str, wanted: str) -> None:
    assert plain(text) == wanted


@pytest.mark.parametrize(
    ("heading", "subject", "wanted"),
    [
        ("Install on Alpine", "widget-queue", "widget-queue: install on Alpine"),
        (".onIdle()", "widget-queue", "widget-queue: .onIdle()"),
        ("Restart widget-queue", "widget-queue", "Restart widget-queue"),
        ("Scan Options", "Globber", "Globber: Scan Options"),
        ("API", "The Globber!", "Globber: API"),
        ("Globber", "Globber", "Globber"),
        (
            "Usage",
            "A guide to everything that a large team has to know",
            "guide to everything that a large team has to know: Usage",
        ),
        ("How to Drain the Queue", "widget-queue", "widget-queue: How to Drain the Queue"),
        ("Outage", "Tide service outage", "Tide service outage"),
        ("Install; Tide service", "Tide service", "Tide service: Install; Tide service"),
        (
            "Why the lamp of the northern harbour went out twice in one winter",
            "Everything that the keepers of lamps wrote down",
            "Why the lamp of the northern harbour went out twice in one winter",
        ),
        ("Usage", "", "Usage"),
    ],
)
def test_a_title_names_its_subject(heading: str, subject: str, wanted: str) -> None:
    assert standing_alone(heading, subject) == wanted


@pytest.mark.parametrize(
    "text", ["[" * 5000, "![" * 5000, "[a](" * 3000, "<a " * 5000, "*_" * 5000, "[[" * 5000 + "]]"]
)
def test_hostile_lines_take_no_time(text: str) -> None:
    assert len(plain(text)) <= 400


@pytest.mark.parametrize(
    ("text", "width", "wanted"),
    [
        ("Short enough", 20, "Short enough"),
        ("The pump stops at low tide. Start it by hand", 40, "The pump stops at low tide"),
        (
            "Three ways to read a tide table: by the moon, by the harbour clock",
            50,
            "Three ways to read a tide table: by the moon",
        ),
        (
            "After the flood, the harbour master went through every log of the pumps",
            50,
            "After the flood, the harbour master went",
        ),
        (
            "Loops in the pipes are closed, to prevent flooding of the cellar",
            50,
            "Loops in the pipes are closed",
        ),
        (
            "Opens the lock at a given water level that the gauge reports",
            50,
            "Opens the lock at a given water level",
        ),
        ("Mind the rising water (or the falling one, which is worse)", 45, "Mind the rising water"),
        ("unbrokenwordthatneverends" * 3, 30, ("unbrokenwordthatneverends" * 3)[:30]),
    ],
)
def test_shortened_at_the_end_of_a_thought(text: str, width: int, wanted: str) -> None:
    assert shortened(text, width) == wanted


@given(st.text("ab (),.:;-", max_size=200), st.integers(10, 100))
def test_shortened_is_a_beginning_that_fits(text: str, width: int) -> None:
    found = shortened(text, width)
    assert len(found) <= width
    assert text.replace("(", "").startswith(found.replace("(", ""))


def test_a_long_subject_gives_way() -> None:
    subject = "Life at the harbour: how the old pumps were repaired"
    found = standing_alone("What the crew found; What it did about that in the first week", subject)
    assert (
        found
        == "how the old pumps were repaired: What the crew found; What it did about that in the first week"
    )
    assert len(found) <= MAX_TOGETHER
