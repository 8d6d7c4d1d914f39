"""Keywords of a message, and whether it turns to another topic (Mem Skill, steps 1 and 2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memgit.model.lazy_re import pattern
from memgit.model.terms import key_terms

MAX_FINGERPRINT = 8
MIN_WORD_CHARACTERS = 3
"""Characters of the shortest common word that may be a keyword of a message."""
SWITCH_SHARE = 0.4
_TRANSITION = pattern(
    r"(?<![\w-])(?:switch to|by the way)(?![\w-])|(?:^|[.!?:;])[\s\"'(*-]*(?:also|next|instead)(?![\w-])",
    re.IGNORECASE,
)
"""The words with which a message turns to another topic; the last three do so at the start of a sentence only."""


def holds(text: str, keyword: str) -> bool:
    """Whether a text holds a keyword as a whole, in any case:

    `Java` is not in `JavaScript`. Scripts without blanks know no whole words.
    """
    keyword = " ".join(keyword.casefold().split())
    folded = " ".join(text.casefold().split())
    start = folded.find(keyword) if keyword else -1
    while start >= 0:
        before, after = folded[start - 1 : start], folded[start + len(keyword) : start + len(keyword) + 1]
        if _apart(before, keyword[0]) and _apart(keyword[-1], after):
            return True
        start = folded.find(keyword, start + 1)
    return False


def _apart(left: str, right: str) -> bool:
    """Whether a word may end between two characters."""
    if not left or not right or not (left.isalnum() or left == "_") or not (right.isalnum() or right == "_"):
        return True
    return ord(left) >= 0x2E80 or ord(right) >= 0x2E80


def keywords(text: str, vocabulary: Iterable[str] = ()) -> list[str]:
    """Up to eight keywords of a message, folded in case: known keywords that it holds, in their order in the
    text, then its key terms.
    """
    folded = " ".join(text.casefold().split())
    known = {" ".join(word.casefold().split()) for word in vocabulary if holds(text, word)}
    found = sorted(known, key=lambda word: (folded.find(word), word))
    for term in key_terms(text, MAX_FINGERPRINT, MIN_WORD_CHARACTERS):
        if term not in known and not any(holds(word, term) for word in known):
            found.append(term)
    return found[:MAX_FINGERPRINT]


def changed_share(now: Sequence[str], last: Sequence[str]) -> float:
    """The share (0 to 1) of the present keywords that the last turn did not have."""
    return sum(word not in last for word in now) / len(now) if now else 0.0


def switch_reason(text: str, now: Sequence[str], last: Sequence[str] | None) -> str | None:
    """Why a message turns to another topic, in words; None where it stays.

    `last` is None on the first turn of a session.
    """
    if last is None:
        return "first turn of the session"
    found = _TRANSITION.search(" ".join(text.replace("\n", " . ").split()))
    if found is not None:
        return f"it says {' '.join(re.findall('[a-z]+', found[0].lower()))!r}"
    share = changed_share(now, last)
    if now and share >= SWITCH_SHARE - 1e-9:
        return f"{share:.0%} of the keywords are new"
    return None
