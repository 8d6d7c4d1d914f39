"""What rules look up about records other than the one at hand: names, ids, who may mention something, and
what may be alike.

`Whole` answers from the facts of all files, worked out once; an app may answer from a cache instead, so that
checking one file costs one file. Every answer about likeness is a set of candidates: rules compare for
themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations

from memgit import TYPE_CHECKING
from memgit.lint.facts import FileFacts, RecordFacts
from memgit.lint.multimap import Keyed
from memgit.model.layout import Layout
from memgit.model.link import Names, Wikilink, file_names, normal
from memgit.model.record import Record

if TYPE_CHECKING:
    from typing import Protocol, TypeAlias

    from memgit.lint.claims import Claim
else:
    Protocol = object

PAIRED = 12
"""So many words of a claim are looked up in pairs."""
EVERYWHERE = 5_000
"""A keyword that more records than this have says nothing about which of them are alike."""
REPEATED = 3
"""A sentence that so many records have word for word is compared no more: those before it have been."""


class Index(Protocol):
    """What rules may ask about all records."""

    def resolve(self, link: Wikilink, origin: str | None) -> Sequence[Record]:
        """The records that a link could mean."""

    def files(self, name: str) -> Sequence[str]:
        """The paths of files of any sort that a link could mean: the name is the path or a tail of it, with
        or without `.md`.
        """

    def spelled(self, name: str) -> str | None:
        """The name of a Markdown file that differs from another name by case alone; None where there is none."""

    def called(self, text: str) -> Iterable[Record]:
        """Records whose title is a text, or whose address ends in it, case aside; too many do no harm."""

    def holders(self, id_: str) -> Sequence[Record]:
        """The records with an identity, see `identity`."""

    def mentioning(self, names: Sequence[str]) -> Iterable[str]:
        """The paths of Markdown files whose text may hold one of the names; too many do no harm."""

    def keyword_peers(self, facts: RecordFacts, share: float) -> Iterable[RecordFacts]:
        """Records that may have that share (0 to 1) of the keywords of the smaller set."""

    def linked_keywords(self, facts: RecordFacts, crowd: int) -> Iterable[RecordFacts]:
        """Records that have a keyword in common which at most `crowd` records have."""

    def title_peers(self, facts: RecordFacts) -> Iterable[RecordFacts]:
        """Records whose titles may be like that of this one."""

    def text_peers(self, facts: RecordFacts) -> Iterable[RecordFacts]:
        """Records whose text may be nearly the same."""

    def claim_peers(self, facts: RecordFacts, claim: Claim) -> Iterable[tuple[RecordFacts, Claim]]:
        """Claims that may be about the same thing as one of a record."""


Place: TypeAlias = tuple[str, int]
"""The path of a record and its number in the file."""


def place(record: Record) -> Place:
    """Where a record stands: what tells it from any other of one corpus."""
    return (record.path, record.ordinal)


def folded(name: str) -> str:
    """A name as it is compared where case does not count."""
    return normal(name).casefold()


def last_part(name: str) -> str:
    """What stands after the last slash or hash of an address or title, folded."""
    return folded(name.rpartition("#")[2].rpartition("/")[2])


def identity(record: Record, layout: Layout) -> str | None:
    """What tells a record from any other whatever file it lies in: its id, or the key that a mirror of Mnema
    gives it.
    """
    return record.id or (record.text("key") if layout.name == "mnema" else None)


SCANS = 4
"""So many names are looked for among all paths before these are sorted by the names that they answer to."""


class FileNames:
    """The names that files of any sort answer to in links: each path without `.md`, and every tail of it; see
    `Index`.
    """

    def __init__(self, paths: Callable[[], Iterable[str]]) -> None:
        self._paths = paths
        self._asked = 0

    @cached_property
    def _tails(self) -> dict[str, list[str]]:
        tails: dict[str, list[str]] = {}
        for path in self._paths():
            for tail in file_names(path):
                tails.setdefault(normal(tail), []).append(path)
        return tails

    def files(self, name: str) -> Sequence[str]:
        wanted = normal(name.removesuffix(".md"))
        self._asked += 1
        if self._asked > SCANS:
            return self._tails.get(wanted, ())
        # A change asks for a name or two: looking through all paths for them is a tenth of sorting their tails.
        tail = f"/{wanted}"
        stems = ((path, normal(path.removesuffix(".md"))) for path in self._paths())
        return [path for path, stem in stems if stem == wanted or stem.endswith(tail)]

    @cached_property
    def _spellings(self) -> dict[str, str]:
        """Names of Markdown files by what they are where case does not count; of several spellings, that of
        the first path.
        """
        found: dict[str, str] = {}
        for path in self._paths():
            if path.endswith(".md"):
                for tail in file_names(path):
                    found.setdefault(folded(tail), tail)
        return found

    def spelled(self, name: str) -> str | None:
        return self._spellings.get(folded(name.removesuffix(".md")))


class Whole:
    """The index over all files, from their facts."""

    def __init__(
        self,
        layout: Layout,
        facts: Mapping[str, FileFacts],
        paths: Callable[[], Iterable[str]],
        texts: Callable[[str], bytes | None],
    ) -> None:
        self._layout = layout
        self._facts = facts
        self._file_names = FileNames(paths)
        self._texts = texts

    @cached_property
    def records(self) -> list[RecordFacts]:
        """Every record in the order of paths and lines."""
        return [one for facts in self._facts.values() for one in facts.records]

    @cached_property
    def names(self) -> Names:
        return Names(one.record for one in self.records)

    def resolve(self, link: Wikilink, origin: str | None) -> Sequence[Record]:
        return self.names.resolve(link, origin).candidates

    def files(self, name: str) -> Sequence[str]:
        return self._file_names.files(name)

    def spelled(self, name: str) -> str | None:
        return self._file_names.spelled(name)

    @cached_property
    def _called(self) -> dict[str, list[Record]]:
        """Records by what they may be called: the last part of the address, and the title."""
        found: dict[str, list[Record]] = {}
        for one in self.records:
            for name in {last_part(one.record.address), folded(one.record.title)}:
                found.setdefault(name, []).append(one.record)
        return found

    def called(self, text: str) -> Iterable[Record]:
        return [*self._called.get(last_part(text), ()), *self._called.get(folded(text), ())]

    @cached_property
    def _ids(self) -> dict[str, list[Record]]:
        ids: dict[str, list[Record]] = {}
        for one in self.records:
            id_ = identity(one.record, self._layout)
            if id_ is not None:
                ids.setdefault(id_, []).append(one.record)
        return ids

    def holders(self, id_: str) -> Sequence[Record]:
        return self._ids.get(id_, ())

    def mentioning(self, names: Sequence[str]) -> Iterator[str]:
        wanted = [name.encode("utf-8", "surrogateescape") for name in names]
        for path in self._facts:
            data = self._texts(path)
            if data is not None and any(name in data for name in wanted):
                yield path

    def _posted(self, words: Callable[[RecordFacts], Iterable[Hashable]]) -> dict[Hashable, list[int]]:
        """The numbers of the records by each of some words that they have."""
        found: dict[Hashable, list[int]] = {}
        for number, one in enumerate(self.records):
            for word in words(one):
                found.setdefault(word, []).append(number)
        return found

    def _shared(
        self, words: Callable[[RecordFacts], Iterable[Hashable]]
    ) -> Callable[[Hashable], Sequence[int]]:
        """What gives the numbers of the records that have a word, where more than one has it and at most
        `CROWD`.
        """
        keyed = Keyed(len(self.records))
        for number, one in enumerate(self.records):
            keyed.add(map(hash, words(one)), number)
        found = dict(keyed.crowds())
        return lambda word: found.get(keyed.cut(hash(word)), ())

    @cached_property
    def _numbers(self) -> dict[int, int]:
        """The number of each record by the identity of its facts."""
        return {id(one): number for number, one in enumerate(self.records)}

    def _number(self, facts: RecordFacts) -> int:
        """The number of a record; -1 for facts that are not of this index."""
        return self._numbers.get(id(facts), -1)

    @cached_property
    def _by_keyword(self) -> dict[Hashable, list[int]]:
        return self._posted(lambda one: one.keywords)

    def keyword_peers(self, facts: RecordFacts, share: float) -> Iterator[RecordFacts]:
        here, size = self._number(facts), len(facts.keywords)
        count: Counter[int] = Counter()
        for keyword in facts.keywords:
            holders = self._by_keyword.get(keyword, ())
            if len(holders) <= EVERYWHERE:
                count.update(holders)
        for number, shared in count.items():
            other = self.records[number]
            # Keywords that are everywhere are not counted, but may be what is missing.
            if number != here and shared >= min(3, least(min(size, len(other.keywords)), share)):
                yield other

    def linked_keywords(self, facts: RecordFacts, crowd: int) -> Iterator[RecordFacts]:
        seen: set[int] = set()
        for keyword in facts.keywords:
            holders = self._by_keyword.get(keyword, ())
            if len(holders) <= crowd:
                seen.update(holders)
        return (other for number in seen if (other := self.records[number]) is not facts)

    # Titles: two that differ in one word each are equal once that word is left out.

    @cached_property
    def _by_title(self) -> Callable[[Hashable], Sequence[int]]:
        return self._shared(lambda one: title_keys(one.title))

    def title_peers(self, facts: RecordFacts) -> Iterator[RecordFacts]:
        here = self._number(facts)
        seen: set[int] = set()
        for key in title_keys(facts.title):
            seen.update(self._by_title(key))
        return (self.records[number] for number in seen if number != here)

    @cached_property
    def _by_run(self) -> Callable[[Hashable], Sequence[int]]:
        return self._shared(lambda one: one.sketch)

    @cached_property
    def _by_digest(self) -> dict[Hashable, list[int]]:
        return self._posted(lambda one: (one.digest,) if one.digest else ())

    def text_peers(self, facts: RecordFacts) -> Iterator[RecordFacts]:
        here, by = self._number(facts), self._by_run
        count: Counter[int] = Counter()
        for run in facts.sketch:
            count.update(by(run))
        needed = len(facts.sketch)
        seen = {number for number, times in count.items() if times * 3 >= needed}
        seen.update(self._by_digest.get(facts.digest, ()) if facts.digest else ())
        return (self.records[number] for number in seen if number != here)

    # Claims: two are about one thing only where the words of one hold all words of the other, under one
    # condition. So each claim stands under its two rarest words, and those within a claim are found under the
    # pairs of its own words; those around it, by its rarest word.

    @cached_property
    def _claim_words(self) -> Counter[str]:
        return Counter(word for one in self.records for claim in one.claims for word in claim.core)

    def _rarest(self, claim: Claim, most: int) -> list[str]:
        count = self._claim_words
        return sorted(claim.core, key=lambda word: (count[word], word))[:most]

    def _distinct_claims(self) -> Iterator[tuple[RecordFacts, Claim]]:
        """Every claim with its record, but for sentences that many records repeat."""
        times: dict[str, int] = {}
        for one in self.records:
            for claim in one.claims:
                count = times[claim.text] = times.get(claim.text, 0) + 1
                if count <= REPEATED:
                    yield one, claim

    @cached_property
    def _by_claim(self) -> dict[Hashable, list[tuple[RecordFacts, Claim]]]:
        found: dict[Hashable, list[tuple[RecordFacts, Claim]]] = {}
        for one, claim in self._distinct_claims():
            key: Hashable = (frozenset(self._rarest(claim, 2)), claim.condition)
            for each in (key, *(f"={name}" for name, _ in claim.settings)):
                found.setdefault(each, []).append((one, claim))
        return found

    @cached_property
    def _by_claim_word(self) -> dict[str, list[tuple[RecordFacts, Claim]]]:
        found: dict[str, list[tuple[RecordFacts, Claim]]] = {}
        for one, claim in self._distinct_claims():
            for word in claim.core:
                found.setdefault(word, []).append((one, claim))
        return found

    def claim_peers(self, facts: RecordFacts, claim: Claim) -> Iterator[tuple[RecordFacts, Claim]]:
        yield from self.claims_within(claim)
        yield from self.claims_around(claim)

    def claims_within(self, claim: Claim) -> Iterator[tuple[RecordFacts, Claim]]:
        """Claims of which every word is in this one too, or that name the same settings; and others."""
        by = self._by_claim
        words = self._rarest(claim, PAIRED)
        for group in (*combinations(words, 2), *((word,) for word in words)):
            yield from by.get((frozenset(group), claim.condition), ())
        for name, _ in claim.settings:
            yield from by.get(f"={name}", ())

    def claims_around(self, claim: Claim) -> Iterator[tuple[RecordFacts, Claim]]:
        """Claims that hold every word of this one; and others."""
        for word in self._rarest(claim, 1):
            yield from self._by_claim_word.get(word, ())


def title_keys(title: Sequence[str]) -> list[Hashable]:
    """The words of a title as a set, and what is left of it without each of them."""
    words = frozenset(title)
    return [words, *(words - {word} for word in words if len(words) > 2)]


def least(size: int, share: float) -> int:
    """How many of so many things make that share, rounded up."""
    whole = int(size * share)
    return whole + (size * share - whole > 1e-9)
