"""Credentials in what a review shows."""

from __future__ import annotations

import pytest

from memgit.review.masked import masked, masked_pieces, masked_value
from memgit.review.words import GONE, NEW, SAME, Piece, difference

OLD = "ghp" + "_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
NEXT = "ghp" + "_" + "Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2"


def test_a_text_without_any_is_left_as_it_is() -> None:
    text = "Set `AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE` and go on.\n"
    assert masked(text) == text and masked_value(None) is None and masked_value(("a", "b")) == ("a", "b")


def test_each_credential_gives_way_to_a_placeholder() -> None:
    assert masked(f"first {OLD}, then {NEXT}.") == "first REDACTED-GITHUB-TOKEN, then REDACTED-GITHUB-TOKEN."
    assert masked_value(("plain", OLD)) == ("plain", "REDACTED-GITHUB-TOKEN")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"The key is {OLD}.", f"The key is {NEXT}."),
        (f"The key is {OLD}.", "The key is gone."),
        ("The key is gone.", f"The key is {NEXT}, for now."),
        (f"a\nThe key is {OLD}.\nb\n", f"a\nThe new key is {OLD}.\nb\n"),
    ],
)
def test_a_difference_shows_neither_side(old: str, new: str) -> None:
    pieces = masked_pieces(difference(old, new))
    shown = "".join(piece.text for piece in pieces)
    assert OLD[4:] not in shown and NEXT[4:] not in shown and "REDACTED-GITHUB-TOKEN" in shown
    for left_out, text in ((NEW, old), (GONE, new)):
        assert "".join(piece.text for piece in pieces if piece.side != left_out) == masked(text)


def test_one_in_several_pieces_is_masked_in_each() -> None:
    pieces = (
        Piece(SAME, f"key {OLD[:20]}"),
        Piece(GONE, OLD[20:]),
        Piece(NEW, NEXT[20:]),
        Piece(SAME, " end"),
    )
    shown = masked_pieces(pieces)
    assert [piece.side for piece in shown] == [SAME, GONE, NEW, SAME] and shown[-1].text == " end"
    assert all(
        part not in "".join(piece.text for piece in shown) for part in (OLD[4:20], OLD[20:], NEXT[20:])
    )
