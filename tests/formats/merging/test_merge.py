"""Merging one file: its laws, records one by one, documents key by key, and never worse than a merge of
lines.
"""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.errors import BadInput, Refused
from memgit.formats.mem_skill import entries
from memgit.formats.mem_skill.labels import ORDER
from memgit.formats.merging import merge
from memgit.formats.merging.merge import Conflict, Merged, merge_file
from memgit.formats.merging.textmerge import lost
from memgit.model.record import Value
from tests import strategies
from tests.support import examples

FORMS = ("entries", "memgit", "adr", "vault", "mnema", "mnema-block", "")


def record(title: str, **changes: str) -> str:
    """One entry, with some of its lines changed."""
    lines = {
        "date": "**Date:** 2026-01-01",
        "source": "**Source:** conversation",
        "context": f"**Context:** about {title}",
        "label": "**Best Practice:**",
        "body": f"- one of {title}\n- two of {title}",
        "related": "**Related:**",
        "keywords": "**Keywords:** a, b",
    } | changes
    return "\n".join([f"## {title}", *(line for line in lines.values() if line)]) + "\n"


def merged(base: str | None, ours: str, theirs: str, form: str = "entries") -> Merged:
    return merge_file(
        form, "knowledge", None if base is None else base.encode(), ours.encode(), theirs.encode()
    )


def text(result: Merged) -> str:
    assert result.data is not None
    return result.data.decode()


def clean(base: str | None, ours: str, theirs: str, form: str = "entries") -> str:
    """The merge of texts that do not conflict, whichever side is whose."""
    result, swapped = merged(base, ours, theirs, form), merged(base, theirs, ours, form)
    assert result.conflicts == swapped.conflicts == ()
    assert records(text(result)) == records(text(swapped))
    return text(result)


def records(data: str) -> list[tuple[str, dict[str, object], str]]:
    """What a file says, in no order."""
    parsed = entries.parse(data.encode(), "p", "knowledge", "k")
    return sorted(
        (
            (
                one.title,
                {
                    name: sorted(value) if isinstance(value, tuple) else value
                    for name, value in one.fields.items()
                },
                one.body,
            )
            for one in parsed.records
        ),
        key=repr,
    )


def titles_of(data: str) -> list[str]:
    return [one.title for one in entries.parse(data.encode(), "p", "knowledge", "k").records]


# Files that are there or not.


@pytest.mark.parametrize("form", FORMS)
def test_one_side_alone(form: str) -> None:
    a, b = b"---\nx: 1\n---\na\n", b"## T\nb\n"
    for base, ours, theirs, data in (
        (a, b, a, b),
        (a, a, b, b),
        (a, b, b, b),
        (None, a, a, a),
        (a, None, None, None),
        (a, a, None, None),
        (a, None, a, None),
        (None, a, None, a),
        (None, None, a, a),
        (a, a, a, a),
    ):
        assert merge_file(form, "note", base, ours, theirs) == Merged(data)


def test_a_file_that_is_gone_on_one_side_and_changed_on_the_other() -> None:
    assert merge_file("memgit", "note", b"a\n", None, b"b\n") == Merged(
        b"b\n", (Conflict(1, None, "deleted by ours, changed by theirs"),)
    )
    assert merge_file("memgit", "note", b"a\n", b"b\n", None, ("HEAD", "x")) == Merged(
        b"b\n", (Conflict(1, None, "deleted by x, changed by HEAD"),)
    )


def test_what_is_no_text_is_left_to_a_person() -> None:
    result = merge_file("memgit", "note", b"a\0", b"b\0", b"c\0")
    assert (result.data, len(result.conflicts)) == (b"b\0", 1)


# Entry files.


def test_two_new_records_at_one_place_both_stay() -> None:
    first, one, other = record("First"), record("One"), record("Other")
    got = clean(first, f"{first}\n{one}", f"{first}\n{other}")
    assert got == f"{first}\n{one}\n{other}"
    assert clean("", one, other) == f"{one}\n{other}"
    assert clean(None, one, other) == f"{one}\n{other}"
    assert clean(first, f"{one}\n{first}", f"{other}\n{first}") == f"{one}\n{other}\n{first}"
    ruled = clean(
        f"{first}\n---\n\n{record('B')}",
        f"{first}\n---\n\n{record('B')}\n---\n\n{one}",
        f"{first}\n---\n\n{record('B')}\n---\n\n{other}",
    )
    assert ruled.endswith(f"\n---\n\n{one}\n---\n\n{other}")


