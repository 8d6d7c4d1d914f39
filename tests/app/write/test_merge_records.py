"""Pieces of merging records: headings that go under another, lists that become one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.app.write.merge_records import _below, _union
from memgit.formats.markdown import headings

LINES = st.sampled_from(
    [
        "# One",
        "## Two",
        "### Three ###",
        "###### Six",
        "Text",
        "",
        "- item",
        "Set",
        "===",
        "---",
        "```",
        "    # code",
        "> # quoted",
    ]
)


@pytest.mark.parametrize(
    ("text", "level", "out"),
    [
        ("Text\n\n## A\n\n### B", 4, "Text\n\n#### A\n\n##### B"),
        ("# A\n\n###### B", 4, "#### A\n\n###### B"),
        ("##### A", 4, "##### A"),
        ("Title\n=====\n\nText", 3, "### Title\n\nText"),
        ("```\n# code\n```\n# A", 2, "```\n# code\n```\n## A"),
        ("no heading", 6, "no heading"),
    ],
)
def test_headings_go_under_another(text: str, level: int, out: str) -> None:
    assert _below(text, level) == out


@given(st.lists(LINES, max_size=12).map("\n".join), st.integers(1, 6))
def test_headings_keep_their_words_and_their_order_of_levels(text: str, level: int) -> None:
    before, after = headings(text), headings(_below(text, level))
    assert [head.title for head in after] == [head.title for head in before]
    assert all(head.level >= min(level, 6) for head in after)
    down = [new.level - old.level for new, old in zip(after, before, strict=True)]
    assert all(new.level == 6 or step == max(down) for new, step in zip(after, down, strict=True))


@given(
    st.lists(st.sampled_from(["a", "A", "b b", "B  b", "c"])),
    st.lists(st.sampled_from(["a", "A", "b b", "d"])),
)
def test_lists_become_one(present: list[str], more: list[str]) -> None:
    out = _union(present, more)
    folded = [" ".join(item.casefold().split()) for item in out]
    assert len(set(folded)) == len(folded)
    assert set(folded) == {" ".join(item.casefold().split()) for item in (*present, *more)}
    assert _union(out, more) == out
    assert _union(present, ()) == out[: len(_union(present, ()))]
