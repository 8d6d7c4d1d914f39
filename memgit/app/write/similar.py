"""Records close to a new one, by the measure of `lint.alike.matching`."""

from __future__ import annotations

from collections.abc import Sequence

from memgit import TYPE_CHECKING
from memgit.app.read.reader import Reader
from memgit.cache.rows import group_of
from memgit.formats.links import untargeted
from memgit.lint.alike.matching import CLOSE, ELSEWHERE, Profile, is_close, likeness_to, needed, profile
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Record, Value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MAX_SHOWN = 3
MAX_STEMS = 40
"""Stems of a new text that are looked up: those of title and keywords, then those that the body repeats."""


class Close(NamedTuple):
    """A close record, and how much of the new text it holds already (0 to 1, see `lint.alike.matching`)."""

    record: Record
    share: float

    @property
    def advice(self) -> str:
        """`update` where the two seem to say the same, else `extend`."""
        return "update" if self.share >= ELSEWHERE else "extend"

    def as_json(self) -> dict[str, Any]:
        return {
            "address": self.record.address,
            "path": self.record.path,
            "line": self.record.line,
            "likeness": round(self.share, 2),
            "advice": self.advice,
        }


def close_records(
    reader: Reader, kind: str, title: str, body: str, fields: Mapping[str, Value], group: str | None
) -> list[Close]:
    """Records of the same kind about the same matter as a new text, the closest first, three at most.

    Args:
        group: category, scope or folder of the new record, where it is known; a record elsewhere has to be
            closer.
    """
    given = fields.get("keywords") or fields.get("topics") or ()
    keywords = (given,) if isinstance(given, str) else given
    new = _bounded(profile(title, keywords, _prose(body)))
    if not new.stems:
        return []
    found: list[Close] = []
    measure = likeness_to(new, reader.rarity)
    for record in reader.similar_candidates(kind, needed(new, reader.rarity)):
        share = 0.0 if record.archived else measure(profile_of(record))
        if share >= CLOSE and is_close(share, group is None or group_of(record) == group):
            found.append(Close(record, share))
    found.sort(key=lambda close: (-close.share, close.record.address))
    return found[:MAX_SHOWN]


def _prose(body: str) -> str:
    """A text without the targets of its links: a record that it links to is none that it repeats."""
    if "[" not in body:
        return body
    return untargeted(body)


def profile_of(record: Record) -> Profile:
    """The profile of a record."""
    text = "\n".join(text for name in ("context", "description", "summary") if (text := record.text(name)))
    return profile(record.title, (*record.keywords, *record.topics), f"{text}\n{record.body}")


def hint(close: Sequence[Close]) -> str | None:
    """What to tell somebody who recorded something that is close to other records; None where nothing is."""
    if not close:
        return None
    first = close[0]
    others = f" and {len(close) - 1} more" if len(close) > 1 else ""
    return (
        f"{first.record.address} ({first.record.path}:{first.record.line}) is about the same matter{others}: "
        f"memgit {first.advice} it, or memgit merge-records, where they say the same"
    )


def _bounded(new: Profile) -> Profile:
    """A profile with no more stems than are looked up."""
    rest = sorted(set(new.body) - new.subject, key=lambda stem: (-new.body[stem], stem))
    kept = new.subject.union(rest[: max(0, MAX_STEMS - len(new.subject))])
    return new._replace(body={stem: count for stem, count in new.body.items() if stem in kept})