def test_a_new_record_here_and_a_change_there() -> None:
    a, b, new = record("A"), record("B"), record("New")
    assert (
        clean(f"{a}\n{b}", f"{a}\n{b}\n{new}", f"{a}\n{record('B', keywords='')}")
        == f"{a}\n{record('B', keywords='')}\n{new}"
    )
    assert clean(f"{a}\n{b}", f"{a}\n{new}\n{b}", b) == f"{new}\n{b}"
    assert clean(a, f"{a}\n{new}", "") == new


def test_the_same_record_on_both_sides_is_one() -> None:
    a, new = record("A"), record("New", keywords="**Keywords:** k\n**Id:** k000000000")
    b, c = record("B"), record("C")
    assert sorted(titles_of(clean(a, f"{a}\n{new}\n{b}", f"{c}\n{a}\n{new}"))) == ["A", "B", "C", "New"]


def test_two_ids_are_two_records() -> None:
    one, other = (
        record("Same", context=f"**Context:** {id_}", keywords=f"**Id:** {id_}")
        for id_ in ("k000000001", "k000000002")
    )
    got = clean("", one, other)
    assert titles_of(got) == ["Same", "Same"]


def test_fields_of_one_record_merge_one_by_one() -> None:
    got = clean(
        record("A"),
        record(
            "A",
            date="**Date:** 2026-01-01\n**Updated:** 2026-02-01",
            keywords="**Keywords:** a, b, c",
            related="**Related:** [[x]]",
        ),
        record(
            "A",
            date="**Date:** 2026-01-01\n**Updated:** 2026-03-01",
            source="**Source:** file:x",
            keywords="**Keywords:** b, d",
        ),
    )
    (one,) = entries.parse(got.encode(), "p", "knowledge", "k").records
    assert one.fields["updated"] == "2026-03-01"
    assert one.fields["source"] == "file:x"
    assert set(one.keywords) == {"b", "c", "d"}
    assert one.related == ("x",)


def test_a_label_without_links_that_one_side_adds_is_kept() -> None:
    base = "## A\n**Date:** 2026-01-02\n**Keywords:** x\n"
    ours = base.replace("**Keywords:** x", "**Keywords:** x, y")
    theirs = base.replace("**Keywords:**", "**Source:** conversation\n**Related:**\n**Keywords:**")
    expected = theirs.replace("**Keywords:** x", "**Keywords:** x, y").encode()
    assert merged(base, ours, theirs).data == expected and merged(base, theirs, ours).data == expected


def test_bodies_merge_by_lines() -> None:
    body = "\n".join(f"- point {number}" for number in range(6))
    ours, theirs = body.replace("point 0", "first"), body.replace("point 5", "last")
    got = clean(
        record("A", body=body),
        record("A", body=ours, keywords="**Keywords:** x"),
        record("A", body=theirs, keywords="**Keywords:** y"),
    )
    (one,) = entries.parse(got.encode(), "p", "knowledge", "k").records
    assert one.body == ours.replace("point 5", "last")
    assert set(one.keywords) == {"x", "y"}


def test_a_new_title_goes_with_a_change() -> None:
    a, b = record("A"), record("B")
    renamed = a.replace("## A", "## New")
    assert (
        clean(f"{a}\n{b}", f"{renamed}\n{b}", f"{a.replace('two of A', 'too')}\n{b}")
        == f"{renamed.replace('two of A', 'too')}\n{b}"
    )
    with_id = a.replace("b\n", "b\n**Id:** k000000000\n")
    other = "## Z\n**Date:** 2027-01-01\n**Id:** k000000000\n"
    assert titles_of(text(merged(with_id, other, with_id.replace("a, b", "a")))) == ["Z"]


def test_a_moved_record_stays_moved() -> None:
    a, b, c = record("A"), record("B"), record("C")
    changed = record("C", keywords="**Keywords:** new")
    assert titles_of(clean(f"{a}\n{b}\n{c}", f"{a}\n{b}\n{changed}", f"{c}\n{a}\n{b}")) == ["C", "A", "B"]


def test_archiving_here_and_a_change_there() -> None:
    got = clean(
        record("A"), record("A") + "**Archived:** 2026-05-01\n", record("A", keywords="**Keywords:** a, b, c")
    )
    assert got == record("A", keywords="**Keywords:** a, b, c") + "**Archived:** 2026-05-01\n"


