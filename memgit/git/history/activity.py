"""What each commit did to records: the trees say what changed, the message enriches it.

A record changed in a merge only where it differs from every parent, in the same field or line: what git
merged by itself is told by the commits that the merge joins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from memgit.errors import Broken
from memgit.formats.codecs import form_named
from memgit.formats.merging.difference import Version, parts
from memgit.formats.messages import message as messages
from memgit.formats.messages.message import Block, Message
from memgit.formats.sniff import peek
from memgit.git.history.history import RawChange, RawCommit, Side, boundary
from memgit.git.objects.blob_prefetch import ahead
from memgit.git.objects.libgit import FAILURES
from memgit.git.repository import Repository
from memgit.model.change import Change, diff_records, identity, operation, refine
from memgit.model.claim import IMPLIES, Contradiction, contradicted
from memgit.model.layout import Layout, Place
from memgit.model.namedtuple import NamedTuple
from memgit.model.operation import OPS, Event, RecordChange
from memgit.model.record import ParsedFile, Record

REGULAR = frozenset(["100644", "100755", "100664"])
MEMORY = 16 << 20
"""Bytes of files to keep at hand: the version before one change is the version after an earlier one."""
MAX_PATHS = 50_000
MAX_AHEAD = 400
"""Blobs of one commit up to which they are read ahead, and held until its turn comes."""
MAX_COMPARED = 4_000_000
"""Lines times lines of one record up to which a merged text is compared line by line; a larger one counts as
changed by the merge.
"""

ENTRIES = "entries"
NO_BLOCK = Block("")


class Activity:
    """Turns commits into events. Files are parsed once for each version that is still at hand.

    Attributes:
        border: the commits at which a shallow clone was cut off.
    """

    def __init__(self, repo: Repository, layout: Layout) -> None:
        self._repo = repo
        self._layout = layout
        self.border = boundary(repo)
        self._odb = repo.raw.odb
        self._files: _Lately[tuple[str, str], _File] = _Lately(MEMORY)
        self._texts: _Lately[str, Version] = _Lately(MEMORY)
        self._arrived: dict[str, bytes] = {}
        self._coming: set[str] = set()
        self._absent = False
        self._places: dict[str, tuple[Place, str] | None] = {}

    def events(self, commits: Iterable[RawCommit]) -> Iterator[Event]:
        """The event of each commit, one by one; files are read ahead by a process of their own.

        Raises:
            Refused: what `commits` raises, after the events before it.
        """
        if self._repo.partial():
            yield from map(self.event, commits)
            return
        items = (
            (commit, [change for change in commit.changes if self._concerns(change)]) for commit in commits
        )
        for commit, changes in ahead(self._repo, items, self._wanted, self._arrived.__setitem__):
            yield self.event(commit, changes)
            for change in changes:
                for side in (change.old, change.new, *change.others):
                    if side is not None and side.oid in self._coming:
                        self._arrived.pop(side.oid, None)
                        self._coming.remove(side.oid)

    def _wanted(self, item: tuple[RawCommit, Sequence[RawChange]]) -> list[str]:
        """The blobs that the event of a commit is read from, but for those at hand and those of very large
        commits.
        """
        commit, changes = item
        out: list[str] = []
        for change in changes:
            for side in (change.old, change.new, *change.others):
                if side is None or side.oid in self._coming or not self._is_record_file(side):
                    continue
                if side.oid not in self._texts and side[:2] not in self._files:
                    out.append(side.oid)
                    self._coming.add(side.oid)
        if len(out) > MAX_AHEAD or commit.commit in self.border:
            self._coming.difference_update(out)
            return []
        return out

    def event(self, commit: RawCommit, changes: Sequence[RawChange] | None = None) -> Event:
        """What one commit did; `changes` are those of its record files, where they are known already."""
        if changes is None:
            changes = [change for change in commit.changes if self._concerns(change)]
        message = messages.parse(commit.message)
        blocks = message.blocks
        block = NO_BLOCK if not blocks else blocks[0] if len(blocks) == 1 else _together(blocks)
        self._absent = False
        if commit.commit in self.border:
            # Against nothing, everything here would look new; only what the message names and the tree holds
            # is known.
            records = tuple(self._still_there(commit, block.records))
            self._absent = True
        else:
            added = self._added(commit, changes)
            if added is not None and tuple(added) == block.records:
                records = block.records
            else:
                found = self._changes(commit, changes) if added is None else _created(added, changes)
                records = refine(found, block.records, bool(block.derived_from))
        return Event(
            commit.commit,
            commit.date,
            _op(commit, message, block.op, records),
            messages.one_line(message.subject),
            commit.author,
            records,
            block.actor,
            block.run,
            block.reason or message.reason,
            block.source,
            block.derived_from,
            not self._absent,
            _told(blocks, message.reason, commit.author),
        )

    def contradictions(self, commit: RawCommit) -> list[Contradiction]:
        """What the message of a commit says about records and the trees contradict; nothing where the clone does not
        hold all that the commit changed.
        """
        blocks = messages.parse(commit.message).blocks
        changes = [change for change in commit.changes if self._concerns(change)]
        if not blocks or not changes or len(commit.parents) > 1 or commit.commit in self.border:
            return []
        self._absent = False
        block = _together(blocks)
        found = self._changes(commit, changes)
        done = refine(found, block.records, bool(block.derived_from))
        paths = {
            record.address: record.path
            for change in found
            for record in (change.old, change.new)
            if record is not None
        }
        some = next((side.path for side in (changes[0].new, changes[0].old) if side is not None), "")
        return (
            []
            if self._absent
            else [
                Contradiction(commit.commit, words, paths.get(one.address, some), one.address)
                if one is not None
                else Contradiction(commit.commit, words, some)
                for words, one in contradicted(block.op, block.records, done)
            ]
        )

    def _changes(self, commit: RawCommit, changes: Sequence[RawChange]) -> list[Change]:
        if not changes:
            return []
        if len(commit.parents) < 2:
            return self._compared(
                [(change.old, change.new, change.status == "R") for change in changes], in_parts=True
            )
        sides = [
            self._compared(
                [((change.old, *change.others)[parent], change.new, True) for change in changes],
                in_parts=False,
            )
            for parent in range(len(commit.parents))
        ]
        return _against_all(sides)

    def _concerns(self, change: RawChange) -> bool:
        """Whether a change is one of record files."""
        if change.new is not None and self._is_record_file(change.new):
            return True
        return any(side is not None and self._is_record_file(side) for side in (change.old, *change.others))

    def _added(self, commit: RawCommit, changes: Sequence[RawChange]) -> list[RecordChange] | None:
        """The records of new documents, known by no more than their ids; None where a file must be read in
        full.
        """
        if len(commit.parents) > 1 or not changes or any(change.old is not None for change in changes):
            return None
        out: list[RecordChange] = []
        for _, _, side, _ in changes:
            found = None if side is None else self._place(side.path)
            if found is None or side is None or found[0].form != "memgit" or side.mode not in REGULAR:
                return None
            known = self._files.get(side[:2])
            if known is None:
                data = self._data(side.oid)
                id_ = None if data is None else peek(data)
            else:
                id_ = known.peeked
            if id_ is None:
                return None
            out.append(RecordChange("create", id_ or None, self._address(found, side.path)))
        return out

    def _address(self, found: tuple[Place, str], path: str) -> str:
        place, key = found
        return f"{place.kind}/{key}" if place.kind != "note" else _note(path, self._layout)

    def _compared(
        self, files: Sequence[tuple[Side | None, Side | None, bool]], in_parts: bool
    ) -> list[Change]:
        """The changes between two versions of some files.

        Args:
            files: each with whether git took both sides for one file.
            in_parts: entry files may be read in the part alone in which they differ; places of records mean
                nothing then.
        """
        olds: list[Record] = []
        news: list[Record] = []
        renames: dict[str, str] = {}
        documents: list[tuple[Record, Record]] = []
        for old, new, one in files:
            if old is not None and new is not None:
                if one and old.path != new.path:
                    renames[old.path] = new.path
                elif in_parts and old.path == new.path and self._in_parts(old, new, olds, news):
                    continue
            before, after = self._parse(old), self._parse(new)
            # A file that cannot be read is one record, and so is a file of entries beside it in the other
            # version.
            unread = (before is not None and before.unread) or (after is not None and after.unread)
            for side, file, out in ((old, before, olds), (new, after, news)):
                if side is not None and file is not None:
                    out.extend(
                        [_whole(file, side)] if file.unread or (unread and file.entries) else file.records
                    )
            if (
                before is not None
                and after is not None
                and before.records
                and after.records
                and not after.entries
            ):
                documents.append((before.records[0], after.records[0]))
        changes = diff_records(olds, news, renames)
        if in_parts and documents:
            # A document that was only laid out anew, or made executable, says what it said, but its file is
            # among those that git lists.
            named = {(change.new or change.old or documents[0][0]).path for change in changes}
            changes += [
                Change("update", old, new)
                for old, new in documents
                if old.path == new.path and new.path not in named
            ]
        return changes

    def _in_parts(self, old: Side, new: Side, olds: list[Record], news: list[Record]) -> bool:
        """Adds the records in which two versions of an entry file may differ; false where the whole files
        must be read.
        """
        found = self._place(old.path)
        if found is None or found[0].form != ENTRIES or old.mode not in REGULAR or new.mode not in REGULAR:
            return False
        before, after = self._version(old.oid), self._version(new.oid)
        if before is None or after is None:
            return False
        read: list[tuple[Record, ...]] = []
        for data in parts(before, after):
            if not data:  # sections were only appended
                read.append(())
                continue
            parsed = _read(found, old.path, data, self._layout)
            if not parsed.records and parsed.fatal:
                return False
            read.append(parsed.records)
        olds += read[0]
        news += read[1]
        return True

    def _place(self, path: str) -> tuple[Place, str] | None:
        """The place of a path and the key of its records."""
        try:
            return self._places[path]
        except KeyError:
            if len(self._places) > MAX_PATHS:
                self._places.clear()
            found = self._places[path] = self._layout.find(path)
            return found

    def _is_record_file(self, side: Side) -> bool:
        return side.mode in REGULAR and self._place(side.path) is not None

    def _data(self, oid: str) -> bytes | None:
        """The content of a blob, None where it is absent."""
        read = self._arrived.pop(oid, None)
        if read is not None:
            return read
        try:
            found = self._repo.read_loose(oid)
            data: bytes = found[1] if found is not None else self._odb.read(oid)[1]
        except Broken:
            return None
        except FAILURES:
            # Never fetched one by one: a partial clone would ask its server for each file of each commit.
            return None
        return data

    def _version(self, oid: str) -> Version | None:
        """One version of an entry file, None where it is absent."""
        found = self._texts.get(oid)
        if found is None:
            data = self._data(oid)
            if data is None:
                return None
            found = Version(data)
            self._texts.put(oid, found, len(data))
        return found

    def _parse(self, side: Side | None) -> _File | None:
        """What a file holds; None for one that holds no records."""
        if side is None or side.mode not in REGULAR:
            return None
        file = self._files.get(side[:2])
        if file is not None:
            return file
        found = self._place(side.path)
        if found is None:
            return None
        place = found[0]
        address = self._address(found, side.path)
        entries = place.form == ENTRIES
        data = self._data(side.oid)
        if data is None:
            self._absent = True
            return _File((), place.kind, address, entries, True)
        parsed = _read(found, side.path, data, self._layout)
        # A document is there even where nothing can be read from it: it is empty, or no text at all.
        unread = not parsed.records and any(problem.fatal or not entries for problem in parsed.problems)
        file = _File(
            parsed.records,
            place.kind,
            address,
            entries,
            unread,
            peek(data) if place.form == "memgit" else None,
        )
        self._files.put(side[:2], file, 2 * len(data))
        return file

    def _still_there(self, commit: RawCommit, claims: Sequence[RecordChange]) -> Iterator[RecordChange]:
        """What a message claims and the tree of its commit does not deny: the record is there, or gone where
        it was removed.
        """
        if not claims:
            return
        sides = [
            change.new
            for change in commit.changes
            if change.new is not None and self._is_record_file(change.new)
        ]
        wanted = {claim.address.partition("#")[0] for claim in claims} | {claim.address for claim in claims}
        there: dict[str, list[str | None]] = {}
        for side in sides:
            place = self._place(side.path)
            if place is not None and (f"{place[0].kind}/{place[1]}" in wanted or place[0].kind == "note"):
                file = self._parse(side)
                for record in file.records if file is not None else ():
                    if record.address in wanted:
                        there.setdefault(record.address, []).append(identity(record))
        for claim in dict.fromkeys(claims):
            found = there.get(claim.address)
            if claim.action == "remove":
                if found is None:
                    yield claim
            elif found is not None and (claim.id is None or None in found or claim.id in found):
                yield claim


K = TypeVar("K")
V = TypeVar("V")


class _Lately(Generic[K, V]):
    """What was used lately, up to a size."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._rows: dict[K, tuple[V, int]] = {}

    def __contains__(self, key: K) -> bool:
        return key in self._rows

    def get(self, key: K) -> V | None:
        row = self._rows.pop(key, None)
        if row is None:
            return None
        self._rows[key] = row
        return row[0]

    def put(self, key: K, value: V, size: int) -> None:
        self._rows[key] = (value, size)
        self._held += size
        while self._held > self._limit:
            self._held -= self._rows.pop(next(iter(self._rows)))[1]


