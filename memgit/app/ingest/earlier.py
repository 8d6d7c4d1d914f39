"""Which segment of a source that comes again gave which record before.

By equal text, by title, by likeness, then by key terms. Whether the segment or the record changed since is
told by the digests that the commit of the ingest holds (see `marks`); where neither is known, a person
decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memgit.app.ingest.bodies import Bodies
from memgit.app.ingest.homes import spellings
from memgit.app.ingest.marks import Marks, digest
from memgit.app.ingest.source import is_outside
from memgit.app.read.record_json import version_id
from memgit.ingest.content import Segment
from memgit.ingest.proposal import UNCHANGED, Item
from memgit.model import link
from memgit.model.overlap import UPDATE, overlap
from memgit.model.record import Record
from memgit.model.terms import words

LIKE = 0.5
"""The share of words that a segment and the record that it gave before must have in common where their titles
differ.
"""
LEAST = 0.2
"""The same where the titles agree, of a file outside the root."""


class Earlier:
    """Finds again what a segment became before."""

    def __init__(self, bodies: Bodies, marks: Marks) -> None:
        self._bodies, self._marks = bodies, marks

    def pairs(self, segments: Sequence[Segment], before: Sequence[Record]) -> dict[int, int]:
        """Which segment (by place) gave which record (by place); of several that could have, the likest."""
        found: dict[int, int] = {}
        free = set(range(len(before)))
        rules: tuple[Callable[[Segment, Record], float], ...] = (
            self._same_body,
            _same_title,
            _alike,
            _same_terms,
        )
        for rule in rules:
            scores = [
                (-score, place, number)
                for place, segment in enumerate(segments)
                if place not in found
                for number in free
                if (score := rule(segment, before[number])) > 0
            ]
            for _, place, number in sorted(scores):
                if place not in found and number in free:
                    found[place] = number
                    free.discard(number)
        return found

    def holder(self, segment: Segment, before: Sequence[Record]) -> Record | None:
        """The record that took the very text of a segment in, None where there is none."""
        return next((record for record in before if digest(segment.text) in self._segments_of(record)), None)

    def is_known(self, segment: Segment) -> bool:
        """Whether the very text of a segment was ever written."""
        return digest(segment.text) in self._marks.segments

    def item(self, given: Item, segment: Segment, record: Record) -> Item:
        """What is proposed for a segment that gave a record before; not screened yet."""
        item = given._replace(
            kind=record.kind,
            title=record.title,
            into=record.address,
            advice="update",
            version=version_id(record),
            overlap=1.0,
            body=self._bodies.text_for(segment, record.path),
        )
        marks = self._marks.of(record.id)
        if (
            record.archived
            or (marks is not None and digest(segment.text) in marks.segments)
            or record.body == self._bodies.stored(record, segment)
        ):
            return item._replace(action=UNCHANGED)
        if record.problem is not None and record.problem.fatal:
            return item._replace(action="skip", reason=record.problem.message)
        if marks is None:
            return item._replace(
                action="update", reason="no commit shows whether the record was edited since it was ingested"
            )
        if marks.edited or digest(record.body) != marks.body:
            return item._replace(action="update", reason="the record was edited since it was ingested")
        return item._replace(action="update")

    def _same_body(self, segment: Segment, record: Record) -> float:
        return float(
            digest(segment.text) in self._segments_of(record)
            or record.body == self._bodies.stored(record, segment)
        )

    def _segments_of(self, record: Record) -> tuple[str, ...]:
        """The digests of the segments that went into a record."""
        marks = self._marks.of(record.id)
        return () if marks is None else marks.segments


def _same_title(segment: Segment, record: Record) -> float:
    titles = {link.normal(title) for title in spellings(segment)}
    if link.normal(record.title) not in titles:
        return 0.0
    share = _shared(segment, record)
    # Of a file outside the root the name alone is known, which others may have too.
    return 1.0 + share if share >= LEAST or not is_outside(segment.source_file) else 0.0


def _alike(segment: Segment, record: Record) -> float:
    share = _shared(segment, record)
    return share if share >= LIKE else 0.0


def _shared(segment: Segment, record: Record) -> float:
    """The share of words that a segment and the text of a record have in common, 0 to 1."""
    one, other = set(words(segment.text)), set(words(record.body))
    return len(one & other) / (max(len(one), len(other)) or 1)


def _same_terms(segment: Segment, record: Record) -> float:
    share = overlap(
        {term.casefold() for term in segment.key_terms}, (word.casefold() for word in record.keywords)
    )
    return share if share > UPDATE else 0.0
