from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from memgit.model.ids import ALPHABET, LENGTH, is_id, new_id


@given(st.binary(min_size=8, max_size=8))
def test_an_id_has_ten_characters_and_starts_with_a_letter(entropy: bytes) -> None:
    made = new_id(lambda _: entropy)
    assert len(made) == LENGTH
    assert is_id(made)
    assert made[0].isalpha()
    assert not set(made) & set("ilou")


def test_every_letter_and_digit_comes_up() -> None:
    made = {char for _ in range(400) for char in new_id(os.urandom)}
    assert made == set(ALPHABET)


def test_other_texts_are_no_ids() -> None:
    for text in ("", "0123456789", "kb7m2q9x4", "kb7m2q9x4dd", "kb7m2q9x4I", "kb7m2q9x4l"):
        assert not is_id(text)
