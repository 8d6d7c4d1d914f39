"""Differences in words: nothing is lost, and they read as a person would mark them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.review.words import GONE, NEW, SAME, Piece, counted, difference, shown

TEXTS = st.text(alphabet=st.sampled_from("ab \n.,é漢字\t"), max_size=120)


@given(TEXTS, TEXTS)
def test_the_pieces_make_up_both_texts(old: str, new: str) -> None:
    pieces = difference(old, new)
    if old == new:
        assert pieces == ()
    else:
        assert "".join(piece.text for piece in pieces if piece.side != NEW) == old
        assert "".join(piece.text for piece in pieces if piece.side != GONE) == new
        assert all(piece.text for piece in pieces)
        assert all(one.side != other.side for one, other in pairwise(pieces))


@given(TEXTS, TEXTS)
def test_what_is_shown_keeps_every_change(old: str, new: str) -> None:
    pieces = difference(old, new)
    changed = [piece for piece in pieces if piece.side != SAME]
    assert [piece for piece in shown(pieces) if piece.side != SAME] == changed


@pytest.mark.parametrize(
    ("old", "new", "marked"),
    [
        ("Always retry.", "Never retry.", "[Always]{Never} retry."),
        ("Wait 2 seconds, then ask.", "Wait 30 seconds, then ask.", "Wait [2]{30} seconds, then ask."),
        ("one two three", "one three", "one [two ]three"),
        ("a b c d", "a x y d", "a [b c]{x y} d"),
        ("first\nsecond\nthird\n", "first\nthird\n", "first\n[second\n]third\n"),
        ("nothing is alike", "everything went elsewhere", "[nothing is alike]{everything went elsewhere}"),
        ("", "new", "{new}"),
        ("猫は寝る", "犬は寝る", "[猫]{犬}は寝る"),
    ],
)
def test_words_and_not_letters_are_marked(old: str, new: str, marked: str) -> None:
    marks = {GONE: "[{}]", NEW: "{{{}}}", SAME: "{}"}
    assert "".join(marks[side].format(text) for side, text in difference(old, new)) == marked


def test_long_texts_that_stay_are_cut_where_words_end() -> None:
    pieces = difference("word " * 100 + "old " + "word " * 100, "word " * 100 + "new " + "word " * 100)
    told = shown(pieces)
    assert sum(len(piece.text) for piece in told) < 160
    assert [piece.text for piece in told if piece.side != SAME] == ["old", "new"]
    assert told[0].text.startswith("…") and told[-1].text.endswith("…")


def test_counting_words() -> None:
    assert counted(difference("one two three", "one 2 three four five")) == (3, 1)
    assert counted((Piece(SAME, "all of it"),)) == (0, 0)


def test_a_huge_rewrite_is_quick_and_whole() -> None:
    old, new = " ".join(f"w{n}" for n in range(60_000)), " ".join(f"v{n}" for n in range(60_000))
    assert difference(old, new) == (Piece(GONE, old), Piece(NEW, new))
