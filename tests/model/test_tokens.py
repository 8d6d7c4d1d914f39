"""Tokens are counted by one rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.model.tokens import MAX_TOKEN_LENGTH, estimate, half_words, of_half_words


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("one", 1),
        ("one two three", 3),
        ("ten words are here so that one may count them", 13),
        ("x" * MAX_TOKEN_LENGTH, 1),
        ("x" * (MAX_TOKEN_LENGTH + 1), 2),
        ("x" * 300_000, 3900),
        ("知識庫", 1),
        ("知識庫的記錄都在這裡", 6),
        ("git 知識庫 memo", 4),
        ("한국어 문장 하나", 3),
    ],
)
def test_tokens_of_a_text(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@given(st.text(alphabet="ab \n\tß知\u3000", max_size=200))
def test_lines_add_up(text: str) -> None:
    assert sum(half_words(line) for line in text.split("\n")) == half_words(text)
    assert of_half_words(half_words(text)) == estimate(text)


@given(st.text(alphabet=st.characters(max_codepoint=0x2FF), max_size=MAX_TOKEN_LENGTH))
def test_ordinary_text_counts_words_times_1_3(text: str) -> None:
    assert estimate(text) == int(len(text.split()) * 1.3)