class _File(NamedTuple):
    """One version of a file: its records, how it counts where it cannot be read, and what a glance at it
    gives (see `formats.peek`).
    """

    records: tuple[Record, ...]
    kind: str
    address: str
    entries: bool
    unread: bool
    peeked: str | None = None


def _created(added: Sequence[RecordChange], changes: Sequence[RawChange]) -> list[Change]:
    """New documents as changes of records that are known by no more than their names."""
    return [
        Change(
            one.action,
            None,
            Record(
                one.address.partition("/")[0], one.address, side.path, "", 1, 1, 0, {"id": one.id or ""}, ""
            ),
        )
        for one, (_, _, side, _) in zip(added, changes, strict=True)
        if side is not None
    ]


def _read(found: tuple[Place, str], path: str, data: bytes, layout: Layout) -> ParsedFile:
    """As `formats.codecs.parse_file`, for a path whose place is known."""
    place, key = found
    return form_named(place.form).parse(data, path, place.kind, key, _note(path, layout))


def _note(path: str, layout: Layout) -> str:
    return f"note/{path.removeprefix(layout.base).removesuffix('.md')}"


def _whole(file: _File, side: Side) -> Record:
    """A file as one record: its address is the file's, its text stands for every byte."""
    return Record(file.kind, file.address, side.path, "", 1, 1, 0, {}, side.oid)


