"""Pseudo-relevance feedback: the words that the best records share say more about what was asked for.

The numbers were chosen on the development collections of `benchmarks/search_quality.py`; `docs/search.md` has
what was tried. All of it depends on the records of the snapshot alone.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from contextlib import closing
from functools import lru_cache

from memgit import TYPE_CHECKING
from memgit.cache.scores import Counts, weight
from memgit.cache.tokens import STOP_WORDS, TOKENIZER, Term, fold, single, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memgit.cache.scores import Counted

RECORDS = 5
"""Records that are believed to be right: the first ones. With fewer hits there is no feedback."""
KEPT = 3
"""Records at the front that stay where they are."""
TERMS = 20
"""Words that are added to the query."""
SHARE = 0.5
"""How much they count together, as a part of what the words of the query count together."""
MIN_QUERY = 3
"""Words of a query from which on there is feedback."""
POOL = 1_000
"""Records that are put in a new order: the best ones."""
MAX_WORDS = 60
"""Different words of one record that are looked at."""
MAX_PART = 0.05
"""Part of all records above which a word that they hold says too little."""
MAX_STEMS = 20_000
"""Words whose stems a process keeps in memory."""
_STEMS: dict[str, list[str]] = {}
MAX_TEXT = 3_000
"""Characters of a record that are looked at."""


def eligible(wanted: Sequence[Term]) -> bool:
    """Whether a query gains from feedback: not one with phrases or beginnings of words, nor a short one."""
    return len(wanted) >= MIN_QUERY and not any(term.required or term.prefix for term in wanted)


def expansion(
    counts: Counts, records: int, wanted: Sequence[Term], texts: Sequence[tuple[str, float]]
) -> list[Counted]:
    """The words to be added to a query, with the number of records that hold each.

    Args:
        records: how many there are in the snapshot.
        wanted: the terms of the query.
        texts: the best records' text and score.
    """
    limit = int(records * MAX_PART)
    if limit < 2:
        return []
    best = max(score for _, score in texts) or 1.0
    words = [_words(text) for text, _ in texts]
    stems = _stems({word.casefold() for term in wanted for word in term.words}.union(*words))
    asked = {stem for term in wanted for word in term.words for stem in stems.get(word.casefold(), ())}
    share: dict[str, float] = defaultdict(float)
    word_of: dict[str, str] = {}
    for some, (_, score) in zip(words, texts, strict=True):
        for stem in {stem for word in some for stem in stems.get(word, ())} - asked:
            share[stem] += score / best
        for word in some:
            for stem in stems.get(word, ()):
                word_of.setdefault(stem, word)
    found: list[tuple[float, str, int]] = []
    for stem, part in share.items():
        holders = counts.at_most(single(word_of[stem]).match, limit)
        if 2 <= holders <= limit:
            found.append((part * weight(records, holders), stem, holders))
    found = sorted(found, key=lambda one: (-one[0], one[1]))[:TERMS]
    total = sum(worth for worth, *_ in found)
    whole = SHARE * sum(term.weight for term in wanted)
    return [
        (single(word_of[stem])._replace(weight=whole * worth / total), holders)
        for worth, stem, holders in found
    ]


@lru_cache(512)
def _words(text: str) -> list[str]:
    """The first different words of a text that say something, folded."""
    out: dict[str, None] = {}
    for word in words_of(fold(text[:MAX_TEXT])):
        low = word.casefold()
        if low not in STOP_WORDS:
            out[low] = None
            if len(out) == MAX_WORDS:
                break
    return list(out)


def _stems(words: Iterable[str]) -> dict[str, Sequence[str]]:
    """The stems of each of some words, as the tokenizer of the index gives them: one, for most words."""
    listed = list(words)
    new = [word for word in listed if word not in _STEMS]
    if len(_STEMS) + len(new) > MAX_STEMS:
        _STEMS.clear()
        new = listed
    if new:
        _STEMS.update({word: [] for word in new})
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
            database.execute(f'create virtual table words using fts5(word, tokenize="{TOKENIZER}")')
            database.execute("create virtual table stems using fts5vocab(words, instance)")
            database.execute("begin")
            database.executemany("insert into words(rowid, word) values (?, ?)", enumerate(new))
            for stem, row in database.execute("select term, doc from stems"):
                _STEMS[new[row]].append(stem)
    return {word: _STEMS[word] for word in listed}
