"""How healthy a record is, and a store of them: the formulas of Skill Memory's distillation.

A score says how much a record gets in the way, from 0 (nothing) to 1: it was not used for long, was never
used, is long, or says what another one says. Days count from the last use, or from the making of a record
that was never used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

STALE_DAYS = 90
SETTLED_DAYS, USED_BONUS = 60, 0.3
TRIAL_DAYS = 30
GOOD_TOKENS = 600
WEIGHTS = {"staleness": 0.3, "never_used": 0.25, "size": 0.2, "duplicate": 0.25}
ARCHIVE, MERGE_OR_SHORTEN, LOOK = 0.7, 0.5, 0.3
ALWAYS_MERGE, ALWAYS_SHORTEN = 0.6, 0.5
PENALTIES = {"archive": 3, "merge": 5, "shorten": 2}
VERDICTS = ((80, "healthy"), (60, "manageable"), (40, "concerning"), (0, "critical"))
ACTIONS = (*PENALTIES, "look")
"""What may be called for: to archive a record, to merge it with another, to shorten it, or to look at it."""


MAX_SHARING_SETS = 64
"""Sets that may share a keyword before they are counted together rather than one by one."""


class Facts(NamedTuple):
    """What the score of one record is made of.

    `age` and `idle` are the days since it was made and since it was last used; both None where nothing says
    when it was made, `idle` alone where it was never used. `duplicate` is the largest share (0 to 1) of its
    keywords that one other record has.
    """

    age: int | None
    idle: int | None
    used: bool
    tokens: int
    duplicate: float


class Score(NamedTuple):
    """The score of one record and its four parts; each from 0 to 1, but for `size`, which knows no upper end."""

    score: float
    staleness: float
    never_used: float
    size: float
    duplicate: float

    @property
    def actions(self) -> tuple[str, ...]:
        """What is called for, of `ACTIONS`; nothing for a healthy record.

        A record in the band of merging or shortening that neither shares a keyword nor is long is one to look
        at: it was not used.
        """
        out = ["archive"] if self.score >= ARCHIVE else []
        between = MERGE_OR_SHORTEN <= self.score < ARCHIVE
        merge, shorten = self.duplicate * WEIGHTS["duplicate"], self.size * WEIGHTS["size"]
        if self.duplicate > ALWAYS_MERGE or (between and merge > 0 and merge >= shorten):
            out.append("merge")
        if self.size > ALWAYS_SHORTEN or (between and shorten > merge):
            out.append("shorten")
        return tuple(out) or (("look",) if self.score >= LOOK else ())


def score(facts: Facts) -> Score:
    """The score of one record.

    Staleness is the days since the last use (or the making) by 90, at most 1; a record older than 60 days
    that has been used gets 0.3 off, to 0 at least. Never used counts from the 31st day on. Size is how far it
    lies over 600 tokens, in 600 tokens.
    """
    since = facts.age if facts.idle is None else facts.idle
    staleness = min(1.0, max(0, since or 0) / STALE_DAYS)
    if facts.used and facts.age is not None and facts.age > SETTLED_DAYS:
        staleness = max(0.0, staleness - USED_BONUS)
    never = 1.0 if not facts.used and facts.age is not None and facts.age > TRIAL_DAYS else 0.0
    size = max(0.0, (facts.tokens - GOOD_TOKENS) / GOOD_TOKENS)
    parts = {"staleness": staleness, "never_used": never, "size": size, "duplicate": facts.duplicate}
    whole = sum(WEIGHTS[name] * part for name, part in parts.items())
    # Rounded, so that what comes to a threshold on paper comes to it here.
    return Score(round(min(1.0, max(0.0, whole)), 9), **parts)


def store(actions: Iterable[Sequence[str]]) -> int:
    """The health of a store, 0 to 100, from what is called for in each of its records."""
    return max(0, 100 - sum(PENALTIES.get(action, 0) for found in actions for action in found))


def verdict(health: int) -> str:
    """The word for the health of a store."""
    return next(word for least, word in VERDICTS if health >= least)


class Likest(NamedTuple):
    """Of one set of keywords: the largest share of it that one other set has, and the first place where such
    a one stands.
    """

    share: float
    place: int | None


def likest(keywords: Sequence[frozenset[str]]) -> list[Likest]:
    """For each set of keywords, the other one that has most of them: one that is the same, else the first;
    exact, and without comparing each with each.

    Sets that are the same are looked at once. A keyword of few sets is followed to them; one of many is a
    number with a bit for each set that has it, and such numbers are added up column by column, so that
    thousands of sets are counted in a few steps.
    """
    first: dict[frozenset[str], int] = {}
    second: dict[frozenset[str], int] = {}
    for place, found in enumerate(keywords):
        if first.setdefault(found, place) != place:
            second.setdefault(found, place)
    different = [found for found in first if found]
    holders: dict[str, list[int]] = {}
    for number, found in enumerate(different):
        for word in found:
            holders.setdefault(word, []).append(number)
    crowd = max(MAX_SHARING_SETS, len(different) // 1024)
    columns = {
        word: _bits(numbers, len(different)) for word, numbers in holders.items() if len(numbers) > crowd
    }
    best: dict[frozenset[str], Likest] = {}
    for number, found in enumerate(different):
        if found not in second:
            best[found] = _nearest(number, different, holders, columns, first)
    out = []
    for place, found in enumerate(keywords):
        if found and found in second:
            out.append(Likest(1.0, second[found] if first[found] == place else first[found]))
        else:
            out.append(best.get(found, Likest(0.0, None)))
    return out


def _bits(numbers: Iterable[int], size: int) -> int:
    """A number with these bits set."""
    data = bytearray(size // 8 + 1)
    for number in numbers:
        data[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(data, "little")


def _nearest(
    number: int,
    different: Sequence[frozenset[str]],
    holders: dict[str, list[int]],
    columns: dict[str, int],
    places: dict[frozenset[str], int],
) -> Likest:
    """The set that shares most keywords with one, the first of several."""
    mine = different[number]
    crowded = [columns[word] for word in mine if word in columns]
    most, nearest = _most(crowded, 1 << number)
    hits: dict[int, int] = {}
    for word in mine:
        if word not in columns:
            for other in holders[word]:
                hits[other] = hits.get(other, 0) + 1
    hits.pop(number, None)
    for other, count in hits.items():
        if count + len(crowded) >= most:
            count = len(mine & different[other]) if crowded else count  # noqa: PLW2901
            if count > most or (count == most and other < nearest):
                most, nearest = count, other
    return Likest(most / len(mine), places[different[nearest]]) if most else Likest(0.0, None)


def _most(columns: Iterable[int], own: int) -> tuple[int, int]:
    """In how many of the columns at most one bit is set, and the lowest bit that is set in so many; `own` is
    left out.
    """
    digits: list[int] = []  # of the counts, in binary: the number at place n holds digit n of all of them
    for column in columns:
        carry = column
        for rank, digit in enumerate(digits):
            digits[rank], carry = digit ^ carry, digit & carry
            if not carry:
                break
        if carry:
            digits.append(carry)
    where: int | None = None
    count = 0
    for rank in range(len(digits) - 1, -1, -1):
        digit = digits[rank] & ~own
        narrowed = digit if where is None else where & digit
        if narrowed:
            where, count = narrowed, count + (1 << rank)
    return (0, -1) if where is None else (count, (where & -where).bit_length() - 1)
