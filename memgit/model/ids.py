"""Record ids: ten characters of Crockford's base32, the first of them a letter.

A letter comes first so that no YAML reader takes an id for a number. That leaves 22 * 32**9 ids, a little
under 2**50.
Alphabet: https://www.crockford.com/base32.html (lower case, without i, l, o, u).
"""

from __future__ import annotations

from memgit import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
LENGTH = 10
_LETTERS = ALPHABET[10:]
_CHARACTERS = frozenset(ALPHABET)


def new_id(entropy: Callable[[int], bytes]) -> str:
    """A fresh id. `entropy` gives n random bytes, such as `os.urandom`."""
    number = int.from_bytes(entropy(8), "big")
    number, first = divmod(number, len(_LETTERS))
    chars = [_LETTERS[first]]
    for _ in range(LENGTH - 1):
        number, digit = divmod(number, 32)
        chars.append(ALPHABET[digit])
    return "".join(chars)


def is_id(text: str) -> bool:
    """Whether text has the shape of an id that memgit hands out."""
    return len(text) == LENGTH and text[0] in _LETTERS and _CHARACTERS.issuperset(text)
