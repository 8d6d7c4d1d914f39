"""Search answers by the snapshot alone: whatever else lies in a cache, scores and order come out the same to
the last digit.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from fractions import Fraction
from math import log
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgit.cache import db, scores
from memgit.cache import search as module
from memgit.cache.db import Cache, memory_cache, open_cache
from memgit.cache.overlay import OverlaySnapshot
from memgit.cache.records import Snapshot, refresh
from memgit.cache.rows import LONE, WEIGHTS, indexed, joined, length_of
from memgit.cache.scores import PRIOR
from memgit.cache.search import Query, holding, search, snippets
from memgit.formats.codecs import parse_file
from memgit.git.repository import Repository
from memgit.model.layout import memgit
from tests.cache.test_records import check_measures
from tests.cache.trees import commit, document, entry, opened
from tests.support import examples, run_git

LAYOUT = memgit()
WORDS = ("cache", "proxy", "branch", "rebase", "naïve", "缓存", "index", "src/a.py", "note", "limits")
QUERIES = ("cache", "proxy branch 缓存", '"branch" limits', "src/a.py no* naive")
FILTERS: tuple[dict[str, Any], ...] = (
    {},
    {"kinds": ("memory",), "limit": 3},
    {"group": "team", "topic": "web", "archived": None},
)


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("alike")
    run_git(folder, "init", "-q")
    return opened(folder)


def answers(source: Snapshot) -> str:
    """All that a search tells, for every query, with filters and without."""
    out = []
    for text in QUERIES:
        for filters in FILTERS:
            query = Query(text, **filters)
            hits = search(source, query)
            out += [
                [text, hit.record.address, hit.score, *snippet]
                for hit, snippet in zip(hits, snippets(source, query, hits), strict=True)
            ]
        out.append([text, holding(source, text)])
    return json.dumps(out, ensure_ascii=False)


def afresh(git: Repository, tip: str, dirty: Mapping[str, bytes | None] | None = None) -> str:
    """What a cache that has seen nothing else answers."""
    with memory_cache() as cache:
        base = refresh(cache, git, LAYOUT, tip)
        return answers(base if dirty is None else OverlaySnapshot(base, dirty))


texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
paths = st.sampled_from(
    [
        "memory/a.md",
        "memory/b.md",
        "memory/team/c.md",
        "memory/team/d.md",
        "decisions/20250102-e.md",
        "notes/f.md",
    ]
)
documents = st.builds(
    lambda title, body, topics, archived: document(
        title, body, topics=f"[{topics}]", **({"archived": "2025-05-05"} if archived else {})
    ),
    texts,
    texts,
    st.sampled_from(["web", "http, web/limits", "cache"]),
    st.integers(0, 5).map(lambda number: not number),
)
listings = st.lists(st.builds(entry, texts, texts, texts), min_size=1, max_size=4).map(
    lambda found: "".join(found).encode()
)
edits = st.dictionaries(paths, st.one_of(st.none(), documents), max_size=4)
steps = st.tuples(
    st.sampled_from(["commit", "branch", "amend", "switch", "edit", "look back", "other tree"]),
    edits,
    st.one_of(st.none(), listings),
    st.integers(0, 30),
)


@settings(
    max_examples=examples(6),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(steps, min_size=2, max_size=7))
def test_a_cache_that_grew_answers_as_a_new_one(
    git: Repository, todo: list[tuple[str, dict[str, bytes | None], bytes | None, int]]
) -> None:
    start = {
        f"memory/m{number}.md": document(f"{WORDS[number % 7]} {number}", " ".join(WORDS[: number % 9 + 1]))
        for number in range(9)
    }
    tips = [commit(git, start)]
    then: dict[str, str] = {}
    with memory_cache() as cache:
        for what, files, listing, number in todo:
            changed = {**files, **({"knowledge-base/shell.md": listing} if listing is not None else {})}
            tip = tips[number % len(tips)]
            if what in ("commit", "branch", "amend"):
                parents = {"commit": tips[-1], "branch": tip, "amend": tips[max(0, len(tips) - 2)]}
                tips.append(commit(git, changed, parents[what]))
                tip = tips[-1]
            label = {"look back": "at", "other tree": "worktrees/other"}.get(what, "")
            base = refresh(cache, git, LAYOUT, tip, label=label)
            if what == "edit":
                there = {path: data for path, data in changed.items() if data is not None or base.file(path)}
                assert answers(OverlaySnapshot(base, there)) == afresh(git, tip, there)
            else:
                then[tip] = answers(base)
                assert then[tip] == afresh(git, tip)
            check_measures(cache.connection)
        for tip, answer in then.items():
            assert answers(refresh(cache, git, LAYOUT, tip, label="at")) == answer
            with memory_cache() as other:  # a clone that never had it for its newest commit
                refresh(other, git, LAYOUT, tips[-1])
                assert answers(refresh(other, git, LAYOUT, tip, label="at")) == answer


def test_the_score_is_bm25_over_the_records_of_the_snapshot(git: Repository) -> None:
    files = {
        "memory/a.md": document("Proxy cache", "The proxy keeps a cache of proxies.", topics="[proxy]"),
        "memory/b.md": document("Other", "A cache."),
        "memory/c.md": document(
            "Third", "Some words that say nothing, many of them, and a proxy among them at the end."
        ),
        "memory/d.md": document("Fourth", "Nothing."),
    }
    records = [record for path, data in files.items() for record in parse_file(LAYOUT, path, data).records]
    columns = {record.address: indexed(record) for record in records}
    lengths = {address: length_of(joined(found)) for address, found in columns.items()}
    average = Fraction(sum(lengths.values()), len(lengths))
    stems = {"proxy": ("proxy", "proxies"), "cache": ("cache",)}

    def wanted(address: str) -> float:
        total = 0.0
        for forms in stems.values():
            often = {
                other: sum(
                    each
                    * sum(
                        found.casefold().replace(".", " ").replace(",", " ").split().count(form)
                        for form in forms
                    )
                    for each, found in zip(WEIGHTS, columns[other], strict=True)
                )
                for other in columns
            }
            holders = sum(count > 0 for count in often.values())
            rarity = log(1 + (len(columns) - holders + 0.5) / (holders + 0.5))
            total += (
                rarity
                * often[address]
                * 2.2
                / (
                    often[address]
                    + 1.2 * (0.25 + 0.75 * float((lengths[address] + PRIOR) / (average + PRIOR)))
                )
            )
        return total

    with memory_cache() as cache:
        refresh(
            cache,
            git,
            LAYOUT,
            commit(
                git, {f"memory/x{number}.md": document("Proxy", "cache " * number) for number in range(20)}
            ),
        )
        source = refresh(cache, git, LAYOUT, commit(git, files))
        found = {hit.record.address: hit.score for hit in search(source, Query("cache proxy"))}
    assert found == {
        address: pytest.approx(wanted(address), abs=1e-10) for address in ("memory/a", "memory/b", "memory/c")
    }


@pytest.mark.parametrize("limit", [1, 3, 7, 25])
@pytest.mark.parametrize("filters", [{}, {"kinds": ("memory",)}, {"group": "s"}])
def test_of_records_that_are_alike_the_first_by_address_come_in(
    git: Repository, monkeypatch: pytest.MonkeyPatch, limit: int, filters: Mapping[str, object]
) -> None:
    monkeypatch.setattr(module, "SPARE", 2)
    monkeypatch.setattr(module, "FIRST", 4)
    monkeypatch.setattr(module, "LEAST", 2)
    monkeypatch.setattr(module, "CHUNK", 3)
    names = [
        f"memory/{'s' if number % 2 else 't'}/m{number:02}.md"
        for number in (9, 3, 17, 5, 1, 20, 8, 2, 15, 4, 11, 12)
    ]
    better = {
        "memory/s/z.md": document("Alike alike", "Alike text."),
        "notes/n.md": b"# Alike\n\nAlike text.\n",
    }
    worse = {
        f"memory/s/w{number}.md": document(
            "Longer", f"Alike text, and some more words{' that say nothing' * number}."
        )
        for number in (1, 2)
    }
    files = {name: document("Same", "Alike text.") for name in names}
    tip = commit(git, {**files, **better, **worse})
    query = Query("alike", limit=limit, **filters)  # type: ignore[arg-type]
    plain = []
    for first in ({}, dict(list(files.items())[5:]), {**worse, **dict(list(files.items())[:4])}):
        with memory_cache() as cache:
            refresh(cache, git, LAYOUT, commit(git, first))
            plain.append(
                [(hit.record.address, hit.score) for hit in search(refresh(cache, git, LAYOUT, tip), query)]
            )
    assert plain[0] == plain[1] == plain[2]
    with memory_cache() as cache:
        hits = search(refresh(cache, git, LAYOUT, tip), query._replace(limit=50))
    every = [(hit.record.address, hit.score) for hit in hits]
    assert every == sorted(every, key=lambda pair: (-pair[1], pair[0]))
    assert plain[0] == every[:limit]
    alike = [score for address, score in every if address.rpartition("/")[2][0] == "m"]
    assert len(alike) == sum("group" not in filters or "/s/" in name for name in names)
    assert len(set(alike)) == 1 < len({score for _, score in every})


def test_what_was_taken_out_without_its_text_counts_no_more(git: Repository, tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q")
    with memory_cache() as cache:
        for number in range(12):
            # one that has not written the objects, and so does not have them in memory
            other = opened(tmp_path)
            tip = commit(
                opened(tmp_path),
                {f"memory/{each}.md": document("Ghost", f"cache {number}") for each in range(9)},
            )
            refresh(cache, other, LAYOUT, tip)
            for path in (tmp_path / ".git" / "objects").glob("??/*"):
                path.unlink()
        assert cache.connection.execute("select ghosts from counter").fetchone()[0] > 0
        tip = commit(
            other, {"memory/a.md": document("Real", "cache proxy"), "memory/b.md": document("Two", "proxy")}
        )
        source = refresh(cache, other, LAYOUT, tip)
        assert holding(source, "cache") == 1
        assert answers(source) == afresh(other, tip)


def test_fifteen_words_on_average_are_no_trap(git: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """At that average FTS5's rank says nothing about how often a word stands in a record: the cache sees to
    it that it is another.
    """

    def files(words: int) -> dict[str, bytes | None]:
        return {
            "notes/a.md": ("# One\n\ncache " + "y " * words).encode(),
            "notes/b.md": b"# Two\n\ncache cache y y y proxy\n",
        }

    def average(cache: Cache) -> Fraction:
        cache.connection.execute("create virtual table temp.every using fts5vocab(main, words, row)")
        total = cache.connection.execute("select sum(cnt) from temp.every").fetchone()[0]
        cache.connection.execute("drop table temp.every")
        return Fraction(total, 3)

    with memory_cache() as cache:
        source = refresh(cache, git, LAYOUT, commit(git, files(0)))
        source.query(lambda _: None)
        short = 45 - int(average(cache) * 3)
    tip = commit(git, files(short))
    with memory_cache() as cache:
        source = refresh(cache, git, LAYOUT, tip)
        assert average(cache) == 15
        assert abs(source.query(scores._constant)) < scores.TINY
        found = [(hit.record.title, hit.score) for hit in search(source, Query("cache y"))]
        assert abs(source.query(scores._constant)) >= scores.TINY
    with memory_cache() as cache:
        refresh(cache, git, LAYOUT, commit(git, {"memory/a.md": document("Something long", "words " * 100)}))
        assert [
            (hit.record.title, hit.score)
            for hit in search(refresh(cache, git, LAYOUT, tip), Query("cache y"))
        ] == found


def test_where_k_is_zero_and_another_process_writes_it_is_settled_in_memory(
    git: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "BUSY_SECONDS", 0.1)
    real, wide = scores._constant, []
    tip = commit(git, {"notes/a.md": b"# One\n\ncache\n"})
    cache, other = open_cache(str(tmp_path), "test"), open_cache(str(tmp_path), "test")
    assert cache is not None and other is not None
    source = refresh(cache, git, LAYOUT, tip)
    before = source.query(real)

    def constant(connection: sqlite3.Connection) -> float:
        now = real(connection)
        wide.append(now)
        return 0.0 if now == before else now

    monkeypatch.setattr(scores, "_constant", constant)
    other.connection.execute("begin immediate")
    try:
        scores.settle(source)
        assert cache.path is None and wide[0] == before != wide[-1]
        assert [hit.record.title for hit in search(source, Query("cache"))] == ["One"]
    finally:
        other.connection.execute("rollback")
        other.close()
        cache.close()


@pytest.mark.parametrize("often", [1, 2, 7, 300, 20_000])
@pytest.mark.parametrize("others", [0, 1, 40])
def test_how_often_a_term_stands_in_a_record_comes_out_exactly(
    git: Repository, often: int, others: int
) -> None:
    """Whatever lies beside it, short records (where FTS5's rank turns its sign) and long ones."""
    texts = {"notes/n.md": f"# T\n\n{'often ' * often}\n".encode()}
    found = []
    for words in (1, 8, 200):
        with memory_cache() as cache:
            beside = {
                f"notes/o{number}.md": f"# O\n\n{'other ' * words}\n".encode() for number in range(others)
            }
            refresh(cache, git, LAYOUT, commit(git, beside))
            (hit,) = search(refresh(cache, git, LAYOUT, commit(git, texts)), Query("often"))
            found.append(hit.score)
    k = 1.2  # the record is as long as the average
    assert found == [pytest.approx(log(1 + 0.5 / 1.5) * often * 2.2 / (often + k), abs=1e-11)] * 3
    assert len(set(found)) == 1


def test_the_word_of_row_0_finds_nothing(git: Repository) -> None:
    with memory_cache() as cache:
        source = refresh(cache, git, LAYOUT, commit(git, {"notes/n.md": b"# Note\n\nText.\n"}))
        assert search(source, Query(LONE)) == []
        assert holding(source, LONE) == 0
        both = refresh(cache, git, LAYOUT, commit(git, {"notes/n.md": f"# Note\n\nText {LONE}.\n".encode()}))
        assert [hit.record.title for hit in search(both, Query(LONE))] == ["Note"]
        assert search(both, Query("text"))[0].score == pytest.approx(log(1 + 0.5 / 1.5) * 2.2 / 2.2)


def test_a_lost_row_0_is_mended(git: Repository) -> None:
    with memory_cache() as cache:
        source = refresh(cache, git, LAYOUT, commit(git, {"notes/n.md": b"# Note\n\nText.\n"}))
        with cache.write() as connection:
            connection.execute("insert into words(words, rowid, title) values ('delete', 0, ?)", (LONE,))
        assert [hit.record.title for hit in search(source, Query("text"))] == ["Note"]
        assert cache.generation == 1


@given(st.lists(st.text(max_size=30), min_size=5, max_size=5))
def test_the_length_of_a_record_grows_with_its_words(columns: list[str]) -> None:
    length = length_of(joined(columns))
    assert length >= sum(column.count(" ") for column in columns)
    assert length_of(joined([*columns[:4], columns[4] + " more words"])) == length + 2
