"""Records close to a new one, by Skill Memory's overlap: shared key terms over key terms of the new text."""

from __future__ import annotations

from collections.abc import Iterable

from memgit import TYPE_CHECKING
from memgit.app.read.reader import Reader
from memgit.model import overlap as overlaps
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Record
from memgit.model.terms import key_terms

if TYPE_CHECKING:
    from memgit.app.write.record import Request

UPDATE = overlaps.UPDATE
EXTEND = overlaps.EXTEND
MAX_SHOWN = 3


class Close(NamedTuple):
    """A close record and the share (0 to 1) of the new text's terms that it holds."""

    record: Record
    overlap: float

    @property
    def advice(self) -> str:
        """What the thresholds recommend: `update` over 60 %, `extend` from 30 %, else `create`."""
        return overlaps.advice(self.overlap)


def close_records(reader: Reader, request: Request) -> list[Close]:
    """Records of the same kind that share at least 30 % of the new text's key terms, the closest first, three
    at most.
    """
    terms = terms_of(request.title, request.body, request.fields.get("keywords") or ())
    if not terms:
        return []
    found = []
    for record in reader.similar_candidates(request.kind, terms):
        if record.archived:
            continue
        overlap = overlaps.overlap(terms, overlaps.known_terms(record))
        if overlap >= EXTEND:
            found.append(Close(record, overlap))
    found.sort(key=lambda close: (-close.overlap, close.record.address))
    return found[:MAX_SHOWN]


def terms_of(title: str, body: str, keywords: Iterable[str] | str) -> set[str]:
    """The key terms of a new text: its keywords where given, else those of title and body."""
    given = {keyword.casefold() for keyword in ([keywords] if isinstance(keywords, str) else keywords)}
    return given or set(key_terms(f"{title}\n{title}\n{body}"))
