"""How records are written: keys, labels and variants as a report names them."""

from __future__ import annotations

import pytest

from memgit.adopt import shapes
from memgit.adopt.convert import sunk
from memgit.formats import markdown
from memgit.model.layout import Place, mnema, notes, vault

VAULT = vault().places[0]
NOTE = notes().places[0]


def place(path: str) -> Place:
    found = mnema().find(path)
    assert found is not None
    return found[0]


@pytest.mark.parametrize(
    ("block", "keys"),
    [
        ("a: 1\nb:\n  c: 2\n- d: 3\n", ["a", "b"]),
        ("\"quoted: key\": 1\n'other': 2\nplain key: 3\n", ["quoted: key", "other", "plain key"]),
        ("url: http://x\nno-value:\n# c: 1\ntext: |\n  d: 4\n", ["url", "no-value", "text"]),
        ("a: 1\r\nb: 2\r\na: 3\r\n", ["a", "b"]),
        ("名: x\n:odd\n", ["名"]),
    ],
)
def test_the_keys_of_a_block(block: str, keys: list[str]) -> None:
    assert shapes.keys_of(block) == keys


@pytest.mark.parametrize(
    ("keys", "variant"),
    [
        ("id: x\ntitle: t\n", "F1"),
        ("title: t\ntopic: x\n", "F2"),
        ("title: t\ntopic: x\nretrieval_count: 0\n", "F3"),
        ("title: t\ntopic: x\nretrieval_count: 0\ntoken_count: 4\n", "F4"),
        ("title: t\ntopic: x\ncategory: C\n", "F5"),
    ],
)
def test_variants_of_a_vault(keys: str, variant: str) -> None:
    assert shapes.of_document(f"---\n{keys}---\n# t\n", VAULT).variant.startswith(variant)


def test_the_labels_of_the_oldest_memories() -> None:
    shape = shapes.of_document(
        "# Memory: T\n\n**Category**: [PATTERN]\n**Date**: 2026-01-02\n\nText.\n", VAULT
    )
    assert shape.variant.startswith("F0") and shape.keys == (("category", None), ("date", "created"))


def test_both_writers_of_a_mirror() -> None:
    task = shapes.of_document(
        (
            "---\nmnema:\n  key: K-1\n  description: >-\n    text: no key\n  labels:\n    - a\nown: "
            "1\n---\n# t\n"
        ),
        place(".mnema/backlog/DONE/K-1.md"),
    )
    assert task.variant.startswith("writer B")
    assert dict(task.keys) == {"own": None, "key": "id", "description": "description", "labels": None}
    memory = shapes.of_document(
        "---\ntitle: t\nupdated_at: 2026-01-02\n---\ntext\n", place(".mnema/memory/a.md")
    )
    assert memory.variant.startswith("writer A") and dict(memory.keys) == {
        "title": "title",
        "updated_at": "updated",
    }


def test_notes_with_and_without_a_block() -> None:
    assert shapes.of_document("# a\n", NOTE) == shapes.Shape("no frontmatter", ())
    assert shapes.of_document("---\ndate: 2026-01-02\nx: 1\n---\n", NOTE).keys == (
        ("date", "created"),
        ("x", None),
    )


def test_the_order_of_labels_is_the_variant_of_an_entry() -> None:
    text = (
        "## A\n**Date:** 2026-01-02\n**Odd:** x\n**Keywords:** k\n\n## B\n\n## [2026-01-02] write | a "
        "log line\n"
    )
    one, two = shapes.of_entries(text)
    assert one.variant == "Date, Keywords, Odd" and one.keys == (
        ("Date", "created"),
        ("Keywords", "keywords"),
        ("Odd", None),
    )
    assert two.keys == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\n", "plain\n"),
        ("### deep\n", "### deep\n"),
        ("# a\n\ntext\n\n## b\n", "### a\n\ntext\n\n#### b\n"),
        ("a\n===\n\n```\n# code\n```\n\n###### f\n", "### a\n\n```\n# code\n```\n\n###### f\n"),
    ],
)
def test_headings_sink_below_the_level_of_an_entry(text: str, expected: str) -> None:
    assert sunk(text) == expected
    assert all(head.level > 2 for head in markdown.headings(sunk(text))) and sunk(sunk(text)) == sunk(text)
