"""The tables of dialects: they agree with themselves, and with what the dialects' own files look like."""

from __future__ import annotations

import time

import pytest

from memgit.formats.dialects import (
    DIALECTS,
    MEMGIT,
    MNEMA,
    MNEMA_BLOCK,
    VAULT,
    Dialect,
    aliases,
    fields_of,
    read_items,
)
from memgit.model.kinds import FIELDS, KINDS

EVERY = sorted(DIALECTS.values(), key=lambda dialect: dialect.name)
BLOCK_KINDS = ("observation", "decision", "epic", "sprint", "task")


@pytest.mark.parametrize("dialect", EVERY, ids=lambda dialect: dialect.name)
def test_the_key_of_a_field_means_that_field(dialect: Dialect) -> None:
    for kind in (*KINDS, *BLOCK_KINDS):
        known = fields_of(dialect.name, kind)
        for field in FIELDS:
            key = dialect.key(kind, field)
            assert known.get(key) == field or (field, key) == ("at", "at"), (kind, field, key)


@pytest.mark.parametrize("dialect", EVERY, ids=lambda dialect: dialect.name)
def test_every_key_that_is_always_there_has_its_place_and_something_to_say(dialect: Dialect) -> None:
    assert len(set(dialect.order)) == len(dialect.order)
    for kind, keys in dialect.always.items():
        for key in keys:
            assert key in dialect.order
            field = fields_of(dialect.name, kind).get(key, key)
            assert key in dialect.blank or field in ("created", "updated", "at"), (kind, key)
    assert set(dialect.blank) <= set(dialect.order)
    assert set(dialect.styles) <= {*dialect.order, *FIELDS}


def test_a_key_that_is_there_wins() -> None:
    assert MEMGIT.key("memory", "updated", ["modified"]) == "modified"
    assert MEMGIT.key("memory", "updated", ["modified", "updated"]) == "updated"
    assert MEMGIT.key("skill", "title") == "name"
    assert MEMGIT.key("skill", "title", ["title"]) == "title"
    assert VAULT.key("memory", "topics") == "topic"
    assert MNEMA.key("memory", "created") == "created_at"
    assert [MNEMA_BLOCK.key(kind, "id") for kind in ("observation", "decision", "task")] == [
        "id",
        "key",
        "key",
    ]
    assert [MNEMA_BLOCK.key(kind, "title") for kind in ("sprint", "epic")] == ["name", "title"]
    assert aliases("mnema-block", "decision", "created")[-1] == "at"


@pytest.mark.parametrize(
    ("dialect", "field", "value", "old", "written"),
    [
        (MEMGIT, "updated", "2026-03-02", None, "2026-03-02"),
        (MEMGIT, "updated", "2026-03-02", "2026-03-01T10:00:00.000Z", "2026-03-02T00:00:00.000Z"),
        (MEMGIT, "updated", "2026-03-02", "2026-03-02 10:00", "2026-03-02 10:00"),
        (MEMGIT, "updated", "2026-03-02", "2026-03-01", "2026-03-02"),
        (MNEMA, "created", "2026-03-02", None, "2026-03-02T00:00:00.000Z"),
        (MNEMA, "created", "2026-03-02T08:00:00.000Z", None, "2026-03-02T08:00:00.000Z"),
        (MNEMA, "version", "3", None, "3.0.0"),
        (MNEMA, "version", "2", "2.0.0", "2.0.0"),
        (MEMGIT, "version", "3", "2", "3"),
        (MEMGIT, "version", "3", "2.0.0", "3.0.0"),
        (MEMGIT, "version", "3", "v2", "3"),
        (MEMGIT, "source", "2026-03-02", "2026-03-01T10:00:00.000Z", "2026-03-02"),
    ],
)
def test_dates_and_versions_are_spelled_as_in_the_file(
    dialect: Dialect, field: str, value: str, old: str | None, written: str
) -> None:
    assert dialect.to_file(field, value, old) == written


def test_reading_links_is_linear() -> None:
    start = time.process_time()
    for text in (
        "[[a," * 100_000,
        "[" * 400_000,
        "[[" * 100_000 + "]]" * 100_000,
        "," * 400_000,
        "]]" + "[[a, " * 100_000,
    ):
        read_items("related", "related", text)
        read_items("tags", "tags", text)
    assert time.process_time() - start < 30
