"""Where a new record goes, and what it is called there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, count

from memgit.app.ingest.overlap import Match
from memgit.app.read.reader import CachedReader
from memgit.app.write.record import DEFAULT_CATEGORY
from memgit.ingest.content import FileMap, Segment
from memgit.ingest.plain import shortened, standing_alone
from memgit.ingest.proposal import Category, Item
from memgit.ingest.segments import MAX_TITLE, has_folder, stem_of
from memgit.ingest.subject import is_generic
from memgit.model import link
from memgit.model.kinds import KINDS
from memgit.model.layout import Place
from memgit.model.overlap import telling
from memgit.model.record import Record
from memgit.model.slug import slug
from memgit.model.topic import holds

MIN_TELLING = 3
"""Words that say something, from which a title of an export's text stands alone."""
MIN_CATEGORY_KEYWORDS = 2
"""Keywords of a category that a document must speak of to go there."""


class Homes:
    """Chooses groups and titles for new records of one place."""

    def __init__(self, reader: CachedReader, place: Place, wanted: str | None) -> None:
        self._reader, self._place, self._wanted = reader, place, wanted
        self._entry = KINDS[place.kind].stored == "entry"
        self._groups = {name.casefold(): name for name in reader.snapshot.groups(place.kind)}
        self._keywords = self._category_keywords() if place.kind == "knowledge" else {}
        self._titles: dict[str, set[str]] = {}
        self._by_file: dict[str, str] = {}

    def _category_keywords(self) -> dict[str, tuple[str, ...]]:
        """Each category with the keywords that it names itself."""
        out = {}
        for _, key, meta in self._reader.snapshot.metas("knowledge"):
            found = meta.get("keywords")
            out[key] = (found,) if isinstance(found, str) else tuple(found or ())
        return out

    def settled(self, item: Item, file: FileMap, segment: Segment, found: Sequence[Match]) -> Item:
        """The item as a new record, with its group and a title that is free there."""
        group = self.group(file, segment, found)
        taken = self._taken(group)
        several = (f"{segment.title} ({number})" for number in count(2))
        title = next(
            one
            for one in chain(spellings(segment), several)
            if link.normal(one) not in taken and self._free(group, one)
        )
        taken.add(link.normal(title))
        return item._replace(action="create", group=group, title=title)

    def group(self, file: FileMap, segment: Segment, found: Sequence[Match]) -> str:
        """The category of knowledge: that of a record about the same matter, else the one of the whole
        document. Other kinds go without scope or folder.
        """
        if self._wanted is not None:
            return self._groups.get(self._wanted.casefold(), self._wanted)
        if self._place.kind != "knowledge":
            return ""
        if found and found[0].near:
            return found[0].record.address.partition("/")[2].partition("#")[0]
        whole, _, part = file.path.partition("#")
        if whole not in self._by_file:
            if part:  # one of many texts of an export
                stem = stem_of(whole)
                file = file._replace(about="" if is_generic(stem) else stem)
            self._by_file[whole] = self._of_document(file)
        return self._by_file[whole]

    def _of_document(self, file: FileMap) -> str:
        """The category of a document: one that is named like its folder or its subject, else one whose
        keywords it speaks of, else a new one of the name.
        """
        first = file.segments[0]
        names = [slug(part) for part in first.topic.split("/") if part] if has_folder(first) else []
        about = slug(file.about) if file.about else ""
        for name in (*names, about):
            if name in self._groups:
                return self._groups[name]
        terms = dict.fromkeys(term for segment in file.segments for term in segment.key_terms)
        scores = [
            (len({one for one in own if any(holds(term, one) for term in terms)}), key)
            for key, own in self._keywords.items()
        ]
        score, best = max(scores, default=(0, ""))
        own = self._keywords.get(best, ())
        # One that is about something of its own goes where that is spoken of, or most of what is.
        near = not (about or names) or score * 2 > len(own) or any(holds(one, file.about) for one in own)
        if near and score >= (MIN_CATEGORY_KEYWORDS if about or names else 1):
            return best
        return next((name for name in (*names, about) if name), DEFAULT_CATEGORY)

    def topic(self, segment: Segment, record: Record) -> str:
        """The topic of a segment that goes into a record: where no folder tells it, that of the record."""
        if has_folder(segment):
            return segment.topic
        if record.topics:
            return record.topics[0]
        group = record.address.partition("/")[2].partition("#")[0] if self._entry else ""
        return group or segment.topic

    def categories(self, items: Sequence[Item]) -> tuple[Category, ...]:
        """The categories that a proposal would make, named and keyworded."""
        if self._place.kind != "knowledge":
            return ()
        counts: dict[str, dict[str, int]] = {}
        for item in items:
            if (
                item.group
                and item.group.casefold() not in self._groups
                and item.action in ("create", "skip")
                and not item.stopped
            ):
                words_of = counts.setdefault(item.group, {})
                for term in item.keywords:
                    words_of[term] = words_of.get(term, 0) + 1
        used = {item.group for item in items if item.action == "create"}
        return tuple(
            Category(key, named(key), tuple(sorted(terms, key=lambda term: (-terms[term], term))[:5]))
            for key, terms in sorted(counts.items())
            if key in used
        )

    def _free(self, group: str, title: str) -> bool:
        """Whether no document of that title lies where one would be made."""
        if self._entry:
            return True
        name = slug(title, ascii_only=self._place.form == "vault")
        records = self._reader.file(self._place.path(f"{group}/{name}" if group else name)).records
        return not records or link.normal(records[0].title) != link.normal(title)

    def _taken(self, group: str) -> set[str]:
        """The titles of the records of a group."""
        if group not in self._titles:
            records = self._reader.file(self._place.path(group)).records if self._entry and group else ()
            self._titles[group] = {link.normal(record.title) for record in records}
        return self._titles[group]


def spellings(segment: Segment) -> list[str]:
    """Titles for a segment, the best first: with what the document is about, its own, with what it is under,
    with its file.
    """
    stem = stem_of(segment.source_file)
    above = [f"{title}: {segment.title}" for title in segment.context[-1:]]
    # A text of an export that says little is told from others by the export.
    export, part, _ = segment.source_file.partition("#")
    says_little = part and len(telling(segment.title)) < MIN_TELLING
    subject = stem_of(export) if says_little else segment.subject
    alone = [standing_alone(one, subject) for one in (segment.title, *above)]
    room = MAX_TITLE - len(stem) - 3
    return [
        *(shortened(one, MAX_TITLE) for one in (*alone, segment.title)),
        f"{shortened(segment.title, room)} ({stem})"[:MAX_TITLE],
    ]


def named(key: str) -> str:
    """The display name of a category."""
    words_of = key.rpartition("/")[2].replace("_", "-").split("-")
    return " ".join(word[:1].upper() + word[1:] for word in words_of if word) or key
