"""Search: any text is a legal query, the right records come first, and every filter keeps to its word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given

from memgit.cache import search as module
from memgit.cache.db import memory_cache
from memgit.cache.overlay import OverlaySnapshot
from memgit.cache.records import Snapshot, refresh
from memgit.cache.search import Query, search, similar, snippets
from memgit.git.repository import Repository
from memgit.model.layout import memgit
from tests.cache.trees import commit, document, entry, opened
from tests.strategies import queries
from tests.support import run_git

LAYOUT = memgit()
FILES = {
    "knowledge-base/shell.md": (
        entry("Quote every expansion", "Put quotes around it.", "bash, quoting", record_id="a000000001")
        + entry("Trap on exit", "Remove the folder, also after --dry-run.", "bash")
    ).encode(),
    "memory/team/api.md": document(
        "API limits",
        "Ten calls a minute since version 1.0.21.",
        topics="[http, web/limits]",
        updated="2025-06-07",
    ),
    "memory/team/old.md": document(
        "Old limits", "Five calls a minute.", archived="2025-05-05", topics="[http]"
    ),
    "memory/zh.md": document("缓存失效策略", "如何配置缓存，避免缓存雪崩。"),
    "memory/ru.md": document("Резервная копия", "Ёлка и полнотекстовый поиск."),
    "memory/th.md": document("ที่ทำงาน", "ภาษาไทยไม่มีช่องว่าง"),
    "memory/emoji.md": document("🔧🚀", "A wrench 🔧 and a rocket."),
    "decisions/20250102-use-git.md": document(
        "Use git", "A cache of limits, see `src/a.py` and git_dir.", status="accepted", updated="2024-01-02"
    ),
    "notes/n.md": "# Café\n\nNaïve text about quoting, with quotes, quoted twice.\n".encode(),
}


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("search")
    run_git(folder, "init", "-q")
    return opened(folder)


@pytest.fixture(scope="module")
def snapshot(git: Repository) -> Iterator[Snapshot]:
    with memory_cache() as cache:
        yield refresh(cache, git, LAYOUT, commit(git, FILES))


def found(source: Snapshot, text: str, **filters: Any) -> list[str]:
    return [hit.record.title for hit in search(source, Query(text, **filters))]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("quote", "Quote every expansion"),
        ("QUOTES expansions", "Quote every expansion"),
        ("bash exit", "Trap on exit"),
        ("how do I remove a folder", "Trap on exit"),
        ("--dry-run", "Trap on exit"),
        ("1.0.21", "API limits"),
        ("src/a.py", "Use git"),
        ("git_dir", "Use git"),
        ('"ten calls"', "API limits"),
        ("minut*", "API limits"),
        ("minu", "API limits"),
        ("缓存", "缓存失效策略"),
        ("缓存雪崩怎么办", "缓存失效策略"),
        ("雪", "缓存失效策略"),
        ("полнотекстовый", "Резервная копия"),
        ("елка", "Резервная копия"),
        ("РЕЗЕРВНАЯ", "Резервная копия"),
        ("ทำงาน", "ที่ทำงาน"),
        ("🚀", "🔧🚀"),
        ("cafe", "Café"),
        ("naive", "Café"),
        ("a000000001", "Quote every expansion"),
        ("team api", "API limits"),
        ("accepted", "Use git"),
    ],
)
def test_the_right_record_comes_first(snapshot: Snapshot, text: str, title: str) -> None:
    assert found(snapshot, text)[0] == title


@pytest.mark.parametrize("text", ["", "  ", "zebra", "--", '""', "\0", "1.0.22 -- !", "索引"])
def test_what_is_nowhere_is_not_found(snapshot: Snapshot, text: str) -> None:
    assert found(snapshot, text) == []


@given(queries)
@example('AND NOT "x*')
@example("title : quote")
@example("quote OR (")
@example("NEAR(quote every, 2)")
@example("-quote")
@example("\udcff")
def test_any_text_is_a_legal_query(snapshot: Snapshot, text: str) -> None:
    hits = search(snapshot, Query(text, archived=None))
    assert len({hit.record[1:4] for hit in hits}) == len(hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(snippets(snapshot, Query(text), hits)) == len(hits)
    assert snapshot.cache.generation == 0


def test_filters(snapshot: Snapshot) -> None:
    assert sorted(found(snapshot, "limits")) == ["API limits", "Use git"]
    assert sorted(found(snapshot, "limits", archived=None)) == ["API limits", "Old limits", "Use git"]
    assert found(snapshot, "limits", archived=True) == ["Old limits"]
    assert found(snapshot, "limits", kinds=("decision",)) == ["Use git"]
    assert sorted(found(snapshot, "limits", kinds=("decision", "memory"))) == ["API limits", "Use git"]
    assert found(snapshot, "limits", kinds=("skill",)) == []
    assert found(snapshot, "limits", group="TEAM") == ["API limits"]
    assert sorted(found(snapshot, "bash", group="shell", kinds=("knowledge",))) == [
        "Quote every expansion",
        "Trap on exit",
    ]
    assert found(snapshot, "limits", kinds=("caf\udce9",), since="\udce9") == []
    assert found(snapshot, "limits", topic="web") == ["API limits"]
    assert found(snapshot, "limits", topic="web/limits") == ["API limits"]
    assert found(snapshot, "limits", topic="limits") == []
    assert found(snapshot, "limits", since="2025-01-01") == ["API limits"]
    assert found(snapshot, "limits", until="2024-12-31") == ["Use git"]
    assert found(snapshot, "limits", since="2024-01-02", until="2024-01-02") == ["Use git"]
    assert len(found(snapshot, "limits", limit=1)) == 1
    assert found(snapshot, "limits", limit=0) == []
    # a note without a date is on no day
    assert found(snapshot, "quoting text", until="2030-01-01") == ["Quote every expansion"]
    assert found(snapshot, "a000000001", kinds=("memory",)) == []
    assert found(snapshot, "a000000001", limit=5) == ["Quote every expansion"]


def test_the_caller_may_choose(snapshot: Snapshot) -> None:
    asked: list[str] = []

    def accept(title: str) -> bool:
        asked.append(title)
        return title == "Use git"

    assert [
        hit.record.title for hit in search(snapshot, Query("limits"), lambda record: accept(record.title))
    ] == ["Use git"]
    assert asked[-1] in ("API limits", "Use git")
    assert "Old limits" not in asked


def test_a_phrase_must_be_there_unless_it_is_nowhere(snapshot: Snapshot) -> None:
    assert found(snapshot, '"calls a minute" limits') == ["API limits"]
    assert found(snapshot, '"use git" limits') == ["Use git"]
    assert found(snapshot, '"缓存雪崩"') == ["缓存失效策略"]
    assert set(found(snapshot, '"limits calls"')) == {"API limits", "Use git"}


def test_the_title_weighs_most_and_more_words_more(git: Repository) -> None:
    filler = "Some words that say nothing about it, many of them, so that texts are alike in length."
    files = {
        "memory/a.md": document("Proxy settings", filler),
        "memory/b.md": document("Something else", f"{filler} The proxy is here."),
        "memory/c.md": document("Third thing", f"{filler} The proxy and the certificate."),
        "memory/d.md": document("Fourth thing", filler),
        "memory/e.md": document("Fifth thing", filler),
        "memory/f.md": document("Sixth thing", filler),
    }
    with memory_cache() as cache:
        source = refresh(cache, git, LAYOUT, commit(git, files))
        assert found(source, "proxy")[0] == "Proxy settings"
        assert found(source, "proxy certificate")[0] == "Third thing"
        assert set(found(source, "proxy certificate")) == {"Proxy settings", "Something else", "Third thing"}


def test_common_words_bring_in_no_records_in_a_large_repository_but_rank_them_alike(
    git: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {}
    for number in range(300):
        words = (
            ["common"] * (number % 5 + 1)
            + (["frequent"] * (number % 3))
            + (["rare"] if number % 30 == 0 else [])
            + ["filler"] * (number % 11)
        )
        files[f"memory/m{number:03}.md"] = document(f"Record {number}", " ".join(words))
    with memory_cache() as cache:
        source = refresh(cache, git, LAYOUT, commit(git, files))

        def ask(text: str) -> dict[str, float]:
            return {hit.record.title: hit.score for hit in search(source, Query(text, limit=300))}

        plain = {
            text: ask(text)
            for text in ("rare common", "rare common frequent", "common frequent", 'common "rare"', "common")
        }
        monkeypatch.setattr(module, "COMMON", 20)
        monkeypatch.setattr(module, "ENOUGH", 5)
        monkeypatch.setattr(module, "ENOUGH_COMMON", 50)
        for text in ("rare common", "rare common frequent"):
            narrowed = {hit.record.title: hit.score for hit in search(source, Query(text, limit=10))}
            assert len(narrowed) == 10
            assert len(plain[text]) == 300
            assert narrowed == {title: plain[text][title] for title in narrowed}
            assert set(narrowed) == set(list(plain[text])[:10])
        both = {hit.record.title: hit.score for hit in search(source, Query("common frequent", limit=200))}
        assert both == {title: plain["common frequent"][title] for title in both}
        assert all(int(title.split()[1]) % 3 for title in both)
        # Where that does not give as many as were asked for, common words bring in records too.
        for text, scores in plain.items():
            assert ask(text) == scores
        few = search(
            source, Query("rare common", limit=10), lambda record: record.title in ("Record 1", "Record 30")
        )
        assert [hit.record.title for hit in few] == ["Record 30", "Record 1"]


def test_uncommitted_edits_are_searched(git: Repository, snapshot: Snapshot) -> None:
    overlay = OverlaySnapshot(
        snapshot,
        {
            "memory/team/api.md": document("API limits", "Unlimited now."),
            "memory/new.md": document("New limits"),
            "decisions/20250102-use-git.md": None,
        },
    )
    assert sorted(found(overlay, "limits")) == ["API limits", "New limits"]
    assert found(overlay, "unlimited") == ["API limits"]
    assert found(overlay, '"ten calls"') == []
    hits = search(overlay, Query("unlimited"))
    assert snippets(overlay, Query("unlimited"), hits)[0].marked("[", "]") == "[Unlimited] now."
    assert found(snapshot, "unlimited") == []


def test_snippets_name_the_line_and_mark_what_matched(snapshot: Snapshot) -> None:
    query = Query("calls minute")
    hits = search(snapshot, query)
    (snippet,) = snippets(snapshot, query, hits[:1])
    data = FILES["memory/team/api.md"].decode().split("\n")
    assert data[snippet.line - 1] == "Ten calls a minute since version 1.0.21."
    assert snippet.marked("<b>", "</b>") == "Ten <b>calls</b> a <b>minute</b> since version 1.0.21."
    entry_hits = search(snapshot, Query("folder"))
    (inside,) = snippets(snapshot, Query("folder"), entry_hits)
    assert (
        FILES["knowledge-base/shell.md"].decode().split("\n")[inside.line - 1]
        == "- Remove the folder, also after --dry-run."
    )


def test_records_like_a_text(snapshot: Snapshot) -> None:
    like = similar(snapshot, ["calls", "minute", "limits"], kind="memory")
    assert [record.title for record in like] == ["API limits"]
    assert "Ten calls" in like[0].body
    assert similar(snapshot, [], kind="memory") == []
    assert next(record.title for record in similar(snapshot, ["limits"], limit=1)) in (
        "API limits",
        "Use git",
    )


def test_equal_records_come_in_the_order_of_their_addresses(git: Repository) -> None:
    files = {f"memory/{name}.md": document("Same", "Same text.") for name in ("c", "a", "d", "b")}
    with memory_cache() as cache:
        source = refresh(cache, git, LAYOUT, commit(git, files))
        assert [hit.record.address for hit in search(source, Query("same"))] == [
            "memory/a",
            "memory/b",
            "memory/c",
            "memory/d",
        ]
