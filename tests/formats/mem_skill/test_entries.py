"""Entry files: reading every form that is found on disk, writing so that it reads back, changing only what is
asked for.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memgit.errors import BadInput, NotFound, Refused, UnreadableFile
from memgit.formats.codec import Draft, Form
from memgit.formats.mem_skill import bodies, compose, entries, titles
from memgit.formats.mem_skill.labels import LISTS, ORDER
from memgit.model.record import ParsedFile, Record, Value
from tests import strategies
from tests.support import examples

FORM: Form = entries


def parse(data: bytes | str) -> ParsedFile:
    return entries.parse(
        data if isinstance(data, bytes) else data.encode(), "knowledge-base/k.md", "knowledge", "k"
    )


def known(record: Record) -> dict[str, Value]:
    """The fields that memgit knows and that say something."""
    return {name: value for name, value in record.fields.items() if name in ORDER and value}


def said(data: bytes) -> list[tuple[str, Mapping[str, Value], str]]:
    return [(record.title, record.fields, record.body) for record in parse(data).records]


def codes(parsed: ParsedFile) -> list[tuple[str, int]]:
    return [(problem.code, problem.line) for problem in parsed.problems]


ONE = """\
## Keep the tide table whole
**Date:** 2026-03-02
**Source:** conversation
**Context:** Tables that arrive in pieces
**Best Practice:**
- Wait for the last piece
- Compare the count
**Related:** [[tides#Neap, then spring]], [[skill-crane#Load|loads]]
**Keywords:** tide, whole table
"""
EXPERIENCE = """\
## Crane stops at noon
**Date:** 2026-03-02
**Skill:** crane
**Source:** file:notes/crane.md
**Context:** It stops
**Solution:**
- Start it again
**Key Files/Paths:**
- crane/main.c (the loop)
- crane/stop.c
**Related:**
**Keywords:** crane
"""
CHINESE = """\
# 潮汐最佳實踐

說明。

---

<!-- 新的經驗條目會自動添加在這裡 -->

## 🔧 先鎖定
**日期：** 2026-03-02
**情境：** 旺季
**最佳實踐：**
- 先鎖定
**keywords：** 泊位, lock

---

## 🔧 再報價
**日期：** 2026-03-03
**技能：** quote
**情境：** 之後
**解法：**
- 報價
**關鍵檔案/路徑：**
- a/b
**keywords：** 報價
"""

# Reading.


def test_a_record_of_mem_skill() -> None:
    (record,) = parse(ONE).records
    assert record._replace(fields={}) == Record(
        "knowledge",
        "knowledge/k#Keep the tide table whole",
        "knowledge-base/k.md",
        "Keep the tide table whole",
        1,
        9,
        0,
        {},
        "- Wait for the last piece\n- Compare the count",
    )
    assert list(record.fields.items()) == [
        ("created", "2026-03-02"),
        ("source", "conversation"),
        ("context", "Tables that arrive in pieces"),
        ("related", ("tides#Neap, then spring", "skill-crane#Load")),
        ("keywords", ("tide", "whole table")),
    ]


def test_an_experience() -> None:
    (record,) = parse(EXPERIENCE).records
    assert record.fields == {
        "created": "2026-03-02",
        "skill": "crane",
        "source": "file:notes/crane.md",
        "context": "It stops",
        "files": ("crane/main.c (the loop)", "crane/stop.c"),
        "related": (),
        "keywords": ("crane",),
    }
    assert record.body == "- Start it again"


def test_chinese_records_after_a_preamble() -> None:
    parsed = parse(CHINESE)
    first, second = parsed.records
    assert (first.title, first.line, first.end_line) == ("先鎖定", 9, 14)
    assert first.fields == {"created": "2026-03-02", "context": "旺季", "keywords": ("泊位", "lock")}
    assert second.title == "再報價"
    assert second.fields["files"] == ("a/b",)
    assert (first.body, second.body) == ("- 先鎖定", "- 報價")
    assert parsed.problems == ()


def test_any_order_of_fields() -> None:
    lines = ONE.split("\n")
    odd = [lines[0], "", lines[8], lines[7], lines[3], *lines[4:7], lines[2], lines[1], ""]
    (record,) = parse("\n".join(odd)).records
    assert record.fields == parse(ONE).records[0].fields
    assert record.body == parse(ONE).records[0].body


SHAPES: dict[str, tuple[str, dict[str, Value], str]] = {
    "a paragraph that goes on": (
        "**Context:** one\ntwo\n**Date:** d",
        {"context": "one two", "created": "d"},
        "",
    ),
    "a value below its label": ("**Context:**\none\n\ntwo", {"context": "one"}, "two"),
    "text under a date": ("**Date:** d\ntext", {"created": "d"}, "text"),
    "keywords that go on": ("**Keywords:** a,\nb\nc", {"keywords": ("a", "b")}, "c"),
    "keywords as a list": ("**Keywords:**\n- a\n- b\n\nc", {"keywords": ("a", "b")}, "c"),
    "other commas": ("**keywords：** a，b、c, d", {"keywords": ("a", "b", "c", "d")}, ""),
    "empty items": ("**Keywords:** , a,, b ,", {"keywords": ("a", "b")}, ""),
    "links as a list": ("**Related:**\n- [[a#b]]\n- [[c|d]], why", {"related": ("a#b", "c")}, ""),
    "links without brackets": ("**Related:** a#b, c", {"related": ("a#b", "c")}, ""),
    "links among words": ("**Related:** see [[a]] and [[b]].", {"related": ("a", "b")}, ""),
    "links that go on": ("**Related:** [[a]],\n[[b]]", {"related": ("a", "b")}, ""),
    "brackets in a link": ("**Related:** [[f#arr[0]]], [[`g`]]", {"related": ("f#arr[0]", "`g`")}, ""),
    "links of a table": ("**Related:** [[a\\|b]]", {"related": ("a",)}, ""),
    "an unclosed link": ("**Related:** [[a]], [[b", {"related": ("a",)}, ""),
    "files on one line": ("**Key Files/Paths:** a, b", {"files": ("a", "b")}, ""),
    "a file on two lines": ("**Key Files/Paths:**\n- a\n  more\n* b", {"files": ("a more", "b")}, ""),
    "numbered files": ("**Key Files/Paths:**\n1. a\n2) b", {"files": ("a", "b")}, ""),
    "an empty label": ("**Source:**\n**Date:** d", {"source": "", "created": "d"}, ""),
    "a body on its label's line": ("**Solution:** do it\n- so", {}, "do it\n- so"),
    "a body label after text": ("text\n\n**Solution:**\n- so", {}, "text\n\n**Solution:**\n- so"),
    "two body labels": ("**Best Practice:**\n- a\n**Solution:**\n- b", {}, "- a\n**Solution:**\n- b"),
    "body around fields": (
        "one\n\n**Date:** d\n\ntwo\n**Id:** i\nthree",
        {"created": "d", "id": "i"},
        "one\n\ntwo\nthree",
    ),
    "escapes": ("\\## a\n\\**Date:** b\n\\\\---\n`\\# c`", {}, "## a\n**Date:** b\n\\---\n`\\# c`"),
    "escapes in code": ("```\n\\## a\n```", {}, "```\n\\## a\n```"),
    "labels in code": ("```\n**Date:** a\n```", {}, "```\n**Date:** a\n```"),
    "labels in a comment": ("<!--\n**Date:** a\n-->", {}, "<!--\n**Date:** a\n-->"),
    "labels under a block tag": ("</details>\n**Date:** d", {"created": "d"}, "</details>"),
    "labels in items": ("- **Date:** a\n  **Id:** b", {}, "- **Date:** a\n  **Id:** b"),
    "a colon outside": ("**Date**: a", {}, "**Date**: a"),
    "a rule in the text": ("a\n\n---\n\nb", {}, "a\n\n---\n\nb"),
    "rules at the end": ("a\n\n---\n\n----\n", {}, "a"),
    "other rules at the end": ("a\n\n***", {}, "a\n\n***"),
    "a main heading": ("a\n\n# b\n\nc", {}, "a\n\n# b\n\nc"),
    "blanks that count": ("    code\n\nhard  \nbreak  ", {}, "    code\n\nhard  \nbreak  "),
    "other line breaks": ("a\x0cb\u2028c\x0bd\re", {}, "a\x0cb\u2028c\x0bd\re"),
}


@pytest.mark.parametrize(("text", "fields", "body"), SHAPES.values(), ids=SHAPES.keys())
def test_shapes_of_fields_and_bodies(text: str, fields: dict[str, Value], body: str) -> None:
    for data in (
        f"## T\n{text}\n",
        f"## T\n\n{text}",
        f"## T\n{text}\n\n## U\n",
        f"\ufeff## T\n{text}\n".replace("\n", "\r\n"),
    ):
        record = parse(data).records[0]
        assert (record.title, record.fields, record.body) == ("T", fields, body)


def test_unknown_labels_are_fields_and_stay_in_the_body() -> None:
    text = "**Situation:** a\n**What Happened:**\n- b\n- c\n\n### d\n\n**Keywords:** e\n"
    (record,) = parse(f"## T\n**Date:** d\n{text}").records
    assert record.fields == {
        "created": "d",
        "Situation": "a",
        "What Happened": "- b\n- c",
        "keywords": ("e",),
    }
    assert record.body == "**Situation:** a\n**What Happened:**\n- b\n- c\n\n### d"


def test_an_unknown_label_never_passes_for_a_field() -> None:
    (record,) = parse("## T\n**created:** a\n**title:** b\n").records
    assert record.fields == {}
    assert record.body == "**created:** a\n**title:** b"


HEADINGS = {
    "## a": ["a"],
    "##\ta": ["a"],
    "   ## a ##": ["a"],
    "## 🔧 a": ["a"],
    "## \\[2026-01-01] x | y": ["[2026-01-01] x | y"],
    "##": [""],
    "## `a` → (b)": ["`a` → (b)"],
    "##a": [],
    "    ## a": [],
    "# a": [],
    "### a": [],
    "> ## a": [],
    "- ## a": [],
    "## [2026-01-01] write | a": [],
    "```\n## a\n```": [],
    "~~~\n## a\n~~~": [],
    "<!--\n## a\n-->": [],
    "````\n```\n## a\n```\n````\n## b": ["b"],
    "text\n---\n## a": ["a"],
}


@pytest.mark.parametrize(("text", "expected"), HEADINGS.items())
def test_headings_that_begin_a_record(text: str, expected: list[str]) -> None:
    assert [record.title for record in parse(f"{text}\n").records] == expected


def test_lines_of_a_log_end_a_record_and_are_none() -> None:
    text = (
        f"{ONE}\n## [2026-03-02] write | Recorded\n## [2026-03-02] read | Loaded\n\n## Next\n**Date:** "
        "2026-01-01\n"
    )
    first, second = parse(text).records
    assert (first.end_line, second.title, second.ordinal) == (9, "Next", 1)
    assert parse(b"# Log\n\n## [2026-03-02] read | x\n").records == ()
    # a record after all: it has fields
    (record,) = parse("## [2026-03-02] fix | x\n**Date:** 2026-03-02\n").records
    assert record.title == "[2026-03-02] fix | x"


# What is wrong.


def test_missing_fields() -> None:
    parsed = parse(
        "## Bare\n\n## Text\nwords\n\n##\n**Date:** d\n\n## No date\n**Source:** x\n\n## Empty "
        "date\n**Date:**\n"
    )
    assert codes(parsed) == [("MG003", 1), ("MG003", 3), ("MG003", 6), ("MG003", 9), ("MG003", 12)]
    assert [record.problem.fatal for record in parsed.records if record.problem] == [False] * 5
    assert len(parsed.records) == 5


def test_two_records_of_one_title() -> None:
    parsed = parse(f"{ONE}\n{ONE}\n## Caf\u00e9\n**Date:** d\n\n## Cafe\u0301\n**Date:** d\n")
    assert codes(parsed) == [("MG005", 1), ("MG005", 11), ("MG005", 21), ("MG005", 24)]
    assert "line 11" in parsed.problems[0].message and "line 1 " in parsed.problems[1].message
    assert all(record.problem and not record.problem.fatal for record in parsed.records)


def test_a_label_that_stands_twice() -> None:
    parsed = parse("## T\n**Date:** a\n**Date:** b\n")
    assert codes(parsed) == [("MG004", 3)]
    assert parsed.records[0].fields["created"] == "a"
    assert parsed.records[0].body == "**Date:** b"


def test_an_open_fence_is_named_with_its_line() -> None:
    data = f"{ONE}\n```sh\nmake\n\n{ONE}".encode()
    parsed = parse(data)
    assert codes(parsed) == [("MG001", 11)]
    assert len(parsed.records) == 1
    with pytest.raises(Refused) as caught:
        entries.create(Draft("knowledge", "New", {}, "x"), data)
    assert caught.value.line == 11
    assert b"2027-01-01" in entries.edit(data, 0, {"updated": "2027-01-01"})  # above the fence all is well
    with pytest.raises((BadInput, Refused)):
        entries.extend(data, 0, "more", "2027-01-01")


CONFLICT = (
    f"## Before\n**Date:** d\n\n<<<<<<< HEAD\n{ONE}=======\n{ONE}>>>>>>> topic\n\n## After\n**Date:** d\n"
)


def test_conflict_markers_spare_the_records_around() -> None:
    parsed = parse(CONFLICT)
    assert codes(parsed) == [("MG104", 4), ("MG104", 14), ("MG104", 24)]
    before, one, other, after = parsed.records
    assert (before.problem, before.body, before.end_line) == (None, "", 2)
    assert after.problem is None
    assert all(record.problem and record.problem.fatal for record in (one, other))
    data = CONFLICT.encode()
    assert b"## Before\n**Date:** d\n**Id:** i\n\n<<<<<<< HEAD" in entries.edit(data, 0, {"id": "i"})
    assert entries.edit(data, 3, {"id": "i"}).endswith(b"## After\n**Date:** d\n**Id:** i\n")
    with pytest.raises(Refused):
        entries.edit(data, 1, {"id": "i"})
    with pytest.raises(Refused):
        entries.extend(data, 2, "x", "d")
    assert parse(entries.create(Draft("knowledge", "New", {}, "x"), data)).records[-1].title == "New"


def test_markers_inside_one_record() -> None:
    parsed = parse(
        "## T\n<<<<<<< a\n**Date:** 1\n=======\n**Date:** 2\n>>>>>>> b\n**Id:** i\n\n## U\n**Date:** d\n"
    )
    assert [record.problem is not None and record.problem.fatal for record in parsed.records] == [True, False]
    with pytest.raises(Refused):
        entries.create(Draft("knowledge", "New", {}, "x"), b"## T\n<<<<<<< a\n**Date:** 1\n")
    assert codes(parse("## T\n**Date:** d\n\n```\n<<<<<<< a\n=======\n>>>>>>> b\n```\n")) == []


def test_a_file_that_cannot_be_read_is_one_problem() -> None:
    for data in (b"## T\n\xe9\n", b"\xff\xfe#\0", b"## T\n\0\n"):
        parsed = parse(data)
        assert parsed.records == ()
        assert [problem.fatal for problem in parsed.problems] == [True]
        with pytest.raises(UnreadableFile):
            entries.edit(data, 0, {"id": "x"})
    assert codes(parse(b"")) == codes(parse(b" \n\n")) == [("MG001", 1)]


# Real files.

COUNTS = {
    "mem-skill-1.2/knowledge-base/workflow.md": 9,
    "mem-skill-1.2/knowledge-base/design-layout.md": 3,
    "mem-skill-1.2/experience/skill-mem-skill.md": 8,
    "mem-skill-1.2/log.md": 0,
    "mem-skill-1.1/knowledge-base/workflow.md": 5,
    "mem-skill-1.1/knowledge-base/design-layout.md": 3,
    "mem-skill-1.1/experience/skill-mem-skill.md": 5,
    "auto-skill/experience/skill-remotion-best-practices.md": 7,
    "auto-skill/knowledge-base/workflow.md": 0,
    "auto-skill/knowledge-base/writing.md": 0,
    "oddities/entries/heading-in-fence.md": 2,
    "oddities/entries/unclosed-fence.md": 1,
    "oddities/entries/two-same-titles.md": 2,
    "oddities/entries/markers-in-fence.md": 1,
    "oddities/entries/rule-under-text.md": 2,
    "oddities/entries/bad-dates.md": 3,
    "oddities/entries/labels-in-bullets.md": 1,
    "oddities/entries/unknown-labels.md": 1,
    "oddities/entries/heading-shapes.md": 5,
    "oddities/entries/no-fields.md": 2,
    "oddities/entries/comment-hides-heading.md": 1,
    "oddities/entries/chinese-labels.md": 2,
    "oddities/entries/related-shapes.md": 3,
    "oddities/entries/log.md": 0,
    "oddities/bytes/bom-entry.md": 1,
    "oddities/bytes/crlf-entries.md": 2,
}


@pytest.mark.parametrize(("name", "count"), COUNTS.items())
def test_records_of_real_files(corpora: Path, name: str, count: int) -> None:
    parsed = parse((corpora / name).read_bytes())
    assert len(parsed.records) == count
    assert [record.ordinal for record in parsed.records] == list(range(count))
    for record in parsed.records:
        assert "\r" not in record.title + record.body + str(record.fields)
        assert record.title == record.title.strip() and "🔧" not in record.title


def test_the_workspace_of_mem_skill(corpora: Path) -> None:
    records = [
        record
        for path in sorted((corpora / "mem-skill-1.2").glob("*/*.md"))
        for record in parse(path.read_bytes()).records
    ]
    assert len(records) == 20
    assert sum(len(record.related) for record in records) == 27
    assert sum(record.fields.get("related") == () for record in records) == 6
    assert all(
        record.created and record.keywords and record.body and record.problem is None for record in records
    )
    (lint,) = [record for record in records if "Situation" in record.fields]
    assert (
        lint.body.startswith("**Situation:**")
        and "**Lesson:**\n- " in lint.body
        and "skill" not in lint.fields
    )
    assert not any(record.body.startswith("**Best Practice") for record in records)


def entry_files(corpora: Path) -> list[Path]:
    found = [
        *corpora.glob("mem-skill-*/*/*.md"),
        *corpora.glob("auto-skill/*/*.md"),
        *corpora.glob("oddities/entries/*.md"),
    ]
    return sorted([*found, *(corpora / "oddities" / "bytes").glob("*entr*.md")])


def test_no_change_keeps_every_byte_of_real_files(corpora: Path) -> None:
    seen = 0
    for path in entry_files(corpora):
        data = path.read_bytes()
        for record in parse(data).records:
            if record.problem is not None and record.problem.fatal:
                continue
            same: dict[str, Value] = {**known(record), "body": record.body}
            if record.title:
                same["title"] = record.title
            assert entries.edit(data, record.ordinal, same) == data, (path, record.title)
            assert entries.replace(data, record.ordinal, record.body, "2027-01-01") == data
            seen += 1
    assert seen > 60


def test_a_change_to_one_record_leaves_the_rest_of_real_files(corpora: Path) -> None:
    changes: dict[str, Value] = {
        "updated": "2027-01-01",
        "id": "k000000000",
        "keywords": ("one", "two"),
        "related": ("a#b",),
        "title": "New",
    }
    for path in entry_files(corpora):
        data = path.read_bytes()
        parsed = parse(data)
        for record in parsed.records:
            if record.problem is not None and record.problem.code in ("MG104", "MG001"):
                continue
            new = entries.edit(data, record.ordinal, changes)
            check_only(data, new, record.ordinal)
            after = parse(new).records[record.ordinal]
            assert (after.title, after.fields["updated"], after.id) == ("New", "2027-01-01", "k000000000")
            assert (after.keywords, after.related, after.body) == (("one", "two"), ("a#b",), record.body)
            gone = entries.remove(data, record.ordinal)
            assert said(gone or b"") == [
                one for number, one in enumerate(said(data)) if number != record.ordinal
            ]


def test_taking_back_a_new_record_gives_real_files_again(corpora: Path) -> None:
    draft = Draft("knowledge", "New", {"created": "2026-01-01", "id": "k000000000"}, "Text.")
    for path in entry_files(corpora):
        data = path.read_bytes()
        if any(problem.code == "MG001" for problem in parse(data).problems):
            continue
        more = entries.create(draft, data)
        assert more.startswith(data.rstrip(b"\n"))
        assert entries.remove(more, len(parse(data).records)) == data, path


def check_only(before: bytes, after: bytes, ordinal: int) -> None:
    """Whether two versions of a file differ in one record alone: in what it says and in every byte."""
    old, new = parse(before), parse(after)
    assert len(old.records) == len(new.records)
    assert [one for one in zip(said(before), said(after), strict=True) if one[0] != one[1]] in (
        [],
        [(said(before)[ordinal], said(after)[ordinal])],
    )
    was, now = old.records[ordinal], new.records[ordinal]
    lines, changed = before.split(b"\n"), after.split(b"\n")
    assert lines[: was.line - 1] == changed[: now.line - 1]
    tail = lines[was.end_line :]
    assert not tail or changed[-len(tail) :] == tail
    assert before.startswith(b"\xef\xbb\xbf") == after.startswith(b"\xef\xbb\xbf")
    assert before.endswith(b"\n") == after.endswith(b"\n")
    if b"\r\n" in before and before.count(b"\r\n") == before.count(b"\n"):
        assert after.count(b"\r\n") == after.count(b"\n")


# Writing a new record.

DRAFT = Draft(
    "knowledge",
    "Keep the tide table whole",
    {
        "keywords": ("tide", "whole table"),
        "related": ("tides#Neap, then spring", "skill-crane#Load"),
        "created": "2026-03-02",
        "context": "Tables that arrive in pieces",
        "source": "conversation",
    },
    "Wait for the last piece\n\nCompare the count",
)


def test_the_format_of_mem_skill_to_the_letter() -> None:
    assert entries.create(DRAFT, None).decode() == ONE.replace("|loads", "")
    fields: dict[str, Value] = {
        "id": "k000000000",
        "archived": "2027-01-01",
        "updated": "2026-04-01",
        "created": "2026-03-02",
        "skill": "crane",
        "source": "file:notes/crane.md",
        "context": "It stops",
        "files": ("crane/main.c (the loop)", "crane/stop.c"),
        "keywords": ("crane",),
    }
    got = entries.create(
        Draft("experience", "Crane stops at noon", fields, "- Start it again"), None
    ).decode()
    wanted = EXPERIENCE.replace("**Skill:**", "**Updated:** 2026-04-01\n**Skill:**")
    assert got == f"{wanted}**Archived:** 2027-01-01\n**Id:** k000000000\n"


def test_what_is_empty_is_left_out() -> None:
    draft = Draft(
        "knowledge", "T", {"created": "d", "source": None, "context": "", "keywords": (), "files": ()}, "  \n"
    )
    assert entries.create(draft, None) == b"## T\n**Date:** d\n**Related:**\n"


def test_a_body_that_is_no_list_stands_apart() -> None:
    body = "Text.\n\n```sh\n## no heading\n```"
    got = entries.create(Draft("knowledge", "T", {"created": "d", "keywords": ("k",)}, body), None).decode()
    assert got == f"## T\n**Date:** d\n**Best Practice:**\n\n{body}\n\n**Related:**\n**Keywords:** k\n"
    assert parse(got).records[0].body == body


APPENDED: dict[str, tuple[str, str]] = {
    "blank line": (
        "## A\n**Date:** d\n**Related:**\n",
        "\n## T\n**Date:** n\n**Best Practice:**\n- b\n**Related:**\n",
    ),
    "no links in this file": ("## A\n**Date:** d\n", "\n## T\n**Date:** n\n**Best Practice:**\n- b\n"),
    "no final newline": ("## A\n**Date:** d", "\n\n## T\n**Date:** n\n**Best Practice:**\n- b"),
    "blank lines at the end": ("## A\n**Date:** d\n\n\n", "## T\n**Date:** n\n**Best Practice:**\n- b\n"),
    "a rule between records": (
        "## A\n**Date:** d\n\n---\n\n## B\n**Date:** d\n",
        "\n---\n\n## T\n**Date:** n\n**Best Practice:**\n- b\n",
    ),
    "a rule at the end": (
        "## A\n**Date:** d\n\n---\n\n## B\n**Date:** d\n\n---\n",
        "\n## T\n**Date:** n\n**Best Practice:**\n- b\n",
    ),
    "blank line under titles": ("## A\n\n**Date:** d\n", "\n## T\n\n**Date:** n\n**Best Practice:**\n- b\n"),
    "spelling of labels": (
        "## A\n**date:** d\n**Best practices:**\n- x\n",
        "\n## T\n**date:** n\n**Best practices:**\n- b\n",
    ),
    "Chinese": (
        "## 🔧 A\n**日期：** d\n**最佳實踐：**\n- x\n",
        "\n## 🔧 T\n**日期：** n\n**最佳實踐：**\n- b\n",
    ),
    "Chinese without a record": (
        "# A最佳實踐\n\n---\n\n<!-- 新的經驗條目會自動添加在這裡 -->\n",
        "\n## 🔧 T\n**日期：** n\n**最佳實踐：**\n- b\n",
    ),
    "preamble": ("# A\n", "\n## T\n**Date:** n\n**Best Practice:**\n- b\n**Related:**\n"),
    "frontmatter": ("---\nname: A\n---\n", "\n## T\n**Date:** n\n**Best Practice:**\n- b\n**Related:**\n"),
    "nothing": ("", "## T\n**Date:** n\n**Best Practice:**\n- b\n**Related:**\n"),
}


@pytest.mark.parametrize(("existing", "added"), APPENDED.values(), ids=APPENDED.keys())
def test_a_new_record_follows_the_manner_of_its_file(existing: str, added: str) -> None:
    draft = Draft("knowledge", "T", {"created": "n"}, "b")
    assert entries.create(draft, existing.encode()).decode() == existing + added
    crlf = (existing + added).replace("\n", "\r\n")
    assert entries.create(draft, b"\xef\xbb\xbf" + existing.replace("\n", "\r\n").encode()).decode() in (
        f"\ufeff{crlf}",
        f"\ufeff{existing}{added}",  # an empty file has no line ends to follow
    )


def test_chinese_labels_that_the_form_lacks_are_written_like_its_keywords() -> None:
    fields: dict[str, Value] = {
        "created": "n",
        "updated": "u",
        "source": "s",
        "related": ("a#b",),
        "keywords": ("k",),
        "id": "i",
    }
    existing = CHINESE.replace("**最佳實踐：**", "**解法：**")
    got = entries.create(Draft("experience", "T", fields, "b"), existing.encode()).decode()
    head = "\n---\n\n## 🔧 T\n**日期：** n\n**updated：** u\n**source：** s\n"
    tail = "**related：** [[a#b]]\n**keywords：** k\n**id：** i\n"
    assert got == f"{existing}{head}**解法：**\n- b\n{tail}"
    assert known(parse(got).records[-1]) == fields


def clean_title(draft: Draft) -> str:
    try:
        return titles.clean(draft.title)
    except BadInput:
        assume(False)
        raise


def closed(body: str) -> None:
    try:
        bodies.escape(bodies.of(body))
    except BadInput:
        assume(False)


MANNERS = [
    None,
    b"",
    b"## A\n**Date:** 2020-01-01\n",
    b"# pre\n\ntext\n\n---\n",
    b"---\nname: K\n---\n## A\n**Date:** d",
    b"\xef\xbb\xbf## A\r\n**Date:** 2020-01-01\r\n\r\n---\r\n\r\n## B\r\n\r\n**Date:** x\r\n",
    CHINESE.encode(),
]


@settings(max_examples=examples(65), deadline=None)
@given(st.lists(strategies.drafts(), min_size=1, max_size=3), st.sampled_from(MANNERS))
def test_what_is_written_reads_back(drafts: list[Draft], data: bytes | None) -> None:
    for draft in drafts:
        title = clean_title(draft)
        closed(draft.body)
        before = said(data or b"")
        data = entries.create(draft, data)
        record = parse(data).records[-1]
        assert record.title == title
        assert record.body == bodies.of(draft.body)
        assert known(record) == {
            name: compose.clean(name, value)
            for name, value in draft.fields.items()
            if compose.clean(name, value)
        }
        assert said(data)[:-1] == before


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(strategies.drafts(), min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_records_go_one_by_one(drafts: list[Draft], random: Any) -> None:
    data: bytes | None = None
    for draft in drafts:
        clean_title(draft)
        closed(draft.body)
        data = entries.create(draft, data)
    while data is not None:
        place = random.randrange(len(said(data)))
        rest = [one for number, one in enumerate(said(data)) if number != place]
        data = entries.remove(data, place)
        assert said(data or b"") == rest
        if data is not None:
            assert not data.endswith(b"\n\n") and not data.startswith(b"\n")


@pytest.mark.parametrize(
    "draft",
    [
        Draft("knowledge", " \n", {}, "x"),
        Draft("knowledge", "T", {"topics": ("a",)}, "x"),
        Draft("knowledge", "T", {"related": ("a|b",)}, "x"),
        Draft("knowledge", "T", {"related": ("a]]b",)}, "x"),
        Draft("knowledge", "T", {}, "```\nopen"),
        Draft("knowledge", "T", {}, "a\0b"),
        Draft("knowledge", "T", {}, "caf\udce9"),
        Draft("knowledge", "T", {"source": "caf\udce9"}, "x"),
        Draft("knowledge", "T", {}, "x" * 5_000_000),
    ],
    ids=[
        "no title",
        "no such field",
        "bar in a link",
        "brackets in a link",
        "open fence",
        "NUL",
        "bytes",
        "bytes in a field",
        "too large",
    ],
)
def test_what_cannot_be_kept_is_refused(draft: Draft) -> None:
    with pytest.raises(BadInput):
        entries.create(draft, b"## A\n**Date:** d\n")


# Changing fields.

EDITS: dict[str, tuple[str, dict[str, Value], str]] = {
    "a value": ("**Date:** a\n**Source:** s", {"source": "t"}, "**Date:** a\n**Source:** t"),
    "odd spacing": (
        "**Date:**   a  \n**Source:**s",
        {"created": "b", "source": "t"},
        "**Date:**   b  \n**Source:** t",
    ),
    "spelling": (
        "**DATE:** a\n**keywords：** k",
        {"created": "b", "keywords": ("l",)},
        "**DATE:** b\n**keywords：** l",
    ),
    "updated under date": (
        "**Date:** a\n**Context:** c",
        {"updated": "u"},
        "**Date:** a\n**Updated:** u\n**Context:** c",
    ),
    "source after skill": (
        "**Date:** a\n**Skill:** k\n**Context:** c",
        {"source": "s"},
        "**Date:** a\n**Skill:** k\n**Source:** s\n**Context:** c",
    ),
    "related before keywords": (
        "**Date:** a\n**Best Practice:**\n- b\n**Keywords:** k",
        {"related": ("r",)},
        "**Date:** a\n**Best Practice:**\n- b\n**Related:** [[r]]\n**Keywords:** k",
    ),
    "an odd order": (
        "**Date:** a\n**Related:** [[r]]\n**Context:** c\n**Solution:**\n- b\n**Keywords:** k",
        {"files": ("f",), "source": "s"},
        (
            "**Date:** a\n**Source:** s\n**Related:** [[r]]\n**Context:** c\n**Solution:**\n- b\n**Key "
            "Files/Paths:**\n- f\n**Keywords:** k"
        ),
    ),
    "id last": (
        "**Date:** a\n**Keywords:** k",
        {"id": "i", "archived": "z"},
        "**Date:** a\n**Keywords:** k\n**Archived:** z\n**Id:** i",
    ),
    "id after text": ("**Date:** a\n\nText.", {"id": "i"}, "**Date:** a\n\nText.\n\n**Id:** i"),
    "id after a list": (
        "**Date:** a\n**Best Practice:**\n- b",
        {"id": "i"},
        "**Date:** a\n**Best Practice:**\n- b\n**Id:** i",
    ),
    "no field yet": ("Text.", {"created": "a"}, "**Date:** a\n\nText."),
    "no field yet, blank line": ("\nText.", {"created": "a"}, "**Date:** a\n\nText."),
    "an empty label is filled": (
        "**Date:** a\n**Related:**\n**Keywords:** k",
        {"related": ("r", "s")},
        "**Date:** a\n**Related:** [[r]], [[s]]\n**Keywords:** k",
    ),
    "a link more": (
        "**Related:** [[a|x]] , [[b]]",
        {"related": ("a", "b", "c")},
        "**Related:** [[a|x]] , [[b]], [[c]]",
    ),
    "a link less": (
        "**Related:** [[a]], [[b|x]], [[c]]",
        {"related": ("b", "c")},
        "**Related:** [[b|x]], [[c]]",
    ),
    "no link more": (
        "**Date:** a\n**Related:** [[b]]\n**Keywords:** k",
        {"related": ()},
        "**Date:** a\n**Related:**\n**Keywords:** k",
    ),
    "links in a list": (
        "**Related:**\n* [[a|x]] why\n* [[b]]\n**Id:** i",
        {"related": ("c", "a")},
        "**Related:**\n* [[c]]\n* [[a|x]] why\n**Id:** i",
    ),
    "a keyword more": ("**Keywords:** a,b ,c", {"keywords": ("a", "b", "c", "d")}, "**Keywords:** a,b ,c, d"),
    "a keyword less": ("**Keywords:** a,b ,c", {"keywords": ("a", "c")}, "**Keywords:** a, c"),
    "a file more": (
        "**Key Files/Paths:**\n1. a\n2. b\n   more\n**Id:** i",
        {"files": ("a", "b more", "c")},
        "**Key Files/Paths:**\n1. a\n2. b\n   more\n3. c\n**Id:** i",
    ),
    "files on one line": ("**Key Files/Paths:** a, b", {"files": ("b", "c")}, "**Key Files/Paths:** b, c"),
    "a paragraph": (
        "**Context:** one\ntwo\n**Id:** i",
        {"context": "three"},
        "**Context:** three\n**Id:** i",
    ),
    "a field less": ("**Date:** a\n**Archived:** z\n**Id:** i", {"archived": None}, "**Date:** a\n**Id:** i"),
    "a field less at the end": (
        "**Date:** a\n\n| t |\n\n**Keywords:** k",
        {"keywords": ()},
        "**Date:** a\n\n| t |",
    ),
    "a field less in the middle": ("Text.\n\n**Keywords:** k\n\nMore.", {"keywords": ()}, "Text.\n\nMore."),
    "files less": (
        "**Date:** a\n**Key Files/Paths:**\n- f\n- g\n**Keywords:** k",
        {"files": ()},
        "**Date:** a\n**Keywords:** k",
    ),
}


@pytest.mark.parametrize(("text", "changes", "expected"), EDITS.values(), ids=EDITS.keys())
def test_an_edit_touches_its_own_lines(text: str, changes: dict[str, Value], expected: str) -> None:
    for head, tail in (
        ("", ""),
        ("", "\n"),
        ("# x\n\n## A\n\n", "\n\n---\n\n## B\n**Date:** d\n"),
        ("", "\n\n\n## B\n"),
    ):
        before, after = f"{head}## T\n{text}{tail}", f"{head}## T\n{expected}{tail}"
        place = head.count("## A")
        assert entries.edit(before.encode(), place, changes).decode() == after
        assert entries.edit(before.replace("\n", "\r\n").encode(), place, changes).decode() == after.replace(
            "\n", "\r\n"
        )


def test_blank_lines_go_with_the_only_field() -> None:
    for tail in ("", "\n", "\n\n## B\n"):
        assert (
            entries.edit(f"## T\n\n\n**Date:** a{tail}".encode(), 0, {"created": None}).decode()
            == f"## T{tail}"
        )


TITLES = {
    "## Old": "## New",
    "##  Old  ##  ": "##  New  ##  ",
    "   ##\tOld": "   ##\tNew",
    "## 🔧 Old": "## 🔧 New",
    "##": "## New",
}


@pytest.mark.parametrize(("before", "after"), TITLES.items())
def test_a_new_title_keeps_the_shape_of_its_heading(before: str, after: str) -> None:
    data = f"a\n\n{before}\n**Date:** d\n".encode()
    assert entries.edit(data, 0, {"title": "New"}).decode() == f"a\n\n{after}\n**Date:** d\n"


BODIES: dict[str, tuple[str, str, str]] = {
    "a line": (
        "**Best Practice:**\n- a\n- b\n**Id:** i",
        "- a\n- c",
        "**Best Practice:**\n- a\n- c\n**Id:** i",
    ),
    "plain text becomes a list": (
        "**Best Practice:**\n- a\n**Id:** i",
        "One.\n\nTwo.",
        "**Best Practice:**\n- One.\n- Two.\n**Id:** i",
    ),
    "plain text stays what it was": (
        "**Date:** d\n\nOne.",
        "Two.\n\nThree.",
        "**Date:** d\n\nTwo.\n\nThree.",
    ),
    "other text stands apart": (
        "**Best Practice:**\n- a\n**Id:** i",
        "### h\n\nx",
        "**Best Practice:**\n\n### h\n\nx\n\n**Id:** i",
    ),
    "the first body": (
        "**Date:** d\n**Context:** c\n**Keywords:** k",
        "- a",
        "**Date:** d\n**Context:** c\n**Best Practice:**\n- a\n**Keywords:** k",
    ),
    "the first body of an experience": ("**Skill:** s", "- a", "**Skill:** s\n**Solution:**\n- a"),
    "under an empty label": ("**Solution:**\n**Id:** i", "> a", "**Solution:**\n\n> a\n\n**Id:** i"),
    "no body more": ("**Date:** d\n**Best Practice:**\n- a\n- b\n**Id:** i", "", "**Date:** d\n**Id:** i"),
    "no text more": ("**Date:** d\n\nText.\n\nMore.", "", "**Date:** d"),
    "on its label's line": (
        "**Solution:** do it\n- so\n**Id:** i",
        "do it\n- not so",
        "**Solution:** do it\n- not so\n**Id:** i",
    ),
    "another one on its label's line": (
        "**Solution:** do it\n- so\n**Id:** i",
        "- new",
        "**Solution:**\n- new\n**Id:** i",
    ),
    "in pieces": (
        "a\n\n**Date:** d\n\nb\n**Id:** i\n- c",
        "a\n\nB\n- c",
        "a\n\n**Date:** d\n\nB\n**Id:** i\n- c",
    ),
    "structure is escaped": (
        "**Best Practice:**\n- a",
        "- a\n## x\n**Date:** y",
        "**Best Practice:**\n- a\n\\## x\n\\**Date:** y",
    ),
    "old lines keep their spelling": (
        "**Best Practice:**\n- a\n\n# h\n\n- b",
        "- a\n\n# h\n\n- c",
        "**Best Practice:**\n- a\n\n# h\n\n- c",
    ),
    "unknown labels": (
        "**Date:** d\n**Lesson:**\n- a\n**Keywords:** k",
        "**Lesson:**\n- b",
        "**Date:** d\n**Lesson:**\n- b\n**Keywords:** k",
    ),
}


@pytest.mark.parametrize(("text", "body", "expected"), BODIES.values(), ids=BODIES.keys())
def test_a_new_body(text: str, body: str, expected: str) -> None:
    for tail in ("", "\n", "\n\n## B\n"):
        got = entries.edit(f"## T\n{text}{tail}".encode(), 0, {"body": body}).decode()
        assert got == f"## T\n{expected}{tail}"


EXTENSIONS: dict[str, tuple[str, str, str]] = {
    "text to a list": (
        "**Best Practice:**\n- a\n**Id:** i",
        "b\n\nc",
        "**Best Practice:**\n- a\n- b\n- c\n**Id:** i",
    ),
    "a list to a list": (
        "**Best Practice:**\n- a\n  - deep",
        "- b\n  - c",
        "**Best Practice:**\n- a\n  - deep\n- b\n  - c",
    ),
    "text to a numbered list": (
        "**Best Practice:**\n1. a\n2. b",
        "c\n\nd",
        "**Best Practice:**\n1. a\n2. b\n3. c\n4. d",
    ),
    "a list of another kind": (
        "**Best Practice:**\n- a",
        "* b",
        "**Best Practice:**\n- a\n\n### Extension (D)\n\n* b",
    ),
    "code to a list": (
        "**Best Practice:**\n- a\n**Id:** i",
        "```\nb\n```",
        "**Best Practice:**\n- a\n\n### Extension (D)\n\n```\nb\n```\n\n**Id:** i",
    ),
    "text to text": ("**Best Practice:**\n\na", "b", "**Best Practice:**\n\na\n\n### Extension (D)\n\nb"),
    "the first text": ("**Keywords:** k", "a", "**Best Practice:**\n- a\n**Keywords:** k"),
}


@pytest.mark.parametrize(("text", "more", "expected"), EXTENSIONS.values(), ids=EXTENSIONS.keys())
def test_an_extension_is_appended_and_dated(text: str, more: str, expected: str) -> None:
    got = entries.extend(f"## T\n**Date:** d\n{text}\n".encode(), 0, more, "D").decode()
    assert got == f"## T\n**Date:** d\n**Updated:** D\n{expected}\n"
    assert entries.extend(got.encode(), 0, " \n", "E").decode() == got


def test_a_replaced_body_is_dated() -> None:
    got = entries.replace(ONE.encode(), 0, "- New", "2027-01-01").decode()
    assert "**Updated:** 2027-01-01\n" in got and "**Best Practice:**\n- New\n**Related:**" in got


REMOVALS: dict[str, tuple[str, int, str | None]] = {
    "the first": ("## A\na\n\n---\n\n## B\nb\n", 0, "## B\nb\n"),
    "the last": ("## A\na\n\n---\n\n## B\nb\n", 1, "## A\na\n"),
    "the middle": ("## A\na\n\n## B\nb\n\n---\n\n## C\nc", 1, "## A\na\n\n## C\nc"),
    "the last without a newline": ("## A\na\n\n## B\nb", 1, "## A\na"),
    "the only one": ("## A\na\n", 0, None),
    "the only one after a preamble": ("# P\n\nwords\n\n## A\na\n", 0, "# P\n\nwords\n"),
    "the only one of a category": ("---\nname: K\n---\n## A\na\n", 0, "---\nname: K\n---\n"),
    "before a log line": ("## A\na\n\n## [2026-01-01] write | x\n", 0, "## [2026-01-01] write | x\n"),
    "without a blank line": ("## A\na\n## B\nb\n## C\n", 1, "## A\na\n## C\n"),
}


@pytest.mark.parametrize(("before", "place", "after"), REMOVALS.values(), ids=REMOVALS.keys())
def test_a_removed_record_leaves_nothing_behind(before: str, place: int, after: str | None) -> None:
    for newline, mark in (("\n", b""), ("\r\n", b"\xef\xbb\xbf")):
        got = entries.remove(mark + before.replace("\n", newline).encode(), place)
        assert got == (None if after is None else mark + after.replace("\n", newline).encode())


def test_what_was_never_clean_stays_as_it_is() -> None:
    data = b"## T\x08 x\n**Source:** a\x08b\n**Related:** [[a]]x|y]]\n\nbody\r\r\nmore\r\r\n"
    (record,) = parse(data).records
    same: dict[str, Value] = {**record.fields, "title": record.title, "body": record.body}
    assert entries.edit(data, 0, same) == data
    assert (
        entries.edit(data, 0, {**same, "id": "i"})
        .replace(b"**Id:** i\r\n", b"")
        .replace(b"**Id:** i\n", b"")
        .count(b"\r\r\n")
        == 2
    )


def test_a_set_in_heading_is_not_drawn_into_a_list() -> None:
    data = b"## A\n- a\n## B\n  ## C\n"
    with pytest.raises(Refused):
        entries.remove(data, 1)
    with pytest.raises(Refused):
        entries.edit(data, 1, {"body": "- b"})
    assert entries.edit(data, 0, {"body": "- b"}) == data.replace(b"- a", b"- b")


def test_a_record_that_is_not_there() -> None:
    with pytest.raises(NotFound):
        entries.edit(ONE.encode(), 1, {"id": "i"})
    with pytest.raises(NotFound):
        entries.remove(ONE.encode(), 1)
    with pytest.raises(NotFound):
        entries.extend(ONE.encode(), -1, "x", "d")


def test_a_field_that_stands_twice_cannot_be_taken_away() -> None:
    with pytest.raises(Refused, match="twice"):
        entries.edit(b"## T\n**Date:** a\n**Date:** b\n", 0, {"created": None})


file_line = strategies.nasty_line | st.sampled_from(
    [
        "## A",
        "## B",
        "**Date:** 2020-01-01",
        "**Best Practice:**",
        "- x",
        "- y",
        "",
        "",
        "---",
        "**Keywords:** a, b",
        "**Related:**",
        "**Related:** [[a]], [[b|c]]",
        "**Context:** text",
        "more text",
        "**Key Files/Paths:**",
        "**Solution:** inline",
        "```",
        "**Id:** k1",
        "**Related:**\n- [[a]]\n- [[b]]",
        "**Source:** conversation",
    ]
)


@st.composite
def files_to_change(draw: st.DrawFn) -> tuple[bytes, int, dict[str, Value]]:
    """A file of any lines, the place of a record in it, and changes to that record."""
    text = "\n".join(["## First", *draw(st.lists(file_line, max_size=25))])
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    text = text.replace("\n", newline) + draw(st.sampled_from(["", newline, newline * 2]))
    data = (draw(st.sampled_from(["", "", "", "\ufeff"])) + text).encode()
    place = draw(st.integers(0, len(parse(data).records) - 1))
    changes: dict[str, Value] = {}
    for name in draw(st.lists(st.sampled_from(["title", *ORDER]), min_size=1, max_size=3, unique=True)):
        if name == "title":
            changes[name] = draw(strategies.titles)
        elif name == "body":
            changes[name] = draw(strategies.bodies() | strategies.plain_bodies | st.just(""))
        elif name == "related":
            changes[name] = tuple(draw(st.lists(strategies.link_targets, max_size=3)))
        elif name in LISTS:
            changes[name] = tuple(draw(st.lists(strategies.values, max_size=3)))
        else:
            changes[name] = draw(st.none() | strategies.values)
    return data, place, changes


def test_a_rule_before_the_last_field_stays_text_without_it() -> None:
    new = entries.edit(b"## First\n---\n**Date:** 2020-01-01\n\n## Second\n", 0, {"created": None})
    assert parse(new).records[0].body == "---" and new == b"## First\n\\---\n\n## Second\n"


@settings(max_examples=examples(100), deadline=None)
@given(files_to_change())
def test_any_file_is_changed_as_asked_or_refused(case: tuple[bytes, int, dict[str, Value]]) -> None:
    data, place, changes = case
    record = parse(data).records[place]
    same: dict[str, Value] = {name: value for name, value in record.fields.items() if name in ORDER} | {
        "body": record.body
    }
    if record.problem is None:
        assert entries.edit(data, place, same) == data
    try:
        new = entries.edit(data, place, changes)
    except (Refused, BadInput):
        return
    check_only(data, new, place)
    after = parse(new).records[place]
    for name in ORDER:
        if name != "body":
            wanted = compose.clean(name, changes[name]) if name in changes else record.fields.get(name)
            assert (after.fields.get(name) or None) == (wanted or None)
    assert after.title == (titles.clean(str(changes["title"])) if "title" in changes else record.title)
    body = str(changes.get("body", record.body))
    assert after.body in ((bodies.normal(body), bodies.of(body)) if "body" in changes else (record.body,))


@settings(max_examples=examples(50), deadline=None)
@given(files_to_change(), strategies.bodies() | strategies.plain_bodies)
def test_any_file_is_extended_as_asked_or_refused(
    case: tuple[bytes, int, dict[str, Value]], text: str
) -> None:
    data, place, _ = case
    before = parse(data).records[place]
    try:
        new = entries.extend(data, place, text, "2027-01-01")
    except (Refused, BadInput):
        return
    check_only(data, new, place)
    after = parse(new).records[place]
    assert after.body.startswith(before.body)
    assert new == data or after.fields["updated"] == "2027-01-01"


@settings(max_examples=examples(65), deadline=None)
@given(st.binary(max_size=200) | strategies.bodies().map(str.encode))
def test_reading_never_fails(data: bytes) -> None:
    parse(data)
    parse(b"## T\n" + data)


# Categories.


def test_the_frontmatter_of_a_category() -> None:
    parsed = parse("---\nname: Tides & tables\nkeywords: [tide, whole table]\nowner: Ada\n---\n" + ONE)
    assert parsed.meta == {"name": "Tides & tables", "keywords": ("tide", "whole table"), "owner": "Ada"}
    assert parsed.records[0].line == 6
    assert parse("---\nkeywords: a, b\n---\n").meta["keywords"] == ("a", "b")
    assert parse(ONE).meta == {}
    assert parse("---\n\n" + ONE).meta == {}  # a rule


def test_broken_frontmatter_spares_the_records() -> None:
    parsed = parse("---\nname: 'a\n---\n" + ONE)
    assert [problem.code for problem in parsed.problems] == ["MG002"]
    assert [record.line for record in parsed.records] == [4]
    parsed = parse("---\nname: a\n\n" + ONE)
    assert [problem.code for problem in parsed.problems] == ["MG002"]
    assert len(parsed.records) == 1


def test_setting_what_a_category_says_of_itself() -> None:
    data = b"\xef\xbb\xbf" + ONE.replace("\n", "\r\n").encode()
    more = entries.set_meta(data, {"name": "Tides: all", "keywords": ("a", "b, c")})
    assert parse(more).meta == {"name": "Tides: all", "keywords": ("a", "b, c")}
    assert more.startswith(b"\xef\xbb\xbf---\r\nname:") and more.endswith(ONE.replace("\n", "\r\n").encode())
    assert entries.set_meta(more, {"name": "Tides: all", "keywords": ("a", "b, c")}) == more
    assert entries.set_meta(more, {"name": None, "keywords": ()}) == data
    assert entries.set_meta(data, {"name": None}) == data
    assert said(more) == said(data)


def test_setting_one_key_keeps_the_rest() -> None:
    data = b"---\n# ours\nname: 'A'  # why\nowner: Ada\nkeywords: [a]\n---\n## T\n**Date:** d\n"
    got = entries.set_meta(data, {"keywords": ("a", "b")})
    assert got == data.replace(b"[a]", b"[a, b]")
    assert entries.set_meta(data, {"name": "A", "keywords": ("a",)}) == data
    with pytest.raises(UnreadableFile):
        entries.set_meta(b"---\nname: 'a\n---\n", {"name": "b"})


# Speed.


def test_a_large_category_is_read_in_linear_time() -> None:
    data = ONE.encode() * 3_000
    start = time.process_time()
    assert len(parse(data).records) == 3_000
    assert time.process_time() - start < 3


HOSTILE = {
    "labels": "**Date:** x\n" * 30_000,
    "unknown labels": "**Any:** x\n" * 30_000,
    "links": f"**Related:** {'[[a]]' * 50_000}\n",
    "half links": f"**Related:** {'[[a' * 100_000}\n",
    "keywords": f"**Keywords:** {'a,' * 100_000}\n",
    "keywords that go on": "**Keywords:** a,\n" + "b,\n" * 80_000,
    "items": "**Key Files/Paths:**\n" + "- a\n" * 60_000,
    "rules": "a\n" + "---\n" * 60_000,
    "blank lines": "\n" * 300_000,
    "headings": "## a\n" * 30_000,
    "backslashes": "\\## a\n" * 40_000,
    "conflicts": "<<<<<<< a\n## x\n=======\n## x\n>>>>>>> b\n" * 8_000,
    "one line": "x" * 300_000,
    "half labels": "**" * 150_000,
    "comments": "<!-- a -->\n" * 25_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_files_take_linear_time(text: str) -> None:
    start = time.process_time()
    parse(f"## T\n{text}")
    assert time.process_time() - start < 5
