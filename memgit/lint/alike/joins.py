"""Pairs of records that may be alike or opposed, found among all of them at once: what a run over everything
asks.

Each function is a join that never looks at all pairs. Records are numbered in the order of paths and lines; a
pair is the same whichever of the two was met first. `index` answers the same questions about a single record.

What very many records share says nothing about which of them belong together, so it is followed to a few
alone: a run of words or a title to at most `CROWD` records, a keyword to at most `EVERYWHERE`, the words of a
claim to at most `CLAIMS` claims of either sign, and a record that is in enough pairs (`most`) gets only those
that are not. That keeps the time linear in the number of records, and is all that is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations
from typing import TYPE_CHECKING, TypeAlias

from memgit.lint.alike.multimap import Keyed
from memgit.lint.facts import RecordFacts
from memgit.lint.index import EVERYWHERE, PAIRED, REPEATED, least

if TYPE_CHECKING:
    from memgit.lint.alike.claims import Claim

WIDE = 12
"""Of records with more keywords than this, not every combination of three is written down."""
CLAIMS = 64
"""So many claims of either sign about the same words are compared with another claim about them: the first
ones.
"""
PLACES = 255
"""So many words of a title may each be left out."""


# Keywords: whoever has enough of those of a smaller record has three of its rarest ones too (a prefix filter:
# Chaudhuri, Ganti, Kaushik, "A primitive operator for similarity joins", 2006), so the two meet under these
# three.


def keyword_pairs(
    records: Sequence[RecordFacts],
    share: float,
    fewest: int,
    may_pair: Callable[[RecordFacts, RecordFacts], bool],
    most: int,
) -> Iterator[tuple[int, int, float]]:
    """Pairs that have a share of the keywords of the smaller record in common, and the share (0 to 1) that
    they have.

    Args:
        share: 0 to 1.
        fewest: how many keywords the smaller record must have.
        may_pair: whether two records may be a pair at all.
        most: a record that is in so many pairs is paired only with those that are in fewer.
    """
    count = Counter(keyword for one in records for keyword in one.keywords)
    ranked = sorted((times, keyword) for keyword, times in count.items() if 1 < times <= EVERYWHERE)
    rank = {keyword: number for number, (_, keyword) in enumerate(ranked)}
    held = [sorted([rank[keyword] for keyword in one.keywords if keyword in rank]) for one in records]
    size = max(1, min(3, least(fewest, share)))
    keyed = Keyed(len(records))
    wide: dict[int, list[int]] = {}
    # By all keywords, those that nobody else has included: whoever has as many as a wide record is then found
    # among the wide ones.
    for number, mine in enumerate(held):
        if len(records[number].keywords) <= WIDE:
            keyed.add(map(hash, combinations(mine, size)), number)
        else:
            for keyword in mine:
                wide.setdefault(keyword, []).append(number)
    groups = dict(keyed.groups())
    met = [0] * len(records)
    full: set[int] = set()
    for here, one in enumerate(records):
        keywords = one.keywords
        own, needed = len(keywords), least(len(keywords), share)
        if own < fewest:
            continue
        # Those that nobody else has are the rarest of all: they come first, and nobody is found by them.
        alone = sum(count[keyword] == 1 for keyword in keywords)
        prefix = held[here][: max(0, own - needed + size - alone)]
        near: set[int] = set()
        if own <= WIDE:
            for some in combinations(prefix, size):
                near.update(groups.get(keyed.cut(hash(some)), ()))
        if wide:
            times = Counter(chain.from_iterable(wide.get(keyword, ()) for keyword in prefix))
            near.update(number for number, shared in times.items() if shared >= size)
        near.discard(here)
        for other in sorted(near if met[here] < most else near - full):
            theirs = records[other].keywords
            # Of two of one size the first finds the other.
            if len(theirs) < own or (len(theirs) == own and other < here):
                continue
            common = len(keywords & theirs)
            if (
                common < needed
                or (met[here] >= most and met[other] >= most)
                or not may_pair(one, records[other])
            ):
                continue
            for number in (here, other):
                met[number] += 1
                if met[number] >= most:
                    full.add(number)
            yield min(here, other), max(here, other), common / own


# Text: see `likeness` for sketches.


def text_pairs(records: Sequence[RecordFacts], most: int) -> Iterator[tuple[int, int]]:
    """Pairs of which the text is the same, or sketches share a third: candidates, of which only the former
    are sure.

    Args:
        most: with so many of those that come after it and have the very same text, a record is paired.
    """
    shared: list[list[list[int]]] = [[] for _ in records]
    keyed = Keyed(len(records))
    for number, one in enumerate(records):
        keyed.add(one.sketch, number)
    for _, group in keyed.crowds():
        for number in group:
            shared[number].append(group)
    equal: dict[int, list[int]] = {}
    for number, one in enumerate(records):
        if one.digest:
            equal.setdefault(one.digest, []).append(number)
    follows = {
        number: group[place + 1 : place + 1 + most]
        for group in equal.values()
        for place, number in enumerate(group)
    }
    for here, groups in enumerate(shared):
        needed = len(records[here].sketch)
        near = set(follows.get(here, ()))
        if groups and len(groups) * 3 >= needed:
            times = Counter(chain.from_iterable(groups))
            near.update(other for other, count in times.items() if other > here and count * 3 >= needed)
        for other in sorted(near):
            if other in follows.get(here, ()) or records[here].digest != records[other].digest:
                yield here, other


# Titles: two that differ in one word each are equal once that word is left out.


def title_pairs(
    records: Sequence[RecordFacts], is_slip: Callable[[str, str], bool]
) -> Iterator[tuple[int, int]]:
    """Pairs whose titles have the same words, two or more, or the same but for one in each (of three or more)
    that is a slip of the other.

    Args:
        is_slip: whether one word is another, misspelled.
    """
    words = [list(dict.fromkeys(one.title)) for one in records]
    keyed = Keyed(len(records) << 8)
    code = {word: hash(word) for mine in words for word in mine}
    for number, mine in enumerate(words):
        if len(mine) > 1:
            total = sum(code[word] for word in mine)
            keyed.add((total,), number << 8 | PLACES)
            if 2 < len(mine) <= PLACES:
                for place, word in enumerate(mine):
                    keyed.add((total - code[word],), number << 8 | place)
    known: dict[tuple[str, str], bool] = {}
    found: set[tuple[int, int]] = set()
    for _, group in keyed.crowds():
        for one, other in combinations(group, 2):
            here, there = one >> 8, other >> 8
            out, away = one & PLACES, other & PLACES
            if PLACES in (out, away):
                if out == away and set(words[here]) == set(words[there]):
                    found.add((here, there))
                continue
            pair = (words[here][out], words[there][away])
            slip = known.get(pair)
            if slip is None:
                slip = known[pair] = pair[0] == pair[1] or is_slip(*pair)
            if slip and {*words[here]} - {pair[0]} == {*words[there]} - {pair[1]}:
                found.add((here, there))
    yield from sorted(found)


# Claims: two are about one thing only where the words of one hold all words of the other, under one
# condition. So each claim stands under its two rarest words, and those within another claim are found under
# the pairs of its words.


class _Known:
    """A claim as it is compared: its record, the ranks of its words, the rarest first, and what it could
    differ in besides its sign.
    """

    __slots__ = ("claim", "condition", "number", "ranks", "shape", "words")

    def __init__(self, number: int, claim: Claim, ranks: list[int], condition: int) -> None:
        self.number, self.claim, self.ranks, self.condition = number, claim, ranks, condition
        self.words = frozenset(ranks)
        self.shape = (
            bool(claim.poles) | bool(claim.values) << 1 | bool(claim.settings) << 2 | bool(claim.order) << 3
        )


_Side: TypeAlias = tuple[list[_Known], list[_Known]]
"""Claims about some words: those that say to do something, and those that say not to."""
_NAMED = 0b1100
"""The bits of a shape that stand for settings and order: two claims that both have such a thing need not be
about the same words.
"""


def claim_pairs(records: Sequence[RecordFacts]) -> Iterator[tuple[int, Claim, int, Claim]]:
    """Claims of two records that may be opposite: candidates, most of which are not. A pair may come twice,
    from either side.

    A sentence that many records have word for word is looked at in the first `REPEATED` alone.
    """
    count = Counter(word for one in records for claim in one.claims for word in claim.core)
    rank = {word: number for number, word in enumerate(sorted(count, key=lambda word: (count[word], word)))}
    conditions: dict[tuple[str, ...], int] = {}
    known: list[_Known] = []
    times: dict[str, int] = {}
    for number, one in enumerate(records):
        for claim in one.claims:
            said = times[claim.text] = times.get(claim.text, 0) + 1
            if said <= REPEATED:
                condition = conditions.setdefault(claim.condition, len(conditions))
                known.append(_Known(number, claim, sorted([rank[word] for word in claim.core]), condition))
    table: dict[tuple[int, int], dict[int, _Side]] = {}
    named: dict[str, _Side] = {}
    for mine in known:
        if mine.ranks:
            second = mine.ranks[1] if len(mine.ranks) > 1 else -1
            _add(table.setdefault((mine.condition, mine.ranks[0]), {}).setdefault(second, ([], [])), mine)
        for name, _ in mine.claim.settings:
            _add(named.setdefault(name, ([], [])), mine)
    for mine in known:
        for other in _about(mine, table, named):
            if (
                other.number != mine.number
                and (mine.claim.sign != other.claim.sign or mine.shape & other.shape)
                and (
                    mine.shape & other.shape & _NAMED
                    or mine.words <= other.words
                    or other.words <= mine.words
                )
            ):
                yield mine.number, mine.claim, other.number, other.claim


def _add(side: _Side, one: _Known) -> None:
    same = side[one.claim.sign < 0]
    if len(same) < CLAIMS:
        same.append(one)


def _about(
    one: _Known, table: dict[tuple[int, int], dict[int, _Side]], named: dict[str, _Side]
) -> Iterator[_Known]:
    """The claims that stand under two of a claim's words, or under one alone, and those about its settings."""
    ranks = one.ranks[:PAIRED]
    sides: list[_Side] = []
    single: list[_Side] = []
    for place, first in enumerate(ranks):
        under = table.get((one.condition, first))
        if under is not None:
            sides += [under[second] for second in ranks[place + 1 :] if second in under]
            if -1 in under:
                single.append(under[-1])
    sides += single
    sides += [named[name] for name, _ in one.claim.settings]
    for does, does_not in sides:
        # A plain sentence is opposed by one of the other sign alone.
        if one.shape or one.claim.sign < 0:
            yield from does
        if one.shape or one.claim.sign > 0:
            yield from does_not
