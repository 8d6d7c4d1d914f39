"""Notes of other programs: what they put beside the text is taken as title, date and link."""

from __future__ import annotations

import pytest

from memgit.ingest.exports import Note, note_of

ID = "7a3b2c1d4e5f60718293a4b5c6d7e8f9"
NOTION = """\
# Tide tables

Created time: June 18, 2025 12:29 PM
Tags: Harbour, Boats
URL: https://example.org/tides

The table has four columns.
"""
JOPLIN = f"""\
Tide tables

The table has four columns.

id: {ID}
parent_id: {ID}
created_time: 2025-06-18T12:29:16.690Z
source_url: https://example.org/tides
type_: 1"""
CLIPPED = """\
---
title: Tide tables
source: https://example.org/tides
created: 2025-06-18
---
The table has four columns.
"""


@pytest.mark.parametrize(
    ("name", "text", "identity"),
    [(f"Tide tables {ID}.md", NOTION, ID), (f"{ID}.md", JOPLIN, ID), ("clip.md", CLIPPED, "")],
)
def test_title_date_and_link(name: str, text: str, identity: str) -> None:
    found = note_of(name, text)
    assert (found.date, found.link, found.id) == ("2025-06-18", "https://example.org/tides", identity)
    assert "four columns." in found.text
    for left in ("Created time", "parent_id", "Tags:"):
        assert left not in found.text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tides.md", "# Tides\n\nCreated time: June 18, 2025\n\nText.\n"),
        (f"Tides {ID}.md", "# Tides\n\nNote: this is a sentence\nthat goes on.\n"),
        ("tides.md", "---\nsource: [a\n---\nText.\n"),
        ("tides.md", "---\nsource: javascript:alert(1)\ncreated: 2025-13-45\n---\nText.\n"),
        ("tides.md", ""),
    ],
)
def test_other_texts_come_back_as_they_are(name: str, text: str) -> None:
    found = note_of(name, text)
    assert (found.text, found.date, found.link) == (text, None, "")


def test_a_note_without_anything_beside_it() -> None:
    assert note_of("tides.md", "Text.\n") == Note("Text.\n")
