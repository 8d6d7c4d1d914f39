"""How much a record has to do with a message: what decides whether recall shows it at all.

A search engine always ranks something first; its scores of two queries do not compare. Relevance does: the
share of the message's stems that a record holds, weighted by rarity, and more for what stands in its title or
keywords. The numbers are fitted to `tests/app/read/judged/recall.tsv`; `tests/app/read/test_recall_judged.py`
holds them to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memgit.lint.alike.likeness import stem, words
from memgit.lint.alike.matching import profile
from memgit.model.namedtuple import NamedTuple
from memgit.model.overlap import rarity
from memgit.model.record import Record
from memgit.model.terms import STOP

FLOOR = 0.55
"""Relevance from which a record is worth showing."""
LEAST_HELD = 0.55
"""Weight of the shared stems, in rarest words, below which two texts share nothing that matters."""
UNKNOWN = 0.5
"""What a word counts that no record holds, in rarest words."""
COMMON_ASK = 0.25
"""What a word of `ASKING` counts beside another one."""
MIN_RECORDS = 100
"""Records below which what they hold says little about how rare a word is."""
_NAMED = 0.65
_TITLE = 0.2
_GROUP = 0.5
_LENGTH = 200

ASKING = frozenset(
    map(
        stem,
        """
        add adds added answer best better big change changes changed code continue different example exactly explain fail fails failed
        failing file files first fix fixes fixed function functions get give go great happen happens hello help hi idea implement issue
        keep keeps know large last let line lines long look looks make makes maybe mean means name names need needs new nice ok okay old
        one option options part perfect plan please point problem put question read request review right run runs same second see set
        short show shows simple simpler small start step steps stop sure take tell thank thanks thing things think three time times
        tried try trying two understand use used user users want wanted wants way ways work working works would write writes wrong wrote
        yes
        """.split(),
    )
)
"""Stems that ask an agent for something, or answer it, and say little about what it is about."""


class Message(NamedTuple):
    """The stems of a message with their weights, the weight of the rarest word there could be, and what any stem weighs."""

    weights: Mapping[str, float]
    rarest: float
    weight: Callable[[str], float]


def subjects(text: str) -> dict[str, str]:
    """The stems of a message that are no stop words, each with the first word that has it, in order."""
    out: dict[str, str] = {}
    for word in words(text):
        if word not in STOP and (len(word) > 1 or not word.isascii()):
            out.setdefault(stem(word), word)
    return out


def is_chatter(text: str) -> bool:
    """Whether a message speaks of nothing: thanks, agreement, a bare request to go on."""
    return all(found in ASKING or found.isdigit() for found in subjects(text))


def weighed(text: str, records: int, holders: Callable[[str], int]) -> Message:
    """A message ready to be compared.

    Args:
        records: how many there are.
        holders: how many of them hold a word.
    """
    known: dict[str, float] = {}
    records = max(records, MIN_RECORDS)
    rarest = rarity(records, 1)

    def weight(word: str) -> float:
        if word not in known:
            held = holders(word)
            known[word] = rarity(records, held) if held else UNKNOWN * rarest
        return known[word]

    found = subjects(text)
    asked = {name: weight(word) * (COMMON_ASK if name in ASKING else 1) for name, word in found.items()}
    return Message(asked, rarest, weight)


def relevance(message: Message, record: Record, group: frozenset[str]) -> float:
    """How relevant a record is; from `FLOOR` on it is worth showing.

    Args:
        record: with its text.
        group: the stems of what its category, skill or scope is called and about.
    """
    one = profile(record.title, record.keywords, record.body)
    least = 0.5 + 0.5 * sum(one.body.values()) / _LENGTH
    held = named = 0.0
    shared = 0
    for name, weight in message.weights.items():
        times = one.body.get(name, 0)
        share = 1.0 if name in one.subject else max(times / (times + least), _GROUP if name in group else 0)
        held += weight * share
        named += weight if name in one.subject else 0
        shared += share > 0
    if shared < (2 if len(message.weights) > 2 else 1) or held < LEAST_HELD * message.rarest:
        return 0.0
    title = sum(map(message.weight, one.title))
    return (
        held / sum(message.weights.values())
        + _NAMED * min(named / message.rarest, 1 / _NAMED)
        + (_TITLE * min(named / title, 1) if title else 0)
    )
