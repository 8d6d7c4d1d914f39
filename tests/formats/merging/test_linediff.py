"""The comparison of lines under every merge."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.formats.merging.linediff import matching
from tests.support import examples

lines = st.lists(st.sampled_from("abcdef"), max_size=14) | st.lists(
    st.integers(0, 20).map(str), max_size=14, unique=True
)


@settings(max_examples=examples(400))
@given(lines, lines)
def test_stretches_are_equal_and_in_order(a: list[str], b: list[str]) -> None:
    position = (0, 0)
    before = (-1, -1)
    for i, j, n in matching(a, b):
        assert n > 0
        assert i >= position[0] and j >= position[1]
        assert (i, j) != before  # two stretches that touch are one
        assert a[i : i + n] == b[j : j + n]
        position = before = (i + n, j + n)


@given(lines)
def test_equal_texts_are_one_stretch(a: list[str]) -> None:
    assert matching(a, list(a)) == ([(0, 0, len(a))] if a else [])


@given(lines, lines, st.integers(0, 14))
def test_what_is_only_put_in_leaves_all_else(a: list[str], more: list[str], place: int) -> None:
    place = min(place, len(a))
    b = a[:place] + more + a[place:]
    assert sum(n for _, _, n in matching(a, b)) == len(a)


def test_an_insertion_is_found_as_far_down_as_it_goes() -> None:
    a = ["x", "", "y", "z"]
    alone = matching(a, ["x", "", "new", "", "y", "z"])
    with_another = matching(a, ["x", "", "new", "", "y", "Z"])
    assert alone == [(0, 0, 2), (2, 4, 2)]
    assert with_another[:2] == [(0, 0, 2), (2, 4, 1)]


def test_rare_lines_split_what_is_too_different_for_a_shortest_edit() -> None:
    a = [f"a{n}" for n in range(200)] + ["same", "same"] + [f"b{n}" for n in range(200)]
    b = [f"c{n}" for n in range(200)] + ["same", "same"] + [f"d{n}" for n in range(200)]
    assert matching(a, b) == [(200, 200, 2)]


SHUFFLED = [str(n) for n in range(10_000)]
random.Random(1).shuffle(SHUFFLED)
HOSTILE = {
    "one line again and again": (["a"] * 20_000, ["a"] * 9_000 + ["b"] + ["a"] * 11_000),
    "two lines at random": (
        [random.Random(1).choice("ab") for _ in range(5_000)],
        [random.Random(2).choice("ab") for _ in range(5_000)],
    ),
    "shuffled": ([str(n) for n in range(10_000)], SHUFFLED),
    "pairs backwards": ([str(n // 2) for n in range(8_000)], [str(n // 2) for n in range(8_000)][::-1]),
    "nothing in common": (["a"] * 10_000, ["b"] * 10_000),
}


@pytest.mark.parametrize(("a", "b"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_take_bounded_time(a: list[str], b: list[str]) -> None:
    start = time.process_time()
    matching(a, b)
    assert time.process_time() - start < 5
