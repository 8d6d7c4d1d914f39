"""Tokens of records: counted once for each content of a file, the same with the cache as without it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memgit.app.read import token_counts
from memgit.cache.facts import TOKENS, keep, load
from memgit.model.record import Record
from tests.support import Prepared, memgit, run_git


def memory(title: str, words: int, context: str = "") -> str:
    fields = f"context: {context}\n" if context else ""
    return f"---\ntitle: {title}\ncreated: 2020-01-05\n{fields}---\n{'word ' * words}\n"


@pytest.fixture
def store(prepared: Prepared) -> Path:
    return prepared("kb", make_store)


def make_store(kb: Path) -> None:
    (kb / "memory").mkdir(exist_ok=True)
    for name, words in (("a", 10), ("b", 1000)):
        (kb / f"memory/{name}.md").write_text(memory(name.upper(), words))
    entry = (
        "## {}\n**Date:** 2020-01-05\n**Context:** one two three\n**Best Practice:**\n{}\n**Keywords:** k\n\n"
    )
    text = entry.format("One", "word " * 20) + entry.format("Two", "word " * 700)
    (kb / "knowledge-base").mkdir(exist_ok=True)
    (kb / "knowledge-base/x.md").write_text(text)
    memgit(kb, "rebuild")
    memgit(kb, "commit")


def tokens(folder: Path, *args: str) -> dict[str, int]:
    return {
        one["address"]: one["tokens"] for one in memgit(folder, "health", "--json", *args).json["candidates"]
    }


def test_counts_are_those_of_context_and_text(store: Path) -> None:
    found = tokens(store)
    assert found["memory/a"] == 13 and found["memory/b"] == 1300
    assert found["knowledge/x#One"] < 45 and 900 < found["knowledge/x#Two"] < 930


def test_what_is_known_is_not_read_again(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = tokens(store)
    counted: list[str] = []
    of_text = token_counts.of_text

    def counting(record: Record) -> int:
        counted.append(record.path)
        return of_text(record)

    monkeypatch.setattr(token_counts, "of_text", counting)
    assert tokens(store) == first and counted == []
    (store / "memory/a.md").write_text(memory("A", 500, "four words of context"))
    assert tokens(store) == {**first, "memory/a": 655} and counted == ["memory/a.md"], "an uncommitted edit"
    memgit(store, "commit")
    assert tokens(store)["memory/a"] == 655 and counted == ["memory/a.md"], "the same content, committed"
    assert tokens(store, "--at", "HEAD~1") == first


def test_a_cache_that_cannot_be_had_changes_nothing(store: Path) -> None:
    first = tokens(store)
    folder = store / ".git/memgit"
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    folder.write_text("in the way")
    assert tokens(store) == first


def test_rows_of_another_version_or_of_files_that_went_count_for_nothing(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = tokens(store)
    monkeypatch.setattr(token_counts, "VERSION", token_counts.VERSION + 1)
    monkeypatch.setattr(token_counts, "estimate", lambda text: 7)
    assert set(tokens(store).values()) == {7}, "counted anew"
    monkeypatch.undo()
    run_git(store, "rm", "-q", "memory/b.md", "knowledge-base/x.md")
    (store / "memory/a.md").write_text(memory("A", 20))
    assert tokens(store)["memory/a"] == 26 and len(first) == 4
    with closing(sqlite3.connect(store / ".git/memgit/cache.db")) as known:
        rows = known.execute(f"select path, data from {TOKENS}").fetchall()
    assert [path for path, _ in rows] == ["memory/a.md"], "what is gone is dropped"


@pytest.mark.parametrize("data", ["", "01", "0102030405"])
def test_a_broken_row_is_made_good(store: Path, data: str) -> None:
    first = tokens(store)
    known = sqlite3.connect(store / ".git/memgit/cache.db", isolation_level=None)
    known.execute(f"update {TOKENS} set data = x'{data}' where path = 'knowledge-base/x.md'")
    known.close()
    assert tokens(store) == first


def test_kinds_of_facts_do_not_meet() -> None:
    from memgit.cache.db import memory_cache
    from memgit.cache.facts import LINT

    with memory_cache() as cache:
        keep(cache, LINT, "v1", {("a", "1"): b"facts"}, None)
        keep(cache, TOKENS, "v1", {("a", "1"): b"four"}, [("a", "1")])
        assert load(cache, LINT, "v1") == {("a", "1"): b"facts"} and load(cache, TOKENS, "v1") == {
            ("a", "1"): b"four"
        }
        assert load(cache, TOKENS, "v2") == {}
