"""Feedback: the words of the best records count too, where that helps, and alike in every clone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from memgit.cache import feedback
from memgit.cache.db import memory_cache
from memgit.cache.records import Snapshot, refresh
from memgit.cache.scores import Counts
from memgit.cache.search import Query, search
from memgit.cache.tokens import neighbours, telling, terms
from memgit.git.repository import Repository
from memgit.model.layout import memgit
from tests.cache.trees import commit, document, opened
from tests.support import run_git

LAYOUT = memgit()
FILLER = "Plain lines about nothing in particular fill this one up to a length"


def files() -> dict[str, bytes]:
    """Six records that answer a query in its own words, all of which speak of sails and rigging; then some
    with one word of it each, of which one speaks of sails and rigging as well.
    """
    out = {
        f"memory/a{number}.md": document(
            f"First {number}", f"Boat harbour storm: reef sails, check rigging {number}."
        )
        for number in range(6)
    }
    for number in range(160):
        word = ("boat", "harbour", "storm")[number % 3]
        out[f"memory/b{number:03}.md"] = document(f"Second {number}", f"{FILLER} {word} {number}.")
    out["memory/z.md"] = document("The one", f"{FILLER} storm, sails and rigging.")
    return out


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("feedback")
    run_git(folder, "init", "-q")
    return opened(folder)


@pytest.fixture(scope="module")
def snapshot(git: Repository) -> Iterator[Snapshot]:
    with memory_cache() as cache:
        yield refresh(cache, git, LAYOUT, commit(git, files()))


def order(source: Snapshot, text: str, *, used: bool = True) -> list[str]:
    return [hit.record.title for hit in search(source, Query(text, limit=30, feedback=used))]


def test_a_record_with_the_words_of_the_best_ones_comes_forward(snapshot: Snapshot) -> None:
    without = order(snapshot, "boat harbour storm", used=False)
    with_it = order(snapshot, "boat harbour storm")
    assert "The one" not in without
    assert with_it.index("The one") == 6
    assert with_it[:3] == without[:3]


@pytest.mark.parametrize("query", ['"boat harbour" storm', "boat storm", "boat harbour stor*", "1.0.21"])
def test_phrases_prefixes_and_short_queries_are_left_alone(snapshot: Snapshot, query: str) -> None:
    assert order(snapshot, query) == order(snapshot, query, used=False)


def test_few_hits_are_left_alone(snapshot: Snapshot) -> None:
    few = Query("boat harbour storm", limit=30)

    def accept(record: object) -> bool:
        return getattr(record, "title", "") in ("First 1", "First 2", "Second 3", "The one")

    assert search(snapshot, few, accept) == search(snapshot, few._replace(feedback=False), accept)


def test_scores_never_rise_down_the_list(snapshot: Snapshot) -> None:
    scores = [hit.score for hit in search(snapshot, Query("boat harbour storm", limit=200))]
    assert len(scores) == 167
    assert scores == sorted(scores, reverse=True)


def test_what_else_the_cache_holds_changes_nothing(git: Repository, snapshot: Snapshot) -> None:
    wanted = search(snapshot, Query("boat harbour storm", limit=170))
    with memory_cache() as cache:
        other = {
            f"memory/o{number}.md": document(f"Other {number}", "Sails boat oar.") for number in range(150)
        }
        refresh(cache, git, LAYOUT, commit(git, other))
        again = refresh(cache, git, LAYOUT, commit(git, files()))
        assert search(again, Query("boat harbour storm", limit=170)) == wanted


def test_the_words_that_are_added_say_something(snapshot: Snapshot) -> None:
    def work(connection: sqlite3.Connection) -> list[str]:
        counts = Counts(connection, snapshot)
        wanted = telling(terms("boat harbour storm"))
        texts = [("Reef the sails and check the rigging of every boat", 2.0), ("Sails again, unheardof", 1.0)]
        return [term.words[0] for term, _ in feedback.expansion(counts, 167, wanted, texts)]

    # Not a stop word, nor a word of the query, nor one that a single record holds.
    assert snapshot.query(work) == ["sails", "check", "reef", "rigging"]


def test_neighbours_are_words_that_stand_side_by_side() -> None:
    assert [term.words for term in neighbours(terms("the dark harbour wall of stone 'red boat' lamp*"))] == [
        ("dark", "harbour"),
        ("harbour", "wall"),
        ("stone", "red"),
        ("red", "boat"),
    ]


def test_words_side_by_side_count_a_little_more(git: Repository) -> None:
    tree = {
        "memory/a.md": document("One", f"{FILLER}, a harbour that is made of a long wall."),
        "memory/b.md": document("Two", f"{FILLER}, is made of a long harbour wall that."),
        "memory/c.md": document("Three", f"{FILLER}, is made of that, a long one."),
    }
    with memory_cache() as cache:
        source = refresh(cache, git, LAYOUT, commit(git, tree))
        assert order(source, "harbour wall") == ["Two", "One"]


def test_what_the_query_names_comes_first(git: Repository) -> None:
    tree = {
        "memory/a.md": document("Retry policy", "Wait longer each time.", id="a000000001"),
        "memory/b.md": document("Retry policy of the client", "Retry policy, retry policy: retry policy."),
        "memory/c.md": document("Other", "The retry policy a000000001 and memory/a."),
    }
    with memory_cache() as cache:
        source = refresh(cache, git, LAYOUT, commit(git, tree))
        for query in ("retry POLICY", "a000000001", "memory/a"):
            hits = search(source, Query(query))
            assert hits[0].record.address == "memory/a", query
            assert hits[0].score == float("inf"), query
        assert [hit.record.address for hit in search(source, Query("retry policy", kinds=("note",)))] == []
