"""From the map of a source to a proposal: what each segment is to become, in view of the records that are
there.

Overlap is looked up by full-text search, so its cost follows the source and not the number of records. A key
term counts by how rare it is among the records, and a text belongs to a record only where it also speaks of
what that one is about: words that half of all records hold make no two of them alike. Where a source comes
again, each of its segments is matched with the record that it gave before: by equal text, by title, by
likeness, then by key terms. Whether the segment or the record changed since is told by the digests that the
commit of the ingest holds (see `ingest_marks`); where neither is known, a person decides.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, count
from typing import NamedTuple

from memgit.app.ingest.marks import Marks, digest
from memgit.app.ingest.source import Skipped, Source, Text
from memgit.app.read.reader import CachedReader, TreeFiles
from memgit.app.read.record_json import version_id
from memgit.app.workspace import Workspace
from memgit.app.write.record import DEFAULT_CATEGORY
from memgit.cache.search import Query, from_source, holding, search
from memgit.errors import BadInput, MemgitError
from memgit.formats.blocks import conflict_markers, outline
from memgit.formats.codec import Draft
from memgit.formats.codecs import FORMS, parse_file
from memgit.formats.messages.message import cut
from memgit.ingest.content import FileMap, Segment, numbered
from memgit.ingest.filetypes import language
from memgit.ingest.plain import standing_alone
from memgit.ingest.proposal import UNCHANGED, Candidate, Category, File, Item, Proposal
from memgit.ingest.rewrite import relinked
from memgit.ingest.scoring import boilerplate, chosen
from memgit.ingest.segments import MAX_TITLE, Given, map_text, stem_of
from memgit.lint import hidden, secrets
from memgit.model import link
from memgit.model.kinds import KINDS
from memgit.model.layout import Place
from memgit.model.overlap import (
    AGREED,
    EXTEND,
    SAME_SUBJECT_THRESHOLD,
    UPDATE,
    advice,
    known_terms,
    overlap,
    rarity,
    subject,
    telling,
    weighted,
)
from memgit.model.record import Record
from memgit.model.slug import slug
from memgit.model.terms import words
from memgit.model.topic import holds

LOOKED = 12
"""Records that full-text search brings up for one segment."""
COMMON, FEW = 50, 50
"""One record in so many, and at least so many, may hold a key term by which records are looked up, where
there are enough such terms.
"""
SHOWN = 3
"""Related records that are shown of them."""
LIKE = 0.5
"""The share of words that a segment and the record that it gave before must have in common where their titles
differ.
"""
HELD = 0.5
"""The share of a segment's lines that a record holds already from which a person decides whether the rest
belongs there too.
"""
UNSEEN = {
    "comment": "hidden text in it speaks to an agent:",
    "bidi": "it turns the direction of text:",
    "tags": "it holds hidden text:",
}
"""Kinds of hidden text that nobody should record unseen, in words."""
MAX_SUBJECT_WORDS = 3
"""Words of a document's title up to which it names a category."""
KEPT_FILES = 500
"""Files of records that are kept while a source is looked through."""
DEFAULT_KINDS = ("knowledge", "memory", "note")


class Wishes(NamedTuple):
    """What the user said about the records to make.

    `kind` None is the first of `DEFAULT_KINDS` that the layout has.
    """

    kind: str | None = None
    group: str | None = None
    secrets: str = "refuse"


def maps(sources: Sequence[Source]) -> list[tuple[Text, FileMap]]:
    """The maps of all texts of some sources, segments counted through."""
    texts = list({text.path: text for source in sources for text in source.texts}.values())
    made = numbered(
        [map_text(text.text, Given(text.path, text.folders, text.title, text.language)) for text in texts]
    )
    return list(zip(texts, made, strict=True))


def committed(workspace: Workspace) -> CachedReader:
    """A reader of the newest commit, or of the branch that takes a proposal; uncommitted edits do not count."""
    repo = workspace.writable()
    commit = repo.head().commit if workspace.proposal is None else workspace.proposal.tip
    files = TreeFiles(repo, repo.tree(commit), workspace.layout.folders())
    return CachedReader(
        workspace, repo, files, commit, False, label="" if workspace.proposal is None else "at"
    )