def _together(blocks: Sequence[Block]) -> Block:
    """Several blocks as one: names side by side, each once."""
    ops = {block.op for block in blocks}
    return Block(
        ops.pop() if len(ops) == 1 else "edit",
        tuple([change for block in blocks for change in block.records]),
        _joined([block.source for block in blocks]),
        _joined([block.actor for block in blocks]),
        _joined([block.run for block in blocks]),
        tuple(dict.fromkeys([origin for block in blocks for origin in block.derived_from])),
    )


def _op(commit: RawCommit, message: Message, op: str, records: Sequence[RecordChange]) -> str:
    """The operation: what the message names where the changes bear it out, else what the changes amount to."""
    if len(commit.parents) > 1:
        return "merge"
    if op in OPS:
        implied = IMPLIES.get(op)
        if not records or implied is None or any(change.action in implied for change in records):
            return op
    elif not op and message.subject.startswith(('Revert "', 'Reapply "')):
        return "revert"
    return operation(records)


def _joined(values: Iterable[str | None]) -> str | None:
    return ", ".join(dict.fromkeys(value for value in values if value)) or None


def _told(blocks: tuple[Block, ...], reason: str | None, author: str) -> tuple[Block, ...]:
    """The operations of a message that tells of more than its commit: several, or one of somebody else."""
    if len(blocks) == 1 and blocks[0].author not in (None, author):
        return (blocks[0]._replace(reason=blocks[0].reason or reason),)
    return blocks if len(blocks) > 1 else ()


