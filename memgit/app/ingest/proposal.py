"""From the map of a source to a proposal: what each segment is to become, in view of the records that are
there.

Where a source comes again, each of its segments is matched with the record that it gave before (`earlier`);
any other is compared with the records that are there (`overlap`), and gets a place and a title (`homes`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from memgit.app.ingest.bodies import HELD, Bodies, checked_for_secrets, lines_held, torn_lines
from memgit.app.ingest.earlier import Earlier
from memgit.app.ingest.homes import Homes
from memgit.app.ingest.marks import Marks, digest
from memgit.app.ingest.overlap import Match, Overlap
from memgit.app.ingest.source import Skipped, Source, Text, is_outside
from memgit.app.read.reader import CachedReader
from memgit.app.read.record_json import version_id
from memgit.app.workspace import Workspace
from memgit.cache.search import from_source
from memgit.errors import BadInput
from memgit.git.worktree.filetrees import CommitTree
from memgit.ingest.content import FileMap, Segment, numbered
from memgit.ingest.proposal import UNCHANGED, Candidate, File, Item, Proposal
from memgit.ingest.scoring import MAX_RECORDS, boilerplate, chosen
from memgit.ingest.segments import Given, map_text
from memgit.model import link
from memgit.model.kinds import KINDS
from memgit.model.layout import Layout, Place
from memgit.model.record import Record
from memgit.model.slug import slug

Progress = Callable[[str], None]
DEFAULT_KINDS = ("knowledge", "memory", "note")


class Wishes(NamedTuple):
    """What the user said about the records to make.

    `kind` None is the first of `DEFAULT_KINDS` that the layout has. `whole` takes all that is worth it, not
    only the best of each source.
    """

    kind: str | None = None
    group: str | None = None
    secrets: str = "refuse"
    whole: bool = False


def _texts(sources: Sequence[Source]) -> list[Text]:
    """The texts of some sources, each once."""
    return list({text.path: text for source in sources for text in source.texts}.values())


def maps(sources: Sequence[Source]) -> list[tuple[Text, FileMap]]:
    """The maps of all texts of some sources, segments counted through."""
    return _maps(_texts(sources), None)


def _maps(
    texts: Sequence[Text], most: int | None, progress: Progress = lambda _: None
) -> list[tuple[Text, FileMap]]:
    """The same; neighbouring segments of a text are joined where more than `most` are worth recording."""
    made: list[FileMap] = []
    for number, text in enumerate(texts, 1):
        progress(f"cutting file {number} of {len(texts)}: {text.path}")
        made.append(map_text(text.text, Given(text.path, text.folders, text.title, text.language), most))
    return list(zip(texts, numbered(made), strict=True))


def committed(workspace: Workspace) -> CachedReader:
    """A reader of the newest commit, or of the branch that takes a proposal; uncommitted edits do not count."""
    repo = workspace.writable()
    commit = repo.head().commit if workspace.proposal is None else workspace.proposal.tip
    files = CommitTree(repo, repo.tree(commit))
    return CachedReader(
        workspace, repo, files, commit, False, label="" if workspace.proposal is None else "at"
    )


def propose(
    workspace: Workspace, sources: Sequence[Source], wishes: Wishes, progress: Progress = lambda _: None
) -> Proposal:
    """What to do with each segment of some sources.

    Args:
        progress: called with what is done, in a few words.

    Raises:
        BadInput: the layout has no place for records of that kind.
    """
    maker = _Maker(workspace, wishes)
    texts = _texts(sources)
    known = set() if wishes.whole else maker.marks.files
    same = [text for text in texts if f"{text.digest} {maker.kind}" in known]
    fresh = [text for text in texts if f"{text.digest} {maker.kind}" not in known]
    mapped = _maps(fresh, None if wishes.whole else MAX_RECORDS, progress)
    maker.overlap.prepare([segment for _, file in mapped for segment in file.segments])
    items: list[Item] = []
    for number, (text, file) in enumerate(mapped, 1):
        progress(f"comparing file {number} of {len(mapped)}: {text.path}")
        items += maker.of_file(text, file)
    order = {text.path: number for number, text in enumerate(texts)}
    skipped = [File(one.path, "", one.reason, one.failed) for source in sources for one in source.skipped]
    files = [
        File(text.path, text.digest, "" if file.segments else "there is nothing in it")
        for text, file in mapped
    ]
    files += [*(File(text.path, text.digest, unchanged=True) for text in same), *skipped]
    files.sort(key=lambda file: order.get(file.path, len(order)))
    what = ", ".join(_called(source) for source in sources)
    origins = tuple(source.source for source in sources if source.source)
    faults = tuple(file for _, file in mapped if file.fault is not None)
    return Proposal(
        what, origins, tuple(files), tuple(items), maker.homes.categories(items), tuple(maker.left), faults
    )


def _called(source: Source) -> str:
    """How a commit calls a source: by its path in the repository, by name alone where it lies outside."""
    if source.kind == "text":
        return "standard input"
    return os.path.basename(source.path.rstrip("/")) if is_outside(source.path) else source.path


def taken(workspace: Workspace, item: Item) -> str | None:
    """The address of the record that has the title of a new one already, in its place; None where there is
    none.
    """
    place = _place_for(workspace.layout, item.kind)
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


def _place_for(layout: Layout, kind: str) -> Place | None:
    return next((place for place in layout.of(kind) if place.form != "mnema-block"), None)


class _Maker:
    """Makes the proposals for one run."""

    def __init__(self, workspace: Workspace, wishes: Wishes) -> None:
        kinds = [wishes.kind] if wishes.kind else DEFAULT_KINDS
        places = [place for kind in kinds if (place := _place_for(workspace.layout, kind)) is not None]
        if not places:
            raise BadInput(
                f"this workspace ({workspace.layout.name}) has no place for records of kind "
                f"{wishes.kind or 'knowledge'}"
            )
        self._wishes, self._place = wishes, places[0]
        self.kind = self._place.kind
        self._reader = committed(workspace)
        self.marks = Marks(workspace, self._reader.revision)
        self._bodies = Bodies(workspace)
        self._earlier = Earlier(self._bodies, self.marks)
        self.overlap = Overlap(self._reader, self._place.kind)
        self.homes = Homes(self._reader, self._place, wishes.group)
        self.left: list[str] = []

    def of_file(self, text: Text, file: FileMap) -> Iterator[Item]:
        """What is proposed for each segment of a file, in order."""
        torn = torn_lines(text.text, text.path, text.language)
        before = self._given_before(text)
        pairs = self._earlier.pairs(file.segments, before)
        self.left += [
            record.address
            for number, record in enumerate(before)
            if number not in pairs.values() and not record.archived
        ]
        fresh = [segment for place, segment in enumerate(file.segments) if place not in pairs]
        worth = [segment.worth for segment in fresh]
        wanted = chosen(worth, len(pairs), None if self._wishes.whole else MAX_RECORDS)
        places = {segment.id: number for number, segment in enumerate(fresh)}
        for place, segment in enumerate(file.segments):
            if place in pairs:
                item = self._again(text, segment, before[pairs[place]])
            else:
                item = self._fresh(text, file, segment, places[segment.id] in wanted, before)
            line = next((line for line in torn if segment.first <= line <= segment.last), None)
            if item.acts and line is not None:
                item = item._replace(reason=f"line {line} is the marker of a merge conflict", chosen=False)
            yield item

    def _given_before(self, text: Text) -> list[Record]:
        """The records that were made from a text, in full."""
        if not text.source or self._reader.revision is None:
            return []
        snapshot = self._reader.snapshot
        heads = from_source(snapshot, text.source)
        # Files of entries are read whole: the parts of one text lie together.
        files = {path: snapshot.parsed(path).records for path in dict.fromkeys(head.path for head in heads)}
        return [
            files[head.path][head.ordinal] if head.ordinal < len(files[head.path]) else head for head in heads
        ]

    def _again(self, text: Text, segment: Segment, record: Record) -> Item:
        """What is proposed for a segment that gave a record before."""
        item = self._earlier.item(self._item(text, segment), segment, record)
        return self._screened(item) if item.acts and not item.reason else item

    def _fresh(
        self, text: Text, file: FileMap, segment: Segment, wanted: bool, before: Sequence[Record]
    ) -> Item:
        found = self.overlap.of(text.source, segment)
        best = next((one for one in found if one.advice != "create"), None)
        item = self._item(text, segment)._replace(
            advice="create" if best is None else best.advice,
            overlap=max((one.share for one in found), default=0.0) if best is None else best.share,
            candidates=tuple(
                Candidate(one.record.address, one.share, one.advice, one.likeness) for one in found
            ),
            related=tuple(one.record.address for one in found if one.akin),
        )
        holder = next((one.record for one in found if self._bodies.holds(one.record, segment)), None)
        if holder is None and before:
            holder = self._earlier.holder(segment, before)
        if holder is not None:
            return item._replace(action=UNCHANGED, into=holder.address, related=())
        dull = boilerplate(segment.parts)
        if best is None or dull or not wanted or (before and self._earlier.is_known(segment)):
            item = self.homes.settled(item, file, segment, found)
            path = self._place.path(item.group or "x", year="2000", month="01")
            item = item._replace(body=self._bodies.text_for(segment, path))
        if before and self._earlier.is_known(segment):
            return item._replace(reason="the record that was made of it is gone", chosen=True)
        if dull:
            return item._replace(action="skip", reason=dull, chosen=True)
        if not wanted:
            return item._replace(
                action="skip", reason="other segments of it are better worth recording", chosen=True
            )
        if best is None:
            return self._screened(self._bodies.checked(item, self._place))
        return self._joining(item, file, segment, best, found)

    def _joining(
        self, item: Item, file: FileMap, segment: Segment, best: Match, found: Sequence[Match]
    ) -> Item:
        """The item as an update or extension of a record that others wrote."""
        record = best.record
        item = item._replace(
            action=item.advice,
            into=record.address,
            version=version_id(record),
            related=tuple(address for address in item.related if address != record.address),
            foreign=True,
            group=self.homes.group(file, segment, found),
            body=self._bodies.text_for(segment, record.path),
            topic=self.homes.topic(segment, record),
        )
        if lines_held(record, segment) >= HELD:
            return item._replace(reason=f"most of it is in {record.address} already")
        return self._screened(item)

    def _screened(self, item: Item) -> Item:
        return checked_for_secrets(item, self._wishes.secrets == "refuse") if item.acts else item

    def _item(self, text: Text, segment: Segment) -> Item:
        return Item(
            segment.id,
            text.path,
            text.source,
            segment.lines,
            "create",
            self._place.kind,
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
            date=text.date or segment.date,
        )