def propose(
    workspace: Workspace, sources: Sequence[Source], mapped: Sequence[tuple[Text, FileMap]], wishes: Wishes
) -> Proposal:
    """What to do with each segment of some sources.

    Raises:
        BadInput: the layout has no place for records of that kind.
    """
    maker = _Maker(workspace, wishes)
    items: list[Item] = []
    for text, file in mapped:
        items += maker.of_file(text, file)
    skipped = [File(one.path, "", one.reason, one.failed) for source in sources for one in source.skipped]
    files = [
        File(text.path, text.digest, "" if file.segments else "there is nothing in it")
        for text, file in mapped
    ] + skipped
    what = ", ".join(source.path if source.kind != "text" else "standard input" for source in sources)
    named = tuple(source.source for source in sources if source.source)
    return Proposal(what, named, tuple(files), tuple(items), maker.categories(items), tuple(maker.left))


def taken(workspace: Workspace, item: Item) -> str | None:
    """The address of the record that has the title of a new one already, in its place; None where there is
    none.
    """
    place = next((one for one in workspace.layout.of(item.kind) if one.form != "mnema-block"), None)
    if place is None:
        return None
    key = item.group
    if KINDS[item.kind].stored != "entry":
        name = slug(item.title, ascii_only=place.form == "vault")
        key = f"{item.group}/{name}" if item.group else name
    records = committed(workspace).file(place.path(key)).records if key else ()
    return next(
        (record.address for record in records if link.normal(record.title) == link.normal(item.title)), None
    )


def own_records(sources: Sequence[Source]) -> list[Skipped]:
    """The files of some sources that are records already."""
    return [one for source in sources for one in source.skipped if one.record]


class _Known(NamedTuple):
    """A record with what is compared: all its words, and those that say what it is about."""

    record: Record
    terms: set[str]
    subject: set[str]


class _Match(NamedTuple):
    """A record that shares key terms with a segment: the share of them (0 to 1) by weight, whether one of the
    two speaks of what the other is about, so that they should be linked, and whether each does, so that the
    segment belongs to the record.
    """

    record: Record
    share: float
    akin: bool
    near: bool

    @property
    def advice(self) -> str:
        return advice(self.share) if self.near else "create"