def _against_all(sides: Sequence[Sequence[Change]]) -> list[Change]:
    """The changes that a merge itself made, from its changes against each parent."""
    tables = [{_key(change): change for change in changes} for changes in sides]
    out: list[Change] = []
    for key in tables[0]:
        if all(key in table for table in tables):
            changes = [table[key] for table in tables]
            kept = [change for change in changes if change.old is not None]
            chosen = (kept or changes)[0]
            actions = {change.action for change in kept}
            if (
                chosen.new is None
                or chosen.old is None
                or _own([change.old for change in kept if change.old is not None], chosen.new)
            ):
                out.append(chosen if len(actions) < 2 else chosen._replace(action="update"))
    return out


def _key(change: Change) -> tuple[str, str | int]:
    if change.new is not None:
        return (change.new.path, change.new.ordinal)
    assert change.old is not None
    return ("", identity(change.old) or change.old.address)


def _own(olds: Sequence[Record], new: Record) -> bool:
    """Whether a merged record holds something that no parent has, or lacks something that all have."""
    if all(old.address != new.address for old in olds) or all(old.title != new.title for old in olds):
        return True
    for name in {name for record in (new, *olds) for name in record.fields}:
        values = [old.fields.get(name) or None for old in olds]
        value = new.fields.get(name) or None
        if isinstance(value, tuple) or any(isinstance(other, tuple) for other in values):
            items = [set(record.items(name)) for record in olds]
            now = set(new.items(name))
            if any((item in now) not in {item in before for before in items} for item in now.union(*items)):
                return True
        elif all(other != value for other in values):
            return True
    return all(old.body != new.body for old in olds) and bool(
        frozenset.intersection(*(_differing(old.body.split("\n"), new.body.split("\n")) for old in olds))
    )


def _differing(old: Sequence[str], new: Sequence[str]) -> frozenset[tuple[bool, int]]:
    """The lines of the new text that the old one has not, and the places where the old one has more."""
    import difflib

    if len(old) * len(new) > MAX_COMPARED:
        return frozenset((True, number) for number in range(len(new)))
    out: set[tuple[bool, int]] = set()
    for tag, _, _, start, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "delete":
            out.add((False, start))
        elif tag != "equal":
            out.update((True, number) for number in range(start, end))
    return frozenset(out)
