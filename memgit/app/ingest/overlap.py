"""What records hold of a segment already.

Whether a record is about the same matter is told by the one matcher (`lint.matching`); how much of the
segment it has, by the share of key terms, each weighted by how rare it is among the records (the thresholds
of `model.overlap`). The index is asked once for each rare term of all segments together, so that the cost
follows the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from memgit.app.ingest.bodies import HELD, lines_held
from memgit.app.read.reader import CachedReader
from memgit.app.write.similar import profile_of
from memgit.cache.search import heads_of, holders
from memgit.ingest.content import Segment
from memgit.lint.alike.matching import CLOSE, Profile, likeness, profile
from memgit.model.overlap import EXTEND, advice, known_terms, telling, weighted
from memgit.model.record import Record

MAX_COMPARED = 6
"""Records that are compared with one segment: those that share the most of its rare terms."""
COMMON, FEW = 50, 50
"""One record in so many, and at least so many, may hold a term by which records are looked up."""
MAX_SHOWN = 3
"""Related records that are shown of them."""


class Match(NamedTuple):
    """A record that shares key terms with a segment.

    Attributes:
        share: how much of their weight it has, 0 to 1.
        likeness: of the one matcher, 0 to 1.
        near: it is about the same matter (close, and at least `EXTEND` of the terms), or has most of its
            lines: the segment belongs to it.
    """

    record: Record
    share: float
    likeness: float
    near: bool

    @property
    def akin(self) -> bool:
        """Whether the two should be linked."""
        return self.near or (self.share >= EXTEND and self.likeness >= EXTEND)

    @property
    def advice(self) -> str:
        return advice(self.share) if self.near else "create"


class _Known(NamedTuple):
    record: Record
    terms: set[str]
    profile: Profile


class Overlap:
    """Looks up the records that are near to segments."""

    def __init__(self, reader: CachedReader, kind: str) -> None:
        self._reader, self._kind = reader, kind
        self._heads: dict[int, Record] = {}
        self._candidates: dict[str, list[int]] = {}
        self._known: dict[int, _Known] = {}

    def prepare(self, segments: Sequence[Segment]) -> None:
        """Asks the index for all segments together."""
        if self._reader.revision is None:
            return
        most = max(FEW, self._reader.snapshot.total() // COMMON)
        wanted = {segment.id: _asked(segment) for segment in segments}
        words = sorted({word for asked in wanted.values() for word in asked})
        found = holders(self._reader.snapshot, words, self._kind, most)
        for name, asked in wanted.items():
            counts: Counter[tuple[str, int]] = Counter()
            for word in asked:
                places = found.get(word, ())
                for place in places:
                    counts[place] += 1000 // (len(places) + 5) + 1
            ranked = sorted(counts, key=lambda place: (-counts[place], place))
            self._candidates[name] = [number for _, number in ranked[:MAX_COMPARED]]
        numbers = sorted({number for some in self._candidates.values() for number in some})
        self._heads = heads_of(self._reader.snapshot, numbers)

    def of(self, source: str, segment: Segment) -> list[Match]:
        """Up to three records that share key terms with a segment, those that it belongs to first, then the
        closest; those of the same source are no news.
        """
        terms = {term.casefold() for term in segment.key_terms}
        found: list[Match] = []
        new: Profile | None = None
        for number in self._candidates.get(segment.id, ()):
            known = self._read(number)
            if known is None or (source and known.record.source == source):
                continue
            share = weighted(terms, known.terms, self._reader.rarity)
            if share <= 0:
                continue
            new = new or profile(segment.title, segment.key_terms, segment.text)
            alike = likeness(new, known.profile, self._reader.rarity)
            near = (alike >= CLOSE and share >= EXTEND) or lines_held(known.record, segment) >= HELD
            found.append(Match(known.record, share, alike, near))
        found.sort(key=lambda one: (not one.near, not one.akin, -one.likeness, one.record.address))
        return found[:MAX_SHOWN]

    def _read(self, number: int) -> _Known | None:
        if number not in self._known:
            head = self._heads.get(number)
            if head is None or head.archived:
                return None
            record = self._reader.snapshot.load(head)
            if record.problem is not None:
                return None
            self._known[number] = _Known(record, known_terms(record), profile_of(record))
        return self._known[number]


def _asked(segment: Segment) -> list[str]:
    """The terms by which records are looked up for a segment."""
    return list(
        dict.fromkeys((*(term.casefold() for term in segment.key_terms), *sorted(telling(segment.title))))
    )
