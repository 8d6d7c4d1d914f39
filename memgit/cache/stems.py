"""Stems of texts, cut by the tokenizer of the index."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing

from memgit.cache.tokens import TOKENIZER, fold


def stems(rows: Iterable[Sequence[str]], columns: Sequence[str]) -> list[dict[tuple[str, str], int]]:
    """How often each stem is in each column of each row, by stem and column.

    Args:
        rows: one text for each column.
        columns: names of the columns, letters alone.
    """
    with closing(sqlite3.connect(":memory:")) as base:
        names = ", ".join(columns)
        base.execute(
            f"create virtual table entries using fts5({names}, content='', tokenize=\"{TOKENIZER}\")"
        )
        base.execute("create virtual table seen using fts5vocab(entries, instance)")
        marks = ", ".join("?" * len(columns))
        count = 0
        for count, row in enumerate(rows, 1):
            texts = [fold(text.encode("utf-8", "replace").decode()) for text in row]
            base.execute(f"insert into entries(rowid, {names}) values (?, {marks})", (count, *texts))
        found: list[dict[tuple[str, str], int]] = [{} for _ in range(count)]
        for term, doc, column, times in base.execute(
            "select term, doc, col, count(*) from seen group by term, doc, col"
        ):
            found[doc - 1][term, column] = times
    return found
