"""How close a new text is to a record: one measure for `record --similar`, hints, merge advice, MG301 and
ingest.

Likeness is the share of the new text's stems that the record holds, weighted by their rarity among all
records, together with the share of the record's title that the new text speaks of. A stem of the body counts
in full only where the record repeats it, with more repetitions in a longer text (BM25's saturation), so that
a long record does not hold everything by chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from memgit.lint.alike.likeness import content, words
from memgit.model.namedtuple import NamedTuple

CLOSE = 0.46
"""Likeness from which a record is close: about the same matter. See `benchmarks/likeness.py`."""
ELSEWHERE = 0.6
"""Likeness from which a record of another category or scope is taken for the same."""
SHARED = 3
"""Stems that two texts of different titles share at least to be close."""
AVERAGE = 200
"""Stems in the body of an average record."""
_TITLE = 3
"""So many times a stem of the title or keywords counts like one in the body."""
_SATURATION, _LENGTH = 0.5, 0.6
_TEXT = 0.7
"""Part of the likeness that the text gives; the title gives the rest."""
_GENERAL = 1.5
"""Weight that a title needs to say what it is about: one of common words alone says little."""

Weight = Callable[[str], float]


class Profile(NamedTuple):
    """What is compared of one text: the stems of its title, of title and keywords together, and how often each is in the body."""

    title: frozenset[str]
    subject: frozenset[str]
    body: Mapping[str, int]

    @property
    def stems(self) -> frozenset[str]:
        """All stems."""
        return self.subject.union(self.body)


def profile(title: str, keywords: Iterable[str], body: str) -> Profile:
    """The profile of a text. Those of the last texts are kept."""
    return _profile(title, tuple(keywords), body)


@lru_cache(2048)
def _profile(title: str, keywords: tuple[str, ...], body: str) -> Profile:
    named = frozenset(content(words(title)))
    return Profile(named, named.union(content(words("\n".join(keywords)))), Counter(content(words(body))))


def likeness(new: Profile, held: Profile, weight: Weight) -> float:
    """How much of a new text a record holds already, from 0 to 1.

    Args:
        weight: how much a stem counts; see `model.overlap.rarity`.
    """
    return 0.0 if _unlike(new, held) else likeness_to(new, weight)(held)


def _unlike(new: Profile, held: Profile) -> bool:
    """Whether two texts share too few stems to be close."""
    return len(new.stems & held.stems) < SHARED and not (new.title and new.title == held.title)


def likeness_to(new: Profile, weight: Weight) -> Callable[[Profile], float]:
    """The likeness of one new text to any number of records."""
    counts = {stem: weight(stem) * (2 if stem in new.subject else 1) for stem in sorted(new.stems)}
    total = sum(counts.values())

    def measure(held: Profile) -> float:
        if _unlike(new, held):
            return 0.0
        shared = [stem for stem in counts if stem in held.body or stem in held.subject]
        least = _SATURATION * (1 - _LENGTH + _LENGTH * sum(held.body.values()) / AVERAGE)
        text = 0.0
        for stem in shared:
            times = held.body.get(stem, 0) + (_TITLE if stem in held.subject else 0)
            text += counts[stem] * (times / (times + least))
        named = sum(weight(stem) for stem in sorted(held.title) if stem in counts)
        title = named / (sum(map(weight, sorted(held.title))) + _GENERAL)
        return _TEXT * (text / total) + (1 - _TEXT) * title

    return measure


def needed(new: Profile, weight: Weight) -> list[str]:
    """The heaviest stems of a new text, so many that every close record holds one of them: without any, the lighter
    ones give too little likeness, whatever the titles give.
    """
    counts = {stem: weight(stem) * (2 if stem in new.subject else 1) for stem in sorted(new.stems)}
    spare = sum(counts.values()) * (CLOSE - (1 - _TEXT)) / _TEXT
    found = sorted(counts, key=lambda stem: (counts[stem], stem))
    for place, stem in enumerate(found):
        spare -= counts[stem]
        if spare <= 0:
            return sorted(found[place:])
    return found


def is_close(share: float, same_group: bool) -> bool:
    """Whether a likeness says that two texts are about the same matter; across categories or scopes it takes more."""
    return share >= (CLOSE if same_group else ELSEWHERE)
