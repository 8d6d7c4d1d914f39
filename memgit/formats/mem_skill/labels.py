"""The labels of entry fields, English and Chinese: `**Date:** …` and `**日期：** …`, in the order in which Mem
Skill writes them.

The colon stands inside the bold, ASCII after English labels and full-width after Chinese ones. A field that
the Chinese form lacks takes its English label in lower case, as `keywords：` does there.
"""

from __future__ import annotations

from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple

LINE = pattern(r"\n\*\*([^*:：\n]+)[:：]\*\*[ \t]*(.*)")
"""A label line, with the end of the line before it; what is not at column 0 is text."""


class Label(NamedTuple):
    """One field: its canonical name, and how a new label is written in both languages."""

    name: str
    english: str
    chinese: str


LABELS: dict[str, Label] = {
    label.name: label
    for label in (
        Label("created", "Date", "日期"),
        Label("updated", "Updated", "updated"),
        Label("skill", "Skill", "技能"),
        Label("source", "Source", "source"),
        Label("context", "Context", "情境"),
        Label("body", "Best Practice", "最佳實踐"),
        Label("files", "Key Files/Paths", "關鍵檔案/路徑"),
        Label("related", "Related", "related"),
        Label("keywords", "Keywords", "keywords"),
        Label("archived", "Archived", "archived"),
        Label("merged_into", "Merged into", "merged into"),
        Label("id", "Id", "id"),
    )
}
"""Every field in canonical order; the body stands among them."""

SOLUTION = Label("body", "Solution", "解法")
"""The body of an experience."""

ORDER = {name: rank for rank, name in enumerate(LABELS)}
LISTS = frozenset(["files", "related", "keywords"])

NAMES: dict[str, str] = {
    spelling: label.name
    for label in (*LABELS.values(), SOLUTION)
    for spelling in (label.english, label.chinese, label.english.lower())
} | {"Best practices": "body"}
"""Spellings to canonical names; `name_of` takes any case."""

_FOLDED = {spelling.casefold(): name for spelling, name in NAMES.items()}


def name_of(label: str) -> str | None:
    """The canonical name behind a label as typed, "body" for `Best Practice` and `Solution`, or None for one
    that no format knows.
    """
    return NAMES.get(label) or _FOLDED.get(label.strip(" \t").casefold())


def written(label: Label, chinese: bool) -> str:
    """A label with its bold and colon, as a new line starts."""
    return f"**{label.chinese}：**" if chinese else f"**{label.english}:**"