class _Maker:
    def __init__(self, workspace: Workspace, wishes: Wishes) -> None:
        self._workspace = workspace
        self._reader = committed(workspace)
        self._wishes = wishes
        self._marks = Marks(workspace, self._reader.revision)
        places = [
            place
            for place in map(self._place_for, [wishes.kind] if wishes.kind else DEFAULT_KINDS)
            if place is not None
        ]
        if not places:
            raise BadInput(
                f"this workspace ({workspace.layout.name}) has no place for records of kind "
                f"{wishes.kind or 'knowledge'}"
            )
        self._place = places[0]
        self._kind = self._place.kind
        self._entry = KINDS[self._kind].stored == "entry"
        self._known: dict[tuple[str, int], _Known] = {}
        self._counts: dict[str, int] = {}
        self._weights: dict[str, float] = {}
        self._files: dict[str, tuple[Record, ...]] = {}
        self._titles: dict[str, set[str]] = {}
        self._bodies: dict[tuple[str, str], str] = {}
        self._groups = {name.casefold(): name for name in self._reader.snapshot.groups(self._kind)}
        self._metas = self._category_keywords() if self._kind == "knowledge" else {}
        self.left: list[str] = []

    def _place_for(self, kind: str | None) -> Place | None:
        for place in self._workspace.layout.of(kind or ""):
            if place.form != "mnema-block":
                return place
        return None

    def _category_keywords(self) -> Mapping[str, tuple[str, ...]]:
        """Each category with the keywords that it names itself."""
        out = {}
        for _, key, meta in self._reader.snapshot.metas("knowledge"):
            found = meta.get("keywords")
            out[key] = (found,) if isinstance(found, str) else tuple(found or ())
        return out

    # One file

    def of_file(self, text: Text, file: FileMap) -> Iterator[Item]:
        """What is proposed for each segment of a file, in order."""
        torn = _conflicts(text)
        before = self._given_before(text)
        pairs = self._matched(file.segments, before)
        self.left += [
            record.address
            for number, record in enumerate(before)
            if number not in pairs.values() and not record.archived
        ]
        again = [
            self._again(text, file.segments[place], before[number]) for place, number in sorted(pairs.items())
        ]
        known = {item.segment: item for item in again}
        fresh = [segment for segment in file.segments if segment.id not in known]
        wanted = chosen([segment.worth for segment in fresh], len(known))
        places = {segment.id: number for number, segment in enumerate(fresh)}
        for segment in file.segments:
            item = known.get(segment.id) or self._fresh(
                text, segment, places[segment.id] in wanted, len(fresh), before
            )
            line = next((line for line in torn if segment.first <= line <= segment.last), None)
            if item.acts and line is not None:
                item = item._replace(reason=f"line {line} is the marker of a merge conflict", chosen=False)
            yield item

    def _given_before(self, text: Text) -> list[Record]:
        """The records that were made from a text, in full."""
        if not text.source or self._reader.revision is None:
            return []
        return [self._loaded(record) for record in from_source(self._reader.snapshot, text.source)]

    def _matched(self, segments: Sequence[Segment], before: Sequence[Record]) -> dict[int, int]:
        """Which segment (by place) gave which record (by place) before; of several that could have, the
        likest.
        """
        pairs: dict[int, int] = {}
        free = set(range(len(before)))
        for rule in (self._same_body, self._same_title, self._alike, self._same_terms):
            scores = [
                (-score, place, number)
                for place, segment in enumerate(segments)
                if place not in pairs
                for number in free
                if (score := rule(segment, before[number])) > 0
            ]
            for _, place, number in sorted(scores):
                if place not in pairs and number in free:
                    pairs[place] = number
                    free.discard(number)
        return pairs

    def _text_for(self, segment: Segment, path: str) -> str:
        """The text of a segment as it stands in a file: relative links lead where they led."""
        if "://" in segment.source_file or segment.source_file == "-":
            return segment.text
        root = self._workspace.root or ""
        return relinked(
            segment.text, segment.source_file, path, lambda there: os.path.lexists(os.path.join(root, there))
        )

    def _same_body(self, segment: Segment, record: Record) -> float:
        return float(
            record.body == self._stored(record, segment) or digest(segment.text) in self._segments_of(record)
        )

    def _same_title(self, segment: Segment, record: Record) -> float:
        titles = {link.normal(title) for title in self._spellings(segment)}
        return 1.0 + self._shared(segment, record) if link.normal(record.title) in titles else 0.0

    def _segments_of(self, record: Record) -> tuple[str, ...]:
        """The digests of the segments that went into a record."""
        marks = self._marks.of(record.id)
        return () if marks is None else marks.segments

    def _alike(self, segment: Segment, record: Record) -> float:
        share = self._shared(segment, record)
        return share if share >= LIKE else 0.0

    @staticmethod
    def _shared(segment: Segment, record: Record) -> float:
        """The share of words that a segment and the text of a record have in common, 0 to 1."""
        one, other = set(words(segment.text)), set(words(record.body))
        return len(one & other) / (max(len(one), len(other)) or 1)

    def _same_terms(self, segment: Segment, record: Record) -> float:
        share = overlap(
            {term.casefold() for term in segment.key_terms}, (word.casefold() for word in record.keywords)
        )
        return share if share > UPDATE else 0.0

    def _again(self, text: Text, segment: Segment, record: Record) -> Item:
        """What is proposed for a segment that gave a record before."""
        item = self._item(text, segment)._replace(
            kind=record.kind,
            title=record.title,
            into=record.address,
            advice="update",
            version=version_id(record),
            overlap=1.0,
            body=self._text_for(segment, record.path),
        )
        stored = self._stored(record, segment)
        marks = self._marks.of(record.id)
        if (
            record.archived
            or record.body == stored
            or (marks is not None and digest(segment.text) in marks.segments)
        ):
            return item._replace(action=UNCHANGED)
        if record.problem is not None and record.problem.fatal:
            return item._replace(action="skip", reason=record.problem.message)
        if marks is None:
            return item._replace(
                action="update", reason="no commit tells whether the record was edited since it was ingested"
            )
        if marks.edited or digest(record.body) != marks.body:
            return item._replace(action="update", reason="the record was edited since it was ingested")
        return self._safe(item._replace(action="update"))

    def _stored(self, record: Record, segment: Segment) -> str:
        """The body that a record of that place would have if it were made of the segment; empty where it
        cannot be stored.
        """
        found = self._workspace.layout.find(record.path)
        if found is None:
            return ""
        key = segment.id, record.path
        if key not in self._bodies:
            self._bodies[key] = self._body_in(found[0], record.path, self._text_for(segment, record.path))
        return self._bodies[key]

    def _body_in(self, place: Place, path: str, text: str) -> str:
        fields = {
            "id": "a000000000",
            "created": "2000-01-01",
            "skill": "x",
            "version": "1",
            "status": "proposed",
            "at": "2000-01-01",
        }
        known = (
            "id",
            "created",
            *(["skill"] if place.kind == "experience" else ["version"] if place.kind == "skill" else []),
        )
        try:
            data = FORMS[place.form].create(
                Draft(place.kind, "Title", {name: fields[name] for name in known}, text), None
            )
            records = parse_file(self._workspace.layout, path, data).records
        except MemgitError:
            return ""
        return records[0].body if len(records) == 1 else ""

    # A new segment

    def _fresh(self, text: Text, segment: Segment, wanted: bool, of: int, before: Sequence[Record]) -> Item:
        found = self._candidates(text, segment)
        item = self._item(text, segment)
        best = next((one for one in found if one.advice != "create"), None)
        item = item._replace(
            advice="create" if best is None else best.advice,
            overlap=max((one.share for one in found), default=0.0) if best is None else best.share,
            candidates=tuple(Candidate(one.record.address, one.share, one.advice) for one in found),
            related=tuple(one.record.address for one in found if one.akin),
        )
        holder = next((one.record for one in found if self._holds(one.record, segment)), None)
        if holder is not None:
            return item._replace(action=UNCHANGED, into=holder.address, related=())
        if before and digest(segment.text) in self._marks.segments:
            whole = next(
                (record for record in before if digest(segment.text) in self._segments_of(record)), None
            )
            if whole is not None:
                return item._replace(action=UNCHANGED, into=whole.address, related=())
            return self._home(item, segment, found)._replace(
                reason="the record that was made of it is gone", chosen=True
            )
        dull = boilerplate(segment.parts)
        if dull:
            return self._home(item, segment, found)._replace(action="skip", reason=dull, chosen=True)
        if not wanted:
            item = self._home(item, segment, found)
            return item._replace(
                action="skip", reason=f"others of the {of} segments are better worth recording", chosen=True
            )
        if best is None:
            return self._safe(self._writable(self._home(item, segment, found)))
        record = best.record
        related = tuple(address for address in item.related if address != record.address)
        item = item._replace(
            action=item.advice,
            into=record.address,
            version=version_id(record),
            related=related,
            foreign=True,
            group=self._group(segment, found),
            body=self._text_for(segment, record.path),
            topic=self._topic(segment, record),
        )
        if self._lines_held(record, segment) >= HELD:
            return item._replace(reason=f"most of it is in {record.address} already")
        return self._safe(item)

    def _item(self, text: Text, segment: Segment) -> Item:
        return Item(
            segment.id,
            text.path,
            text.source,
            segment.lines,
            "create",
            self._kind,
            segment.title,
            "",
            segment.key_terms,
            segment.text,
            topic=segment.topic,
            context=" > ".join(segment.context),
            summary=segment.summary,
            tokens=segment.tokens,
            worth=segment.worth,
            worth_parts=tuple(segment.parts.items()),
            fingerprint=(digest(segment.text),),
            date=text.date or "",
        )

    def _candidates(self, text: Text, segment: Segment) -> list[_Match]:
        """Up to three records that share key terms with a segment, those that it belongs to first, then the
        closest; those of the same source are no news.
        """
        terms = {term.casefold() for term in segment.key_terms}
        if not terms or self._reader.revision is None:
            return []
        # To rank the records that hold a common word takes the longest and tells the least.
        most = max(FEW, self._records // COMMON)
        rare = [term for term in segment.key_terms if 0 < self._holding(term.casefold()) <= most]
        asked = rare if len(rare) >= AGREED else segment.key_terms
        hits = search(self._reader.snapshot, Query(" ".join(asked), (self._kind,), limit=LOOKED))
        said = set(words(f"{segment.title}\n{segment.text}"))
        found = []
        for hit in hits:
            known = self._read(hit.record)
            share = weighted(terms, known.terms, self._weight)
            if (
                share > 0
                and (not text.source or known.record.source != text.source)
                and known.record.problem is None
            ):
                akin, near = self._about(segment, terms, said, known) if share >= EXTEND else (False, False)
                found.append(_Match(known.record, share, akin, near))
        found.sort(key=lambda one: (not one.near, not one.akin, -one.share, one.record.address))
        return found[:SHOWN]

    def _about(self, segment: Segment, terms: set[str], said: set[str], known: _Known) -> tuple[bool, bool]:
        """Whether a segment or a record speaks of what the other is about, and whether both do, or most lines
        of the segment are in the record already; several key terms must agree. What a segment is about is its
        title, unless that is but the name of its file.
        """
        if len(terms & known.terms) < min(AGREED, len(terms)):
            return False, False
        own = set() if segment.title == stem_of(segment.source_file) else telling(segment.title)
        pairs = [(known.subject, said), (own, known.terms)]
        speaks = [
            weighted(subject_, text, self._weight) + 1e-9 >= SAME_SUBJECT_THRESHOLD
            for subject_, text in pairs
            if subject_
        ]
        held = self._lines_held(known.record, segment) >= HELD
        return held or any(speaks), held or all(speaks)

    def _weight(self, term: str) -> float:
        """What a term counts, see `model.overlap.rarity`."""
        weight = self._weights.get(term)
        if weight is None:
            weight = self._weights[term] = rarity(self._records, self._holding(term))
        return weight

    def _holding(self, term: str) -> int:
        if term not in self._counts:
            self._counts[term] = holding(self._reader.snapshot, term)
        return self._counts[term]

    @cached_property
    def _records(self) -> int:
        return sum(self._reader.snapshot.counts().values())

    def _read(self, head: Record) -> _Known:
        key = head.path, head.ordinal
        if key not in self._known:
            record = self._loaded(head)
            self._known[key] = _Known(record, known_terms(record), subject(record))
        return self._known[key]

    def _loaded(self, head: Record) -> Record:
        """A record in full. Files are kept, for the segments of one source lead to the same ones."""
        if head.path not in self._files:
            if len(self._files) >= KEPT_FILES:
                self._files.clear()
            self._files[head.path] = self._reader.snapshot.parsed(head.path).records
        records = self._files[head.path]
        return records[head.ordinal] if head.ordinal < len(records) else head

    def _holds(self, record: Record, segment: Segment) -> bool:
        """Whether a record says all that a segment does, in the same words."""
        if self._lines_held(record, segment) < HELD:
            return False
        spellings = {self._stored(record, segment), self._text_for(segment, record.path)} - {""}
        return any(f"\n{text}\n" in f"\n{record.body}\n" for text in spellings)

    def _lines_held(self, record: Record, segment: Segment) -> float:
        lines = {line.strip(" -*\t") for line in segment.text.split("\n")} - {""}
        held = {line.strip(" -*\t") for line in record.body.split("\n")}
        return len(lines & held) / len(lines) if lines else 0.0

    def _writable(self, item: Item) -> Item:
        """The item, skipped where its text cannot be stored."""
        path = self._place.path(item.group or "x", year="2000", month="01")
        if self._body_in(self._place, path, item.body):
            return item
        return item._replace(
            action="skip",
            reason="its text cannot stand in a record of that kind: look for open comments or fences",
        )

    def _safe(self, item: Item) -> Item:
        """The item, skipped where it holds a credential that may not be written, left to a person where it
        holds what nobody would see.
        """
        unseen = _unseen(item.body)
        if unseen:
            return item._replace(reason=unseen)
        if self._wishes.secrets != "refuse" or not secrets.suspect(item.body):
            return item
        found = secrets.spans(item.body)
        if not found:
            return item
        return item._replace(
            action="skip",
            reason=f"it holds what looks like a credential ({found[0][2]}): --redact, --allow-secret",
        )

    # Titles and groups

    def _home(self, item: Item, segment: Segment, found: Sequence[_Match]) -> Item:
        """The item as a new record, with its group and a title that is free there."""
        group = self._group(segment, found)
        taken = self._taken(group)
        spellings = chain(self._spellings(segment), (f"{segment.title} ({number})" for number in count(2)))
        title = next(one for one in spellings if link.normal(one) not in taken and self._free(group, one))
        taken.add(link.normal(title))
        body = self._text_for(segment, self._place.path(group or "x", year="2000", month="01"))
        return item._replace(action="create", group=group, title=title, body=body)

    def _free(self, group: str, title: str) -> bool:
        """Whether no document of that title lies where one would be made."""
        if self._entry:
            return True
        name = slug(title, ascii_only=self._place.form == "vault")
        records = self._reader.file(self._place.path(f"{group}/{name}" if group else name)).records
        return not records or link.normal(records[0].title) != link.normal(title)

    def _spellings(self, segment: Segment) -> list[str]:
        """Titles for a segment, the best first: with what the document is about, its own, with what it is
        under, with its file.
        """
        stem = stem_of(segment.source_file)
        subject = segment.context[0] if segment.context else ""
        above = [cut(f"{title}: {segment.title}", MAX_TITLE) for title in segment.context[-1:]]
        return [
            cut(standing_alone(segment.title, subject), MAX_TITLE),
            segment.title,
            *above,
            f"{cut(segment.title, MAX_TITLE - len(stem) - 3)} ({stem})"[:MAX_TITLE],
        ]

    def _taken(self, group: str) -> set[str]:
        """The titles of the records of a group."""
        if group not in self._titles:
            records = self._reader.file(self._place.path(group)).records if self._entry and group else ()
            self._titles[group] = {link.normal(record.title) for record in records}
        return self._titles[group]

    def _group(self, segment: Segment, found: Sequence[_Match]) -> str:
        """The category of knowledge: one of that topic's name, else that of a related record, else one that
        knows a key term, else a new one named after the folder or the subject of the document. Other kinds go
        without scope or folder.
        """
        if self._wishes.group is not None:
            return self._groups.get(self._wishes.group.casefold(), self._wishes.group)
        if self._kind != "knowledge":
            return ""
        names = [slug(part) for part in segment.topic.split("/") if part] if self._has_folder(segment) else []
        for name in names:
            if name in self._groups:
                return self._groups[name]
        if found and found[0].akin:
            return found[0].record.address.partition("/")[2].partition("#")[0]
        terms = segment.key_terms
        scores = [
            (sum(any(holds(term, one) for one in own) for term in terms), key)
            for key, own in self._metas.items()
        ]
        best = max(scores, default=(0, ""), key=lambda pair: (pair[0], pair[1]))
        if best[0]:
            return best[1]
        if names:
            return names[0]
        subject = slug(segment.context[0]) if segment.context else ""
        return subject if subject and subject.count("-") < MAX_SUBJECT_WORDS else DEFAULT_CATEGORY

    def _topic(self, segment: Segment, record: Record) -> str:
        """The topic of a segment that goes into a record: where no folder tells it, that of the record."""
        if self._has_folder(segment):
            return segment.topic
        own = (
            record.topics[0]
            if record.topics
            else record.address.partition("/")[2].partition("#")[0]
            if self._entry
            else ""
        )
        return own or segment.topic

    @staticmethod
    def _has_folder(segment: Segment) -> bool:
        """Whether the topic names folders rather than key terms."""
        return segment.topic != "/".join(segment.key_terms[:2])

    def categories(self, items: Sequence[Item]) -> tuple[Category, ...]:
        """The categories that the proposal would make, named and keyworded."""
        if self._kind != "knowledge":
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


def _conflicts(text: Text) -> list[int]:
    """The lines of a text that are markers of merge conflicts. In code they may be data."""
    return (
        conflict_markers(text.text) if (text.language or language(text.path)) in ("markdown", "prose") else []
    )


def _unseen(body: str) -> str:
    """Why a person should look at a text before it becomes a record; empty where nothing is hidden in it."""
    if body.isascii() and "<" not in body and "]:" not in body:
        return ""
    code = [
        (one.start, one.end) for one in outline(body).hidden if body[one.start : one.end].lstrip()[:1] in "`~"
    ]
    found = next((one for one in hidden.find(body, code) if one.kind in UNSEEN), None)
    return "" if found is None else f"{UNSEEN[found.kind]} {found.what}"


def named(key: str) -> str:
    """The display name of a category."""
    words_of = key.rpartition("/")[2].replace("_", "-").split("-")
    return " ".join(word[:1].upper() + word[1:] for word in words_of if word) or key
