"""How much of a new text a record holds already, and what to do then: Skill Memory's thresholds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import log

from memgit.model.record import Record
from memgit.model.terms import STOP, words

UPDATE = 0.6
EXTEND = 0.3


def overlap(terms: set[str], known: Iterable[str]) -> float:
    """The share (0 to 1) of the key terms of a new text that are known; 0 where it has none."""
    return len(terms.intersection(known)) / len(terms) if terms else 0.0


def weighted(terms: set[str], known: Iterable[str], weight: Callable[[str], float]) -> float:
    """The same where terms do not count alike."""
    total = sum(map(weight, sorted(terms)))
    return sum(map(weight, sorted(terms.intersection(known)))) / total if total else 0.0


def rarity(records: int, holding: int) -> float:
    """What a term counts that so many of all records hold: the inverse document frequency of BM25, `log(1 +
    (N - n + 0.5) / (n + 0.5))`. One that none holds counts as much as one that a single record holds.
    """
    records = max(records, 1)
    holding = min(max(holding, 1), records)
    return log(1 + (records - holding + 0.5) / (holding + 0.5))


def telling(title: str) -> set[str]:
    """The words of a title that say something: folded in case, stop words and numbers out."""
    return {word for word in words(title) if word not in STOP and not word.isdigit()}


def known_terms(record: Record) -> set[str]:
    """The words of a record that key terms are looked for among: those of title, text and keywords, folded in
    case.
    """
    return {*words(record.title), *words(record.body), *(keyword.casefold() for keyword in record.keywords)}


def advice(share: float) -> str:
    """`update` over 60 %, `extend` from 30 %, else `create`."""
    return "update" if share > UPDATE else "extend" if share >= EXTEND else "create"
