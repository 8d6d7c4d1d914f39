"""How alike two texts are: words, stems, and sketches that let many records be compared without comparing all
pairs.

A sketch holds the smallest hashes of a text's runs of four words (a bottom-k sketch: A. Broder, "On the
resemblance and containment of documents", 1997); texts that are nearly the same share most of them. Hashes
are CRC-32, so that they are the same in every process.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from zlib import crc32

from memgit.model.lazy_re import pattern
from memgit.model.terms import STOP

SKETCH = 24
LONG = 200
MIN_WORDS = 12
"""A text of fewer words is too short to call a copy of another."""

_WORD = pattern(r"[^\W_]+")
_WIDE = pattern(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_ENDINGS = ("ations", "ation", "ings", "ing", "ments", "ment", "ies", "ed", "es", "s")


class _Hashes(dict[str, int]):
    """Hashes by word; a word that is new is hashed when it is looked up, so that a text is one loop in C."""

    def __missing__(self, word: str) -> int:
        number = self[word] = crc32(word.encode("utf-8", "surrogatepass"))
        return number


_hashes = _Hashes()
_stems: dict[str, str] = {}
_MEMO = 200_000


def words(text: str) -> list[str]:
    """The words of a text in lower case; in scripts without blanks each character is one."""
    text = text.lower()
    if not text.isascii() and _WIDE.search(text):
        text = _WIDE.sub(r" \g<0> ", text)
    return _WORD.findall(text)


def stem(word: str) -> str:
    """A word without its commonest English endings: `retries`, `retrying` and `retry` are one."""
    known = _stems.get(word)
    if known is not None:
        return known
    out = word
    for ending in _ENDINGS:
        if (
            word.endswith(ending)
            and len(word) - len(ending) >= 3
            and not (ending == "s" and word.endswith(("ss", "us", "is")))
        ):
            out = word[: -len(ending)] + ("y" if ending == "ies" else "")
            break
    if len(out) > 4 and out[-1] == out[-2] and out[-1] not in "lsz":
        out = out[:-1]
    if len(out) > 3 and out[-1] == "e":
        out = out[:-1]
    if len(_stems) > _MEMO:
        _stems.clear()
    _stems[word] = out
    return out


def content(found: Iterable[str]) -> list[str]:
    """The stems of the words that carry meaning, in order."""
    return [stem(word) for word in found if word not in STOP]


def hashed(found: Sequence[str]) -> list[int]:
    """A number for each word."""
    if len(_hashes) > _MEMO:
        _hashes.clear()
    return list(map(_hashes.__getitem__, found))


def runs(found: Sequence[str]) -> set[int]:
    """The hashes of all runs of four words."""
    return _mixed(hashed(found))


def _mixed(one: Sequence[int]) -> set[int]:
    return {
        (a * 0x9E3779B1 + b * 0x85EBCA77 + c * 0xC2B2AE3D + d * 0x27D4EB2F) & 0xFFFFFFFF
        for a, b, c, d in zip(one, one[1:], one[2:], one[3:], strict=False)
    }


def sketch(found: Sequence[str]) -> tuple[int, ...]:
    """The smallest hashes of a text's runs, sorted; empty for a short text.

    In a long text only runs that begin with one of a quarter of all words count: the same ones in every text.
    """
    if len(found) < MIN_WORDS:
        return ()
    one = hashed(found)
    if len(found) < LONG:
        return tuple(sorted(_mixed(one))[:SKETCH])
    places = [place for place, number in enumerate(one[:-3]) if not number & 3]
    picked = {
        (
            one[place] * 0x9E3779B1
            + one[place + 1] * 0x85EBCA77
            + one[place + 2] * 0xC2B2AE3D
            + one[place + 3] * 0x27D4EB2F
        )
        & 0xFFFFFFFF
        for place in places
    }
    return tuple(sorted(picked)[:SKETCH])


def sketched(one: Sequence[int], other: Sequence[int]) -> float:
    """How alike two texts are, from 0 to 1, as far as their sketches tell."""
    if not one or not other:
        return 0.0
    union = sorted({*one, *other})[:SKETCH]
    return len({*one}.intersection(other, union)) / len(union)


def resemblance(one: Sequence[str], other: Sequence[str]) -> float:
    """The share of runs that two lists of words have in common, from 0 to 1."""
    left, right = runs(one), runs(other)
    return len(left & right) / len(left | right) if left and right else 0.0


def digest(found: Sequence[str]) -> int:
    """One number for a text's words in order; 0 for a short text."""
    if len(found) < MIN_WORDS:
        return 0
    text = " ".join(found).encode("utf-8", "surrogatepass")
    return crc32(text) << 32 | crc32(text, 0x5A5A5A5A)