def test_first_ids_of_both_sides_become_one() -> None:
    got = clean(record("A"), record("A") + "**Id:** k000000002\n", record("A") + "**Id:** k000000001\n")
    assert got == record("A") + "**Id:** k000000001\n"


def test_text_that_no_format_knows_is_kept() -> None:
    base = record("A", body="**Lesson:** x\n\n| a |\n|---|\n\n```\n## no\n```\n", keywords="**Keywords:** a")
    ours, theirs = (
        base.replace("Lesson:** x", "Lesson:** y"),
        base.replace("**Keywords:** a", "**Keywords:** a, b"),
    )
    assert clean(base, ours, theirs) == ours.replace("**Keywords:** a", "**Keywords:** a, b")


def test_a_deleted_record_that_the_other_side_changed_is_a_conflict() -> None:
    a, b = record("A"), record("B")
    changed = record("A", keywords="**Keywords:** new")
    result = merged(f"{a}\n{b}", b, f"{changed}\n{b}")
    assert text(result) == f"<<<<<<< ours\n=======\n{changed}>>>>>>> theirs\n\n{b}"
    assert result.conflicts == (Conflict(1, "#A", "deleted by ours, changed by theirs"),)
    result = merged(f"{b}\n{a}", f"{b}\n{changed}", b)
    assert text(result) == f"{b}\n<<<<<<< ours\n{changed}=======\n>>>>>>> theirs\n"
    assert result.conflicts == (Conflict(11, "#A", "deleted by theirs, changed by ours"),)


def test_markers_stand_inside_the_record_that_conflicts() -> None:
    a, b = record("A"), record("B")
    ours, theirs = (
        record("B", context="**Context:** ours"),
        record("B", context="**Context:** theirs", keywords="**Keywords:** k"),
    )
    result = merge_file(
        "entries",
        "knowledge",
        f"{a}\n{b}".encode(),
        f"{a}\n{ours}".encode(),
        f"{a}\n{theirs}".encode(),
        ("HEAD", "topic"),
    )
    conflict = "<<<<<<< HEAD\n**Context:** ours\n=======\n**Context:** theirs\n>>>>>>> topic"
    assert text(result) == f"{a}\n{record('B', context=conflict, keywords='**Keywords:** k')}"
    assert result.conflicts == (Conflict(14, "#B", "both sides changed 'context'"),)
    parsed = entries.parse(text(result).encode(), "p", "knowledge", "k")
    assert [one.problem is None for one in parsed.records] == [True, False]


def test_two_new_titles_conflict() -> None:
    a = record("A")
    result = merged(a, a.replace("## A", "## B"), a.replace("## A", "## C").replace("a, b", "k"))
    assert text(result).startswith("<<<<<<< ours\n## B\n=======\n## C\n>>>>>>> theirs\n**Date:**")
    assert text(result).endswith("**Keywords:** k\n")


def test_bodies_that_conflict_keep_what_they_have_in_common() -> None:
    result = merged(
        record("A"), record("A", body="- uno\n- two of A"), record("A", body="- eins\n- two of A")
    )
    assert (
        "**Best Practice:**\n<<<<<<< ours\n- uno\n=======\n- eins\n>>>>>>> theirs\n- two of A\n**Related:**"
        in text(result)
    )


def test_two_records_of_one_title_without_ids_are_one_that_conflicts() -> None:
    result = merged(
        "",
        record("A", context="**Context:** x", body="- same"),
        record("A", context="**Context:** y", body="- same"),
    )
    assert text(result).count("## A") == 1
    assert len(result.conflicts) == 1


def test_the_head_of_a_category_merges_too() -> None:
    a = record("A")
    got = clean(
        f"---\nname: K\nkeywords: [a]\n---\n{a}",
        f"---\nname: K\nkeywords: [a, b]\n---\n{a}\n{record('B')}",
        f"---\nname: L\nkeywords: [c, a]\n---\n{a}\n{record('C')}",
    )
    assert got.startswith("---\nname: L\nkeywords: [a, b, c]\n---\n")
    assert titles_of(got) == ["A", "B", "C"]


def test_lines_of_a_log_are_kept() -> None:
    log = "# Log\n\n## [2026-01-01] read | a\n"
    got = clean(log, f"{log}## [2026-01-02] read | b\n", f"{log}## [2026-01-02] write | c\n")
    assert got.count("## [") == 3


