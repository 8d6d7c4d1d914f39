"""Skill Memory's thresholds at their borders."""

from __future__ import annotations

import pytest

from memgit.model.overlap import advice, overlap, rarity, telling, weighted


@pytest.mark.parametrize(
    ("share", "words"),
    [(0, "create"), (0.2999, "create"), (0.3, "extend"), (0.6, "extend"), (0.6001, "update"), (1, "update")],
)
def test_advice_by_share(share: float, words: str) -> None:
    assert advice(share) == words


def test_overlap_is_the_share_of_the_new_text() -> None:
    assert overlap({"a", "b", "c", "d"}, {"a", "x", "y", "z", "b"}) == 0.5
    assert overlap(set(), {"a"}) == 0.0


def test_rare_terms_weigh_more() -> None:
    assert rarity(1000, 1) > rarity(1000, 10) > rarity(1000, 1000) > 0
    assert rarity(1000, 0) == rarity(1000, 1)
    assert rarity(0, 0) == rarity(1, 5) == rarity(1, 1)
    counts = {"python": 500, "github": 400, "wal": 2, "pragma": 2, "checkpoint": 1}

    def weight(term: str) -> float:
        return rarity(1000, counts[term])

    assert (
        weighted(set(counts), {"python", "github"}, weight) < 0.3 < overlap(set(counts), {"python", "github"})
    )
    assert weighted(set(counts), {"wal", "pragma"}, weight) > 0.4
    assert (
        weighted(set(counts), {"wal", "pragma"}, lambda term: 1.0)
        == overlap(set(counts), {"wal", "pragma"})
        == 0.4
    )
    assert weighted(set(), {"wal"}, weight) == 0.0


def test_what_of_a_title_says_something() -> None:
    assert telling("How to use the WAL of SQLite 3") == {"wal", "sqlite"}
