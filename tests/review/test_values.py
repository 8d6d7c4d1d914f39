"""What a review calls a change, and when it fails."""

from __future__ import annotations

import pytest

from memgit.lint.rule import Finding
from memgit.model.change import Change
from memgit.model.record import Record, Value
from memgit.review.values import FieldChange, Settings, reviewed, verdict, word_of


def record(
    kind: str = "memory", path: str = "memory/a.md", title: str = "A", body: str = "text", **fields: Value
) -> Record:
    address = f"{kind}/{path.rpartition('/')[2].removesuffix('.md')}" + (
        f"#{title}" if kind == "knowledge" else ""
    )
    return Record(kind, address, path, title, 1, 9, 0, fields, body)


@pytest.mark.parametrize(
    ("action", "old", "new", "word"),
    [
        ("create", None, record(), "added"),
        ("promote", None, record(derived_from=("observation/x",)), "promoted"),
        ("remove", record(), None, "removed"),
        ("update", record(), record(body="other"), "changed"),
        ("extend", record(), record(body="text\nmore"), "changed"),
        ("link", record(), record(related=("b",)), "changed"),
        ("archive", record(), record(archived="2026-03-02"), "archived"),
        ("restore", record(archived="2026-03-02"), record(), "restored"),
        ("rename", record(), record(title="B"), "renamed"),
        ("rename", record(), record(path="memory/b.md"), "renamed"),
        ("rename", record(), record(path="memory/far/a.md"), "moved"),
        (
            "rename",
            record("knowledge", "knowledge-base/a.md"),
            record("knowledge", "knowledge-base/b.md"),
            "moved",
        ),
        (
            "rename",
            record("knowledge", "knowledge-base/a.md"),
            record("knowledge", "knowledge-base/b.md", "Other"),
            "renamed",
        ),
        (
            "update",
            record("decision", status="accepted"),
            record("decision", status="superseded"),
            "superseded",
        ),
        ("update", record("decision"), record("decision", superseded_by="decision/b"), "superseded"),
        (
            "update",
            record("decision", status="superseded"),
            record("decision", status="superseded", body="x"),
            "changed",
        ),
    ],
)
def test_words(action: str, old: Record | None, new: Record | None, word: str) -> None:
    assert word_of(Change(action, old, new)) == word


def test_fields_of_a_change() -> None:
    one = reviewed(
        Change(
            "update",
            record(keywords=("a",), scope=None),
            record(title="B", body="text more", keywords=("a", "b"), scope=""),
        )
    )
    assert one.names() == ["title", "keywords", "body"]
    assert one.fields[1][1:] == (("a",), ("a", "b"))


def test_a_record_that_is_new_or_gone_is_told_whole() -> None:
    one = record(keywords=("a",))
    new, gone = reviewed(Change("create", None, one)), reviewed(Change("remove", one, None))
    assert new.fields == (FieldChange("keywords", None, ("a",)),)
    assert gone.fields == (FieldChange("keywords", ("a",), None),)
    assert [piece.side for piece in (*new.body, *gone.body)] == ["+", "-"] and new.whole and gone.whole


def finding(severity: str) -> Finding:
    return Finding("MG201", "broken-link", severity, "a.md", 1, 1, None, "words")


@pytest.mark.parametrize(
    ("settings", "severities", "conflicts", "expected"),
    [
        (Settings(), [], 0, "pass"),
        (Settings(), ["info"], 0, "pass"),
        (Settings(), ["warning", "info"], 0, "warn"),
        (Settings(), ["warning", "error"], 0, "fail"),
        (Settings(), [], 1, "fail"),
        (Settings(conflicts="warning"), [], 1, "warn"),
        (Settings(conflicts="never"), [], 1, "pass"),
        (Settings(fail="warning"), ["warning"], 0, "fail"),
        (Settings(fail="info"), ["info"], 0, "fail"),
        (Settings(fail="never"), ["error"], 0, "warn"),
        (Settings(fail="never", warn="never"), ["error"], 3, "pass"),
    ],
)
def test_verdicts(settings: Settings, severities: list[str], conflicts: int, expected: str) -> None:
    assert verdict(settings, [finding(severity) for severity in severities], conflicts) == expected
