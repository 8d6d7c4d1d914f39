"""Joins over all records: they find what comparing every pair would find, and their work does not grow with
the number of pairs.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from itertools import combinations
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.lint.alike import joins, likeness
from memgit.lint.alike.claims import Claim, of_sentence
from memgit.lint.alike.multimap import MAX_PER_KEY
from memgit.lint.alike.opposition import opposite
from memgit.lint.facts import RecordFacts
from memgit.lint.index import least
from memgit.model.record import Record
from tests.lint.support import check, corpus, memory


def made(
    number: int, keywords: frozenset[str] = frozenset(), title: str = "", text: str = "", *advice: str
) -> RecordFacts:
    record = Record("memory", f"memory/{number:05}", f"memory/{number:05}.md", title, 1, 3, 0, {}, "")
    words = likeness.words(text)
    claims = tuple(claim for sentence in advice if (claim := of_sentence(sentence)) is not None)
    return RecordFacts(
        record, 0, (), tuple(title.split()), keywords, likeness.sketch(words), likeness.digest(words), claims
    )


def always(_: RecordFacts, __: RecordFacts) -> bool:
    return True


NARROW = st.frozensets(st.sampled_from("abcdefghij"), min_size=1, max_size=7)
WIDE = st.frozensets(st.integers(0, 22).map(str), min_size=10, max_size=18)


@settings(deadline=None)
@given(
    st.one_of(
        st.lists(NARROW, min_size=2, max_size=14), st.lists(st.one_of(NARROW, WIDE), min_size=2, max_size=10)
    ),
    st.sampled_from([0.2, 0.5, 0.7, 1.0]),
    st.sampled_from([1, 2, 3]),
)
def test_keyword_pairs_are_those_of_all_comparisons(
    sets: list[frozenset[str]], share: float, fewest: int
) -> None:
    records = [made(number, keywords) for number, keywords in enumerate(sets)]
    expected = {}
    for one, other in combinations(range(len(sets)), 2):
        smaller, common = min(len(sets[one]), len(sets[other])), len(sets[one] & sets[other])
        if smaller >= fewest and common >= least(smaller, share):
            expected[one, other] = common / smaller
    found = list(joins.keyword_pairs(records, share, fewest, always, 10**6))
    assert {(one, other): overlap for one, other, overlap in found} == expected and len(found) == len(
        expected
    )


def test_a_record_with_many_keywords_finds_one_that_has_some_to_itself() -> None:
    one, other = frozenset(map(str, range(13))), frozenset(map(str, range(1, 14)))
    records = [
        made(number, keywords)
        for number, keywords in enumerate([one | {"x"}, other | {"y"}, one - {"5"} | {"z", "w"}])
    ]
    found = {(one, other) for one, other, _ in joins.keyword_pairs(records, 0.7, 3, always, 10**6)}
    assert found == {(0, 1), (0, 2), (1, 2)}
    edge = [
        frozenset("ab"),
        frozenset("abcdefghijklm"),
        frozenset("cdefghijklmno"),
        frozenset("defghijklmnp"),
    ]
    assert {(1, 2), (1, 3), (2, 3)} <= {
        pair[:2]
        for pair in joins.keyword_pairs(
            [made(n, keywords) for n, keywords in enumerate(edge)], 0.7, 3, always, 10**6
        )
    }


@given(st.lists(NARROW, min_size=2, max_size=14))
def test_whoever_is_in_a_pair_stays_in_one_when_pairs_are_few(sets: list[frozenset[str]]) -> None:
    records = [made(number, keywords) for number, keywords in enumerate(sets)]
    every = {(one, other) for one, other, _ in joins.keyword_pairs(records, 0.7, 3, always, 10**6)}
    some = {(one, other) for one, other, _ in joins.keyword_pairs(records, 0.7, 3, always, 2)}
    met = [sum(number in pair for pair in some) for number in range(len(sets))]
    assert some <= every
    assert all(met[one] >= 2 and met[other] >= 2 for one, other in every - some), (
        "only a pair of two that are in enough is left out"
    )


def is_slip(one: str, other: str) -> bool:
    return abs(ord(one) - ord(other)) == 1


@given(st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=5), min_size=2, max_size=12))
def test_title_pairs_are_those_of_all_comparisons(titles: list[list[str]]) -> None:
    records = [made(number, title=" ".join(title)) for number, title in enumerate(titles)]
    expected = set()
    for one, other in combinations(range(len(titles)), 2):
        left, right = set(titles[one]), set(titles[other])
        mine, theirs = left - right, right - left
        if (left == right and len(left) > 1) or (
            len(mine) == len(theirs) == 1 and len(left) > 2 and is_slip(*mine, *theirs)
        ):
            expected.add((one, other))
    assert list(joins.title_pairs(records, is_slip)) == sorted(expected)


def seeded(rng: random.Random, count: int) -> tuple[list[str], set[tuple[int, int]]]:
    """Texts of which one in ten is a copy of another with a few words changed; the pairs of copy and
    original.
    """
    vocabulary = [f"word{number}" for number in range(400)]
    texts: list[str] = []
    copies = set()
    for number in range(count):
        if number % 10 == 9:
            original = rng.randrange(number)
            words = texts[original].split()
            for _ in range(rng.randint(0, len(words) // 60)):
                words[rng.randrange(len(words))] = rng.choice(vocabulary)
            copies.add((original, number))
            texts.append(" ".join(words))
        else:
            texts.append(" ".join(rng.choices(vocabulary, k=rng.randint(40, 400))))
    return texts, copies


@pytest.mark.parametrize("seed", range(3))
def test_every_near_copy_of_a_seeded_set_is_found(seed: int) -> None:
    texts, copies = seeded(random.Random(seed), 400)
    records = [made(number, text=text) for number, text in enumerate(texts)]
    near = {
        pair for pair in copies if likeness.resemblance(texts[pair[0]].split(), texts[pair[1]].split()) >= 0.8
    }
    found = list(joins.text_pairs(records, 4))
    assert len(near) > 30 and near <= set(found)
    assert len(found) < 2 * len(copies), "hardly anything else is a candidate"
    files = {one.record.path: memory(f"Title {number}", texts[number]) for number, one in enumerate(records)}
    told = {(one.related[0].path, one.path) for one in check(corpus(files), "MG301")}
    assert {(records[one].record.path, records[other].record.path) for one, other in near} <= told


ADVICE = (
    "Always retry a failed upload.",
    "Never retry a failed upload.",
    "Never retry a failed upload of photos.",
    "Always retry a failed upload when it is small.",
    "Never retry a failed upload when it is small.",
    "Enable the cache on the proxy.",
    "Disable the cache on the proxy.",
    "Disable the cache.",
    "Set `pool_size` to 10.",
    "Set `pool_size` to 20 in the worker.",
    "Keep lines under 80 characters.",
    "Keep lines under 100 characters.",
    "Prefer tabs over spaces.",
    "Prefer spaces over tabs.",
)


@settings(deadline=None)
@given(st.lists(st.sampled_from(ADVICE), min_size=2, max_size=10, unique=True))
def test_claim_pairs_miss_no_opposite_pair(texts: list[str]) -> None:
    records = [made(number, frozenset(), "", "", text) for number, text in enumerate(texts)]
    found = {frozenset((one, other)) for one, _, other, _ in joins.claim_pairs(records)}
    for (one, mine), (other, theirs) in combinations(enumerate(records), 2):
        if mine.claims and theirs.claims and opposite(mine.claims[0], theirs.claims[0]):
            assert frozenset((one, other)) in found


def steps(work: Callable[[], object], module: str) -> int:
    """How many lines of a module some work runs: a measure that no other process disturbs."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        if not frame.f_code.co_filename.endswith(module):
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def crowd(count: int) -> list[RecordFacts]:
    """Records that share everything: keywords, title, words of the text, and contradict each other about one
    thing.
    """
    text = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    return [
        made(
            number,
            frozenset("abcd"),
            "Way of the gate",
            f"{text} {number}",
            f"Set `timeout` to {number} in worker {number}.",
            f"{'Never' if number % 2 else 'Always'} close gate {number} at night.",
        )
        for number in range(count)
    ]


