"""The one measure of likeness: on pairs of the benchmark's own texts, and on what must never count as close."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.lint.alike.matching import CLOSE, ELSEWHERE, is_close, likeness, needed, profile
from memgit.model.overlap import rarity

PAIRS = Path(__file__).parents[3] / "benchmarks" / "likeness_pairs.txt"


def texts() -> list[tuple[str, str, str, str]]:
    """Sign, path, title and text of each pair."""
    lines = [line for line in PAIRS.read_text().splitlines() if line and not line.startswith("#")]
    return [(line[2], *(part.strip() for part in line[4:].split("|", 2))) for line in lines]  # type: ignore[misc]


def weights() -> dict[str, float]:
    """How much each stem of the texts counts among them."""
    found = [profile(title, (), text).stems for _, _, title, text in texts()]
    holding = Counter(stem for stems in found for stem in stems)
    return {stem: rarity(len(found), number) for stem, number in holding.items()}


def test_a_text_is_close_to_itself_and_to_no_other_of_its_neighbours() -> None:
    known = weights()
    made = {title: profile(title, (), text) for _, _, title, text in texts()}
    for title, one in made.items():
        assert likeness(one, one, known.__getitem__) > ELSEWHERE
        close = [
            other for other, held in made.items() if is_close(likeness(one, held, known.__getitem__), True)
        ]
        assert close == [title]


REWORDED = (
    profile(
        "Retry requests that time out",
        ["http", "retry"],
        "Wait twice as long after each timeout; stop after five tries.",
    ),
    profile(
        "Back off when an HTTP request times out",
        ["http"],
        "Retry a request after a timeout, doubling the wait, five tries at most.",
    ),
)


def test_a_reworded_text_is_close_both_ways() -> None:
    one, other = REWORDED
    assert likeness(one, other, lambda _: 3.0) > 0.46
    assert likeness(other, one, lambda _: 3.0) > 0.46


@pytest.mark.parametrize("keyword", ["grep", "git"])
def test_one_shared_keyword_is_never_enough(keyword: str) -> None:
    new = profile("List files that do not contain a pattern", [keyword], "Use -L to print the names.")
    held = profile("Colour the output", [keyword], "Set the option in the shell profile.")
    assert likeness(new, held, lambda _: 9.0) == 0.0


def test_texts_without_a_shared_word_are_not_alike_at_all() -> None:
    assert likeness(profile("a", (), ""), profile("b", (), ""), lambda _: 1.0) == 0.0
    assert likeness(profile("", (), ""), profile("", (), ""), lambda _: 1.0) == 0.0


def test_across_groups_it_takes_more() -> None:
    assert is_close(0.5, True) and not is_close(0.5, False) and is_close(0.65, False)


WORDS = st.lists(
    st.sampled_from("queue canary drain lag table worker index cold retry shard".split()), max_size=12
)


@given(WORDS, WORDS, WORDS, WORDS, st.lists(st.floats(0.1, 9), min_size=10, max_size=10))
def test_a_close_record_holds_a_needed_stem(
    title: list[str], body: list[str], other_title: list[str], other_body: list[str], rarities: list[float]
) -> None:
    new, held = (profile(" ".join(a), (), " ".join(b)) for a, b in ((title, body), (other_title, other_body)))
    known = dict(zip(sorted(new.stems | held.stems), rarities, strict=False))
    some = needed(new, known.__getitem__)
    assert set(some) <= new.stems
    if likeness(new, held, known.__getitem__) >= CLOSE:
        assert held.stems.intersection(some)


def test_common_stems_are_not_needed() -> None:
    new = profile("Drain the queue", (), "the common words drain queue and rare zebra")
    weight = {"zebra": 9.0, "common": 0.5}
    assert "common" not in needed(new, lambda stem: weight.get(stem, 3.0))