def test_line_ends_marks_and_final_newlines_merge_apart() -> None:
    base = f"{record('A')}\n{record('B')}"
    ours, theirs = base.replace("one of A", "1"), base.replace("one of B", "2")
    both = ours.replace("one of B", "2")
    crlf = b"\xef\xbb\xbf" + ours.replace("\n", "\r\n").encode()
    assert (
        merge_file("entries", "knowledge", base.encode(), crlf, theirs.encode()).data
        == b"\xef\xbb\xbf" + both.replace("\n", "\r\n").encode()
    )
    assert (
        merge_file("entries", "knowledge", base.encode(), ours.encode(), theirs[:-1].encode()).data
        == both[:-1].encode()
    )
    mixed = base.encode().replace(b"**Source:** conversation\n", b"**Source:** conversation\r\n", 1)
    got = merge_file(
        "entries", "knowledge", mixed, mixed.replace(b"one of A", b"1"), mixed.replace(b"one of B", b"2")
    ).data
    assert got == mixed.replace(b"one of A", b"1").replace(b"one of B", b"2")


def test_files_that_cannot_be_taken_apart_merge_by_lines() -> None:
    for head in ("<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n\n", "---\nname: 'a\n---\n"):
        base = f"{head}{record('A')}\n{record('B')}"
        got = merged(base, base.replace("one of A", "1"), base.replace("one of B", "2"))
        assert (text(got), got.conflicts) == (base.replace("one of A", "1").replace("one of B", "2"), ())
    base = f"{record('A')}\n```\nopen\n"
    assert (
        text(merged(base, base.replace("one of A", "1"), base + "more\n"))
        == base.replace("one of A", "1") + "more\n"
    )
    latin = b"## T\ncaf\xe9\n\na\nb\nc\n"
    assert merge_file(
        "entries", "knowledge", latin, latin.replace(b"a\n", b"1\n"), latin.replace(b"c\n", b"3\n")
    ).data == (b"## T\ncaf\xe9\n\n1\nb\n3\n")


