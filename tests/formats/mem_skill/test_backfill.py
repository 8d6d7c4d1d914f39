"""Mem Skill's upgrade of one file: record by record, only lines added, twice the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.errors import MemgitError
from memgit.formats.mem_skill import entries
from memgit.formats.mem_skill.backfill import backfill
from tests import strategies


def test_labels_go_where_the_upgrade_puts_them() -> None:
    before = "## A\n**Date:** 2026-01-02\n**Context:** c\n**Best Practice:**\n- b\n**Keywords:** k\n"
    after = (
        "## A\n**Date:** 2026-01-02\n**Source:** conversation\n**Context:** c\n**Best Practice:**\n- "
        "b\n**Related:**\n**Keywords:** k\n"
    )
    assert backfill(before.encode()).data.decode() == after


def test_each_record_is_looked_at_by_itself() -> None:
    full = "## A\n**Date:** 2026-01-02\n**Source:** file:x\n**Related:**\n**Keywords:** k\n"
    bare = "## B\n**Date:** 2026-01-02\n**Updated:** 2026-01-03\n**Skill:** s\n**Keywords:** k\n"
    half = "## C\n**Date:** 2026-01-02\n**Related:** [[x#A]]\n"
    done = backfill(f"{full}\n---\n\n{bare}\n{half}".encode())
    assert done.data.decode() == (
        f"{full}\n---\n\n"
        "## B\n**Date:** 2026-01-02\n**Updated:** 2026-01-03\n**Source:** conversation\n**Skill:** "
        "s\n**Related:**\n**Keywords:** k\n\n"
        "## C\n**Date:** 2026-01-02\n**Source:** conversation\n**Related:** [[x#A]]\n"
    )
    assert [(one.ordinal, one.source, one.related) for one in done.records] == [
        (1, True, True),
        (2, True, False),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "## A heading without a date\n\nText.\n",
        "## [2026-01-02] write | a log line\n",
        "```\n## A\n**Date:** 2026-01-02\n```\n",
        "",
    ],
)
def test_what_is_no_record_stays(text: str) -> None:
    assert backfill(text.encode()).data == text.encode()


def test_chinese_records_stay_and_are_counted() -> None:
    data = "## 🔧 甲\n**日期：** 2026-01-02\n**情境：** 乙\n".encode()
    done = backfill(data)
    assert done.data == data and done.chinese == 1 and not done.records


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("final", ["", "\n"])
def test_line_ends_and_the_last_one_stay_as_they_are(newline: str, final: str) -> None:
    data = (
        "\ufeff"
        + newline.join(["## A", "**Date:** 2026-01-02", "**Keywords:** k"])
        + final.replace("\n", newline)
    )
    done = backfill(data.encode()).data.decode()
    lines = ["## A", "**Date:** 2026-01-02", "**Source:** conversation", "**Related:**", "**Keywords:** k"]
    assert done == "\ufeff" + newline.join(lines) + final.replace("\n", newline)


def test_a_conflict_is_refused_with_its_line() -> None:
    with pytest.raises(MemgitError) as error:
        backfill(b"## A\n<<<<<<< a\n**Date:** 2026-01-02\n=======\n**Date:** 2026-01-03\n>>>>>>> b\n")
    assert error.value.line == 2


LABELS = (
    "**Date:** 2026-01-02",
    "**Updated:** 2026-02-03",
    "**Skill:** s",
    "**Source:** url:x",
    "**Context:** c",
    "**Related:**",
    "**Related:** [[k#A]]",
    "**Keywords:** a, b",
    "**Odd Label:** o",
    "**日期：** 2026-01-02",
)


@st.composite
def old_files(draw: st.DrawFn) -> bytes:
    """An entry file as people and other tools write them: labels missing, twice, in any order, around any
    text.
    """
    out = [draw(st.sampled_from(["", "Preamble.\n\n", "---\nname: K\n---\n"]))]
    for number in range(draw(st.integers(0, 4))):
        lines = draw(st.lists(st.sampled_from(LABELS), max_size=6))
        lines.insert(
            draw(st.integers(0, len(lines))),
            draw(st.one_of(strategies.bodies(), st.sampled_from(["- item", "", "```\n## x\n```"]))),
        )
        out.append("\n".join([f"## T{number}", *lines, draw(st.sampled_from(["", "---", "\n---\n"]))]) + "\n")
    text = "".join(out)
    return (text.replace("\r", "").replace("\n", "\r\n") if draw(st.booleans()) else text).encode(
        "utf-8", "replace"
    )


@given(old_files())
def test_nothing_but_labels_is_added_and_a_second_time_changes_nothing(data: bytes) -> None:
    try:
        done = backfill(data)
    except MemgitError:
        return
    old, new = (
        entries.parse(data, "k.md", "knowledge", "k").records,
        entries.parse(done.data, "k.md", "knowledge", "k").records,
    )
    added = {one.ordinal: one for one in done.records if one.failure is None}
    assert len(old) == len(new)
    for was, now in zip(old, new, strict=True):
        kept = {name: value for name, value in now.fields.items() if name in was.fields}
        assert (now.title, now.body, kept) == (was.title, was.body, dict(was.fields))
        if was.ordinal in added and added[was.ordinal].source:
            assert now.source == "conversation"
    again = backfill(done.data)
    assert again.data == done.data and all(one.failure is not None for one in again.records)
