"""The formulas of health: their bounds, their thresholds, and the search for the record with most of the same
keywords.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.model import health
from memgit.model.health import Facts, Likest, Score, likest, score, store, verdict

NEW = Facts(0, None, False, 100, 0.0)

facts = st.builds(
    Facts,
    age=st.none() | st.integers(-10, 5000),
    idle=st.none() | st.integers(-10, 5000),
    used=st.booleans(),
    tokens=st.integers(0, 10**6),
    duplicate=st.floats(0, 1),
)


@pytest.mark.parametrize(
    ("found", "parts"),
    [
        (NEW, (0.0, 0.0, 0.0, 0.0, 0.0)),
        (NEW._replace(age=45), (0.4, 0.5, 1.0, 0.0, 0.0)),
        (NEW._replace(age=90), (0.55, 1.0, 1.0, 0.0, 0.0)),
        (NEW._replace(age=900), (0.55, 1.0, 1.0, 0.0, 0.0)),
        (NEW._replace(age=30), (0.1, 1 / 3, 0.0, 0.0, 0.0)),
        (NEW._replace(age=31), (0.3 * 31 / 90 + 0.25, 31 / 90, 1.0, 0.0, 0.0)),
        (NEW._replace(age=60, idle=45, used=True), (0.15, 0.5, 0.0, 0.0, 0.0)),
        (NEW._replace(age=61, idle=45, used=True), (0.06, 0.2, 0.0, 0.0, 0.0)),
        (NEW._replace(age=400, idle=200, used=True), (0.21, 0.7, 0.0, 0.0, 0.0)),
        (NEW._replace(age=400, idle=3, used=True), (0.0, 0.0, 0.0, 0.0, 0.0)),
        (NEW._replace(age=400, used=True), (0.21, 0.7, 0.0, 0.0, 0.0)),
        (NEW._replace(age=None), (0.0, 0.0, 0.0, 0.0, 0.0)),
        (NEW._replace(age=None, idle=90, used=True), (0.3, 1.0, 0.0, 0.0, 0.0)),
        (NEW._replace(age=-3), (0.0, 0.0, 0.0, 0.0, 0.0)),
        (NEW._replace(tokens=600), (0.0, 0.0, 0.0, 0.0, 0.0)),
        (NEW._replace(tokens=900), (0.1, 0.0, 0.0, 0.5, 0.0)),
        (NEW._replace(tokens=6600), (1.0, 0.0, 0.0, 10.0, 0.0)),
        (NEW._replace(duplicate=0.6), (0.15, 0.0, 0.0, 0.0, 0.6)),
    ],
)
def test_a_score_is_made_of_its_parts(found: Facts, parts: tuple[float, ...]) -> None:
    assert score(found) == pytest.approx(parts)


@pytest.mark.parametrize(
    ("found", "actions"),
    [
        (NEW, ()),
        (NEW._replace(age=90, duplicate=0.6), ("archive",)),  # 0.70
        (NEW._replace(age=90, duplicate=0.59), ("merge",)),
        (NEW._replace(age=90, duplicate=0.61), ("archive", "merge")),
        (NEW._replace(age=90, tokens=1050), ("archive", "shorten")),  # 0.70
        (NEW._replace(age=90, tokens=1049), ("shorten",)),
        (NEW._replace(age=90, tokens=700), ("shorten",)),
        (NEW._replace(age=90, tokens=700, duplicate=0.5), ("archive",)),
        (NEW._replace(age=90, tokens=660, duplicate=0.1), ("merge",)),
        (NEW._replace(age=90), ("look",)),
        (NEW._replace(age=75), ("look",)),  # 0.50, but nothing to merge with and nothing to shorten
        (NEW._replace(age=31), ("look",)),
        (NEW._replace(age=30), ()),
        (NEW._replace(duplicate=0.6), ()),
        (NEW._replace(duplicate=0.6000001), ("merge",)),
        (NEW._replace(duplicate=3 / 5), ()),
        (NEW._replace(tokens=900), ()),
        (NEW._replace(tokens=901), ("shorten",)),
        (NEW._replace(duplicate=1.0, tokens=700), ("merge",)),
    ],
)
def test_thresholds_are_met_to_the_point(found: Facts, actions: tuple[str, ...]) -> None:
    assert score(found).actions == actions


@given(facts)
def test_scores_keep_their_bounds(found: Facts) -> None:
    one = score(found)
    assert 0 <= one.score <= 1 and 0 <= one.staleness <= 1 and one.never_used in (0, 1) and one.size >= 0
    assert one.duplicate == found.duplicate
    assert set(one.actions) <= set(health.ACTIONS) and len(set(one.actions)) == len(one.actions)
    assert (one.score >= health.LOOK) <= bool(one.actions)


@given(facts, st.integers(0, 500), st.integers(0, 5000), st.floats(0, 1))
def test_more_to_complain_about_never_lowers_a_score(
    found: Facts, days: int, tokens: int, duplicate: float
) -> None:
    one = score(found).score
    assert score(found._replace(tokens=found.tokens + tokens)).score >= one
    assert score(found._replace(duplicate=max(found.duplicate, duplicate))).score >= one
    if found.idle is not None:
        assert score(found._replace(idle=found.idle + days)).score >= one
    if found.age is not None and not found.used:
        assert score(found._replace(age=found.age + days)).score >= one
        assert score(found._replace(idle=0, used=True)).score <= one


@given(
    st.lists(
        st.sampled_from(
            [(), ("archive",), ("merge",), ("shorten",), ("archive", "merge", "shorten"), ("look",)]
        )
    )
)
def test_the_health_of_a_store_falls_with_each_candidate(found: list[tuple[str, ...]]) -> None:
    whole = store(found)
    assert 0 <= whole <= 100
    assert store([*found, ("look",)]) == whole
    for actions, loss in ((("archive",), 3), (("merge",), 5), (("shorten",), 2), (("archive", "merge"), 8)):
        assert store([*found, actions]) == max(0, whole - loss) or whole == 0


@pytest.mark.parametrize(
    ("points", "word"),
    [
        (100, "healthy"),
        (80, "healthy"),
        (79, "manageable"),
        (60, "manageable"),
        (59, "concerning"),
        (40, "concerning"),
        (39, "critical"),
        (0, "critical"),
    ],
)
def test_a_store_has_a_verdict(points: int, word: str) -> None:
    assert verdict(points) == word


def test_a_score_is_rounded_where_the_sum_of_its_parts_is_not_what_it_is_on_paper() -> None:
    for tokens in range(600, 2400, 3):
        for age in (27, 45, 75, 90):
            one = score(Facts(age, None, False, tokens, 0.0))
            exact = (
                300 * min(age, 90) * 20 + (250 * 1800 if age > 30 else 0) + 600 * (tokens - 600)
            ) / 1_800_000
            assert one.score == round(min(1.0, exact), 9)


keyword_sets = st.lists(st.frozensets(st.sampled_from("abcdefghij"), max_size=5), max_size=40)


@pytest.mark.parametrize("crowd", [1, 3, 64])
@given(found=keyword_sets)
def test_the_likest_set_is_found(crowd: int, found: list[frozenset[str]]) -> None:
    """Beside the plain way of comparing each with each, however many keywords are counted together."""
    before = health.MAX_SHARING_SETS
    health.MAX_SHARING_SETS = crowd
    try:
        answers = likest(found)
    finally:
        health.MAX_SHARING_SETS = before
    for place, (mine, answer) in enumerate(zip(found, answers, strict=True)):
        shares = {
            other: len(mine & theirs) / len(mine)
            for other, theirs in enumerate(found)
            if other != place and mine
        }
        most = max(shares.values(), default=0.0)
        assert answer.share == most
        if not most:
            assert answer.place is None
            continue
        same = [other for other in shares if found[other] == mine]
        assert answer.place == min(same or [other for other in shares if shares[other] == most])


def test_no_keywords_are_no_duplicate() -> None:
    assert likest([frozenset(), frozenset(), frozenset("a")]) == [Likest(0.0, None)] * 3


def test_a_set_within_a_larger_one_is_all_there() -> None:
    assert likest([frozenset("ab"), frozenset("abcd")]) == [Likest(1.0, 1), Likest(0.5, 0)]


def test_parts_are_named_like_their_weights() -> None:
    assert set(health.WEIGHTS) == set(Score._fields) - {"score"}
    assert sum(health.WEIGHTS.values()) == pytest.approx(1.0)
