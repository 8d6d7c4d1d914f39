"""Labels: which spellings mean which field, and how new ones are written."""

from __future__ import annotations

import pytest

from memgit.formats.mem_skill.labels import LABELS, LINE, ORDER, SOLUTION, name_of, written


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Date", "created"),
        ("date", "created"),
        ("DATE", "created"),
        ("日期", "created"),
        ("Updated", "updated"),
        ("Skill", "skill"),
        ("技能", "skill"),
        ("Source", "source"),
        ("Context", "context"),
        ("情境", "context"),
        ("Best Practice", "body"),
        ("Best practices", "body"),
        ("Best Practices", "body"),
        ("最佳實踐", "body"),
        ("Solution", "body"),
        ("解法", "body"),
        ("Key Files/Paths", "files"),
        ("關鍵檔案/路徑", "files"),
        ("Related", "related"),
        ("Keywords", "keywords"),
        ("keywords", "keywords"),
        ("Archived", "archived"),
        ("Id", "id"),
        (" Date ", "created"),
        ("Situation", None),
        ("Dates", None),
        ("", None),
    ],
)
def test_spellings(label: str, name: str | None) -> None:
    assert name_of(label) == name


def test_every_label_is_read_back() -> None:
    for label in (*LABELS.values(), SOLUTION):
        for chinese in (False, True):
            match = LINE.match(f"\n{written(label, chinese)} value")
            assert match is not None
            assert (name_of(match[1]), match[2]) == (label.name, "value")


def test_the_order_is_that_of_mem_skill() -> None:
    assert list(ORDER) == [
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
    ]


@pytest.mark.parametrize(
    "line",
    [
        " **Date:** x",
        "- **Date:** x",
        "**Date**: x",
        "**Date:* x",
        "*Date:* x",
        "Date: x",
        "**:** x",
        "**a*b:** x",
    ],
)
def test_what_is_no_label(line: str) -> None:
    assert LINE.match(f"\n{line}") is None
