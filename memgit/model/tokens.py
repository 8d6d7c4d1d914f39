"""How many tokens a text has, by the one rule that memgit counts with everywhere.

A text has 1.3 tokens a word, rounded down. A word is a run of characters between blanks, with two exceptions
for which that says nothing: two characters of a script that is written without blanks (Chinese, Japanese,
Thai, Lao, Khmer, Burmese) count as a word, and a run longer than `MAX_TOKEN_LENGTH` characters (encoded data, a
minified line) as one word for every `MAX_TOKEN_LENGTH` characters begun.
"""

from __future__ import annotations

from memgit.model.lazy_re import pattern

RATE = 1.3
MAX_TOKEN_LENGTH = 100
_WIDE = pattern(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def half_words(text: str) -> int:
    """Twice the number of words: a whole number that adds up over the lines of a text."""
    wide = 0
    if not text.isascii():
        text, wide = _WIDE.subn(" ", text)
    words = text.split()
    count = len(words)
    if len(text) > MAX_TOKEN_LENGTH and words and max(map(len, words)) > MAX_TOKEN_LENGTH:
        count += sum((len(word) - 1) // MAX_TOKEN_LENGTH for word in words)
    return 2 * count + wide


def of_half_words(count: int) -> int:
    """The tokens of so many half words."""
    return int(count / 2 * RATE)


def estimate(text: str) -> int:
    """The tokens of a text."""
    return of_half_words(half_words(text))
