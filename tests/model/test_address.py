from __future__ import annotations

import pytest

from memgit.model.address import Address, ends, nearest, parse


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("knowledge/web#Title # with hash", Address("knowledge", "web", "Title # with hash")),
        ("experience/webpack#Loader order", Address("experience", "webpack", "Loader order")),
        ("memory/team/api/friday-ci", Address("memory", "team/api/friday-ci")),
        ("skill/adr", Address("skill", "adr")),
        ("skill/adr@2", Address("skill", "adr", version=2)),
        ("skill/adr@two", Address("skill", "adr@two")),
        ("memory/mail@2", Address("memory", "mail@2")),
        ("note/a/b#c", Address("note", "a/b#c")),
    ],
)
def test_full_addresses(text: str, wanted: Address) -> None:
    assert parse(text) == wanted
    assert str(wanted) == text


@pytest.mark.parametrize(
    "text",
    ["", "knowledge", "knowledge/", "knowledge/web", "knowledge/web#", "knowledge/#T", "x/y", "web#Title"],
)
def test_short_forms_are_no_addresses(text: str) -> None:
    assert parse(text) is None


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("knowledge/web#Grid", True),
        ("web#Grid", True),
        ("Grid", True),
        ("rid", False),
        ("#Grid", False),
        ("x/knowledge/web#Grid", False),
        ("", False),
    ],
)
def test_an_ending_begins_at_a_slash_or_a_hash(wanted: str, found: bool) -> None:
    assert ends("knowledge/web#Grid", wanted) is found


def test_the_nearest_address_is_found_by_its_ending_too() -> None:
    known = ["memory/friday-ci", "memory/monday-ci", "knowledge/web#Responsive grid"]
    assert nearest("memory/fridayci", known)[0] == "memory/friday-ci"
    assert nearest("responsive grids", known)[0] == "knowledge/web#Responsive grid"
    assert nearest("zzzzzz", known) == []