@pytest.mark.parametrize(
    "join",
    [
        lambda records: list(joins.keyword_pairs(records, 0.7, 3, always, 4)),
        lambda records: list(joins.text_pairs(records, 4)),
        lambda records: list(joins.title_pairs(records, lambda one, other: False)),
        lambda records: list(joins.claim_pairs(records)),
    ],
    ids=["keywords", "text", "titles", "claims"],
)
def test_work_grows_with_the_records_and_not_with_their_pairs(
    join: Callable[[list[RecordFacts]], list[object]],
) -> None:
    few, many = crowd(200), crowd(800)
    assert steps(lambda: join(many), "joins.py") <= 5 * steps(lambda: join(few), "joins.py")


def test_a_crowd_is_followed_to_a_few_alone() -> None:
    assert list(joins.title_pairs(crowd(MAX_PER_KEY), is_slip)) == list(combinations(range(MAX_PER_KEY), 2))
    assert list(joins.title_pairs(crowd(MAX_PER_KEY + 1), is_slip)) == []
    records = [
        made(number, text="the very same text in every one of them, and long enough to be told")
        for number in range(100)
    ]
    pairs = list(joins.text_pairs(records, 4))
    assert {number for pair in pairs for number in pair} == set(range(100)) and len(pairs) <= 400


def test_a_claim_of_a_crowd_still_meets_one_of_the_other_sign() -> None:
    records = [
        made(number, frozenset(), "", "", f"Always retry a failed upload, part {number} of it.")
        for number in range(joins.CLAIMS + 50)
    ]
    records.append(made(len(records), frozenset(), "", "", "Never retry a failed upload."))
    opposed: list[tuple[int, Claim, int, Claim]] = [
        row for row in joins.claim_pairs(records) if len(records) - 1 in (row[0], row[2])
    ]
    assert opposed


@pytest.mark.parametrize("sizes", [(3, 5), (5, 3), (4, 4)])
def test_a_change_is_compared_with_smaller_and_larger_records(sizes: tuple[int, int]) -> None:
    """The same pairs are found whichever of two records changed, and whether all were looked at or one."""
    names = "one two three four five".split()
    files = {
        f"memory/{name}.md": memory(f"Title of {name}", "Text.", f"keywords: [{', '.join(names[:size])}]\n")
        for name, size in zip("ab", sizes, strict=True)
    }
    everything = [one.message for one in check(corpus(files), "MG301")]
    assert len(everything) == 1
    for changed in (["memory/a.md"], ["memory/b.md"], ["memory/a.md", "memory/b.md"]):
        assert len(check(corpus(files, changed=changed), "MG301")) == 1
