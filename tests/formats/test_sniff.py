"""A glance at a new document says who it is as a full reading does, or says nothing."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memgit.formats.codecs import parse_file
from memgit.formats.sniff import peek
from memgit.model.change import diff_records, identity
from memgit.model.layout import memgit
from tests.support import examples

ID = "kb7m2q9x4d"
LINES = [
    "title: A title",
    'title: "A: b"',
    "title: 'user''s'",
    f"id: {ID}",
    f"id:   {ID}  ",
    f"id:\t{ID}",
    f'id: "{ID}"',
    f"id: '{ID}'",
    f'"id": {ID}',
    f"'id': {ID}",
    f"id : {ID}",
    "id: TASK-12",
    "id: 12",
    "id:",
    "id: null",
    f"id: {ID} # comment",
    f"  id: {ID}",
    f"- id: {ID}",
    f"? id\n: {ID}",
    f"id: &a {ID}",
    "id: *a",
    "derived_from: [observation/x]",
    f"derived_from: {ID}",
    "tags: [a, b]",
    "tags:\n  - a\n  - b",
    "created: {{date}}",
    "created: 2026-01-02",
    "text: |\n  id: nothing\n  more",
    f"text: >\n\n  id: {ID}",
    "archived: 2026-02-03",
    "a: [b",
    "# id: no",
    "",
    "---",
    "...",
    f"ID: {ID}",
    f"id:{ID}",
    "nested:\n  id: x",
    f"id: [{ID}]",
    f"id: !!str {ID}",
    "<<: {a: b}",
    f"mnema: {{id: {ID}}}",
    f"id: {ID}\\",
    f"id: |\n  {ID}",
]
BODIES = ["", "\n# A\n\nText.\n", "text\n---\nid: no\n---\n", "\n", "\n<<<<<<< x\n"]


@given(
    st.lists(st.sampled_from(LINES), max_size=5),
    st.sampled_from(BODIES),
    st.sampled_from(["---\n", "---\r\n", "\ufeff---\n", "--- \n", "", "----\n", " ---\n", "\n---\n"]),
    st.sampled_from(["\n---\n", "\n---", "\n--- \n", "\n...\n", "\r\n---\r\n", "\n----\n"]),
)
@settings(max_examples=examples(300))
@example([f"id: {ID}", "title: A"], BODIES[1], "---\n", "\n---\n")
@example([], "", "", "\n---\n")
def test_a_glance_agrees_with_a_full_reading(lines: list[str], body: str, first: str, last: str) -> None:
    data = (first + "\n".join(lines) + last + body).encode()
    told = peek(data)
    if told is None:
        return
    parsed = parse_file(memgit(), "memory/a.md", data)
    assert len(parsed.records) == 1 or (not parsed.records and parsed.problems and not told)
    for record in parsed.records:
        assert [change.action for change in diff_records([], [record])] == ["create"]
        if not any(problem.fatal for problem in parsed.problems):
            assert (identity(record) or "") == told


@given(st.binary(max_size=60))
@example(b"---\nid: kb7m2q9x4d\n---\n\xff")
def test_any_bytes(data: bytes) -> None:
    told = peek(data)
    parsed = parse_file(memgit(), "memory/a.md", data)
    if told is not None and parsed.records and not any(problem.fatal for problem in parsed.problems):
        assert (identity(parsed.records[0]) or "") == told


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"# A\n", ""),
        (f"---\ntitle: A\nid: {ID}\n---\n# A\n".encode(), ID),
        (b"---\ntitle: A\n---\n", ""),
        (b"---\nid: TASK12\n---\n", ""),
        (b"---\ntitle: A\n", None),
        (b"---\r\ntitle: A\r\n---\r\n", None),
        (b"", None),
        (b"---\ncreated: {{date}}\n---\n", None),
        (b"---\nderived_from: [observation/x]\n---\n", None),
    ],
)
def test_what_a_glance_tells(data: bytes, told: str | None) -> None:
    assert peek(data) == told