def test_on_any_failure_there_is_still_a_merge(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("memgit.formats.merging.entrymerge.merge_entries", fail)
    a = record("A")
    result = merged(a, f"{a}\n{record('B')}", f"{a}\n{record('C')}")
    assert text(result).count("<<<<<<< ours") == len(result.conflicts) == 1
    assert not lost(a.split("\n"), a.split("\n"), text(result).split("\n"))


# Documents.

DOCUMENT = """\
---
# ours
id: k000000000
title: Tide tables
tags: [a, b]
updated: 2026-01-01
retrieval_count: 3
source: 'x'
---
# Tide tables

One.

Two.
"""


@pytest.mark.parametrize("form", ["memgit", "vault", "mnema"])
def test_frontmatter_merges_key_by_key(form: str) -> None:
    ours = (
        DOCUMENT.replace("[a, b]", "[a, b, c]")
        .replace("01-01", "03-01")
        .replace("count: 3", "count: 5")
        .replace("One.", "1.")
    )
    theirs = (
        DOCUMENT.replace("[a, b]", "[b, d]")
        .replace("01-01", "02-01")
        .replace("count: 3", "count: 4")
        .replace("Tide tables\ntags", "Tides\ntags")
    )
    wanted = ours.replace("[a, b, c]", "[b, c, d]").replace("Tide tables\ntags", "Tides\ntags")
    result, swapped = merged(DOCUMENT, ours, theirs, form), merged(DOCUMENT, theirs, ours, form)
    assert (text(result), result.conflicts) == (wanted, ())
    assert text(swapped) == wanted.replace("[b, c, d]", "[b, d, c]")


def test_new_keys_of_both_sides_are_kept() -> None:
    ours = DOCUMENT.replace("tags: [a, b]\n", "tags: [a, b]\nfoo: {a: 1}\n")
    theirs = DOCUMENT.replace("tags: [a, b]\n", "tags: [a, b]\n# why\nbar: >-\n  long\n  text\n").replace(
        "source: 'x'\n", ""
    )
    got = text(merged(DOCUMENT, ours, theirs, "memgit"))
    assert (
        "tags: [a, b]\n# why\nbar: >-\n  long\n  text\nfoo: {a: 1}\nupdated" in got
        or "tags: [a, b]\nfoo: {a: 1}\n# why\nbar" in got
    )
    assert "source" not in got


def test_only_the_key_that_conflicts_gets_markers() -> None:
    ours = DOCUMENT.replace("title: Tide tables", "title: A").replace("[a, b]", "[a]")
    theirs = DOCUMENT.replace("title: Tide tables", "title: B").replace("[a, b]", "[a, b, c]")
    result = merged(DOCUMENT, ours, theirs, "memgit")
    wanted = DOCUMENT.replace(
        "title: Tide tables", "<<<<<<< ours\ntitle: A\n=======\ntitle: B\n>>>>>>> theirs"
    ).replace("[a, b]", "[a, c]")
    assert text(result) == wanted
    assert result.conflicts == (Conflict(4, None, "both sides changed 'title'"),)


def test_a_key_removed_here_and_changed_there_is_a_conflict() -> None:
    result = merged(DOCUMENT, DOCUMENT.replace("source: 'x'\n", ""), DOCUMENT.replace("'x'", "'y'"), "memgit")
    assert "<<<<<<< ours\n=======\nsource: 'y'\n>>>>>>> theirs\n---" in text(result)


def test_lists_in_block_form_stay_so() -> None:
    base = "---\ntags:\n  - a\n  - b\n---\nx\n"
    got = text(
        merged(
            base,
            base.replace("  - b\n", "  - b\n  - c\n"),
            base.replace("  - b\n", "  - b\n  - d\n"),
            "memgit",
        )
    )
    assert got == "---\ntags:\n  - a\n  - b\n  - c\n  - d\n---\nx\n"
    base = "---\nkeywords: a, b\n---\nx\n"
    assert (
        text(merged(base, base.replace("a, b", "a, b, c"), base.replace("a, b", "b"), "memgit"))
        == "---\nkeywords: b, c\n---\nx\n"
    )


def test_keys_under_the_key_of_a_mirror() -> None:
    base = "---\nmnema:\n  title: a\n  labels:\n    - x\n  state: DRAFT\nother: 1\n---\n# a\n"
    ours = base.replace("    - x\n", "    - x\n    - y\n").replace("title: a", "title: b")
    theirs = base.replace("    - x\n", "    - z\n").replace("DRAFT", "DONE")
    got = merged(base, ours, theirs, "mnema-block")
    assert (text(got), got.conflicts) == (
        ours.replace("    - x\n    - y\n", "    - y\n    - z\n").replace("DRAFT", "DONE"),
        (),
    )


def test_a_merge_by_lines_that_doubles_a_key_does_not_pass() -> None:
    base = "---\na: 1\nb: 2\nc: 3\nd: 4\n---\nx\n"
    ours, theirs = base.replace("a: 1\n", "a: 1\ntags: [x]\n"), base.replace("d: 4\n", "d: 4\ntags: [z]\n")
    got = merged(base, ours, theirs, "memgit")
    assert (text(got), got.conflicts) == (ours.replace("[x]", "[x, z]"), ())


def test_text_conflicts_by_lines() -> None:
    result = merged(DOCUMENT, DOCUMENT.replace("Two.", "2."), DOCUMENT.replace("Two.", "II."), "memgit")
    assert text(result).endswith("One.\n\n<<<<<<< ours\n2.\n=======\nII.\n>>>>>>> theirs\n")
    assert result.conflicts[0].line == 14


# Laws.


@st.composite
def entry_files(draw: st.DrawFn) -> bytes:
    """An entry file in which no record can be taken for another."""
    data: bytes | None = None
    for number in range(draw(st.integers(0, 4))):
        draft = draw(strategies.drafts())
        fields: dict[str, Value] = {
            **draft.fields,
            "context": f"context {number} {draw(st.integers(0, 10**6))}",
        }
        fields["id"] = f"k00000000{number}" if draw(st.booleans()) else ""
        try:
            data = entries.create(
                draft._replace(title=f"T{number} {draw(st.sampled_from('abc'))}", fields=fields), data
            )
        except BadInput:
            continue
    return data or b""


@st.composite
def changed(draw: st.DrawFn, data: bytes, side: str) -> bytes:
    """A file after some operations on its records."""
    few = st.lists(st.sampled_from("abcdef"), unique=True).map(tuple)
    for _ in range(draw(st.integers(0, 3))):
        found = entries.parse(data, "p", "knowledge", "k").records
        name = draw(
            st.sampled_from(
                [
                    "add",
                    "remove",
                    "extend",
                    "title",
                    "body",
                    "keywords",
                    "related",
                    "context",
                    "updated",
                    "archived",
                ]
            )
        )
        number = draw(st.integers(0, 10**6))
        try:
            if name == "add" or not found:
                draft = draw(strategies.drafts())
                new = draft._replace(
                    title=f"{side} {number}", fields={**draft.fields, "id": f"{side}{number}"}
                )
                data = entries.create(new, data or None)
                continue
            place = draw(st.integers(0, len(found) - 1))
            if name == "remove":
                data = entries.remove(data, place) or b""
            elif name == "extend":
                data = entries.extend(data, place, draw(strategies.bodies()), draw(strategies.days))
            else:
                made: dict[str, st.SearchStrategy[Any]] = {
                    "title": st.just(f"{side} {number}"),
                    "body": strategies.bodies(),
                    "keywords": few,
                    "related": few,
                    "context": strategies.values,
                }
                value: Value = draw(made.get(name, strategies.days))
                data = entries.edit(data, place, {name: value})
        except (BadInput, Refused):
            continue
    return data


@st.composite
def entry_triples(draw: st.DrawFn) -> tuple[bytes, bytes, bytes]:
    base = draw(entry_files())
    return base, draw(changed(base, "ours")), draw(changed(base, "theirs"))


@settings(max_examples=examples(40), deadline=None)
@given(entry_triples())
def test_laws_of_entry_files(files: tuple[bytes, bytes, bytes]) -> None:
    base, ours, theirs = files
    for side in (ours, theirs):
        assert merge_file("entries", "knowledge", base, side, base) == Merged(side)
        assert merge_file("entries", "knowledge", base, base, side) == Merged(side)
        assert merge_file("entries", "knowledge", base, side, side) == Merged(side)
    if len({base, ours, theirs}) < 3:
        return
    result = merge._records("entries", "knowledge", base, ours, theirs, ("ours", "theirs"))
    swapped = merge._records("entries", "knowledge", base, theirs, ours, ("theirs", "ours"))
    assert result is not None and swapped is not None and result.data is not None and swapped.data is not None
    assert len(result.conflicts) == len(swapped.conflicts)
    for conflict in result.conflicts:
        assert result.data.split(b"\n")[conflict.line - 1].startswith(b"<<<<<<< ours")
    if result.conflicts:
        return
    got, mine, other, old = (records(data.decode()) for data in (result.data, ours, theirs, base))
    assert got == records(swapped.data.decode())
    assert all(one in got for one in mine if one in other)
    titles = {one[0] for one in got}
    assert all(one[0] in titles for one in mine if one[0].startswith("ours ") and one not in old)
    assert all(one[0] in titles for one in other if one[0].startswith("theirs ") and one not in old)


document_lines = st.lists(
    st.sampled_from([f"line {number}" for number in range(12)] + [""]), max_size=12
).map("\n".join)
key_lines = st.dictionaries(
    st.sampled_from(["title", "tags", "updated", "source", "x"]),
    st.sampled_from(["a", "[a, b]", "[c]", "2026-01-01", "2026-02-02", "'q'", "", "\n  - a\n  - b"]),
)


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    block = "".join(
        f"{key}: {value}\n" if value[:1] != "\n" else f"{key}:{value}\n"
        for key, value in draw(key_lines).items()
    )
    head = f"---\n{block}---\n" if draw(st.booleans()) else ""
    return (head + draw(document_lines) + draw(st.sampled_from(["", "\n"]))).encode()


@settings(max_examples=examples(100), deadline=None)
@given(documents(), documents(), documents(), st.sampled_from(["memgit", "vault", ""]))
def test_laws_of_documents(base: bytes, ours: bytes, theirs: bytes, form: str) -> None:
    for side in (ours, theirs):
        assert merge_file(form, "note", base, side, base) == Merged(side)
        assert merge_file(form, "note", base, base, side) == Merged(side)
        assert merge_file(form, "note", base, side, side) == Merged(side)
    result, swapped = (
        merge_file(form, "note", base, ours, theirs),
        merge_file(form, "note", base, theirs, ours),
    )
    assert result.data is not None
    assert len(result.conflicts) == len(swapped.conflicts)
    assert b"\0" not in result.data
    for conflict in result.conflicts:
        assert result.data.split(b"\n")[conflict.line - 1].startswith(b"<<<<<<< ours")


@settings(max_examples=examples(50), deadline=None)
@given(
    documents(),
    st.sampled_from(["memgit", "vault"]),
    st.sampled_from(["1", "[a]", "{b: 2}", "'q'", ""]),
    st.booleans(),
)
def test_no_key_that_nobody_knows_is_lost(base: bytes, form: str, value: str, first: bool) -> None:
    base = base if base.startswith(b"---\n") else b"---\nkept: 1\n---\n" + base
    base = base.replace(b"---\n", b"---\nstays: here\n", 1)
    new = [f"{side}: {value}\n".encode() for side in ("ours_alone", "theirs_alone")]
    both = [(line, b"stays: here\n") if first else (b"stays: here\n", line) for line in new]
    ours, theirs = (base.replace(b"stays: here\n", b"".join(lines)) for lines in both)
    result = merge_file(form, "note", base, ours, theirs)
    assert result.data is not None
    assert {b"stays: here", *(line.rstrip(b"\n") for line in new)} <= set(result.data.split(b"\n"))
    assert result.conflicts == ()


@settings(max_examples=examples(100), deadline=None)
@given(*[st.lists(st.integers(0, 15).map(str), max_size=10, unique=True)] * 3)
def test_no_line_that_both_sides_have_is_lost(base: list[str], ours: list[str], theirs: list[str]) -> None:
    old, left, right = ("".join(f"{line}\n" for line in lines) for lines in (base, ours, theirs))
    result = merged(old, left, right, "")
    lines = text(result).split("\n")
    assert not lost(ours, theirs, lines)
    if not result.conflicts:
        assert text(merged(old, right, left, "")) == text(result)


@settings(max_examples=examples(20), deadline=None)
@given(*[st.lists(st.sampled_from("abcdefghij"), max_size=10)] * 3)
def test_what_git_merges_cleanly_comes_out_the_same(
    tmp_path_factory: pytest.TempPathFactory, base: list[str], ours: list[str], theirs: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("merge", numbered=True)
    # Lines around what changes keep the hunks apart, where two ways of comparing could differ.
    sides = [
        "".join(
            f"{line}\n"
            for line in ["start", *lines, *(f"keep {number}" for number in range(5)), *reversed(lines), "end"]
        )
        for lines in (base, ours, theirs)
    ]
    for name, side in zip(("base", "ours", "theirs"), sides, strict=True):
        (folder / name).write_text(side)
    done = subprocess.run(
        ["git", "merge-file", "-p", "ours", "base", "theirs"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    result = merged(sides[0], sides[1], sides[2], "")
    if done.returncode == 0 and not result.conflicts:
        assert text(result) == done.stdout


# Real files.


def test_both_add_in_the_corpora(corpora: Path) -> None:
    base, ours, theirs = (
        (corpora / "oddities" / "merge-both-add" / f"{name}.md").read_text()
        for name in ("base", "ours", "theirs")
    )
    got = clean(base, ours, theirs)
    assert "<<<<<<<" not in got
    assert titles_of(got) == ["First", "Added on our side", "Added on their side"]


def test_changes_to_different_records_of_real_files(corpora: Path) -> None:
    seen = 0
    for path in sorted([*corpora.glob("mem-skill-*/*/*.md"), *corpora.glob("auto-skill/*/*.md")]):
        base = path.read_bytes()
        found = entries.parse(base, "p", "knowledge", "k").records
        for one, other in pairwise(found):
            ours = entries.edit(
                base, one.ordinal, {"updated": "2027-01-01", "keywords": (*one.keywords, "ours")}
            )
            theirs = entries.extend(base, other.ordinal, "Theirs.", "2027-02-02")
            wanted = entries.edit(
                theirs, one.ordinal, {"updated": "2027-01-01", "keywords": (*one.keywords, "ours")}
            )
            assert merge_file("entries", "knowledge", base, ours, theirs) == Merged(wanted)
            seen += 1
    assert seen > 25


def test_every_field_is_known_to_the_merge() -> None:
    """A field that is new to entries must be given its way to merge."""
    assert set(ORDER) == {
        "created",
        "updated",
        "skill",
        "source",
        "context",
        "body",
        "files",
        "related",
        "keywords",
        "archived",
        "merged_into",
        "id",
    }
