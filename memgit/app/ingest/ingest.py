"""Ingesting: a proposal, as it was decided upon, becomes one commit."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memgit.app.ingest.links import follow_links
from memgit.app.ingest.marks import Mark, digest, written
from memgit.app.workspace import Context, Workspace
from memgit.app.write import record as recording
from memgit.app.write.linking.links import both_ways
from memgit.app.write.session import Plan, Session, Written
from memgit.app.write.update import extend_record, require_version, update_record
from memgit.app.write.write import carry_out, rehearse
from memgit.errors import BadInput, Conflict, MemgitError, NotFound, Refused, UnreadableFile
from memgit.formats.codec import Draft
from memgit.formats.mem_skill import titles
from memgit.formats.mem_skill.entries import create_all, set_meta
from memgit.formats.messages import message as messages
from memgit.ingest.proposal import UNCHANGED, Category, Item, Proposal, decided, gathered
from memgit.model import link
from memgit.model.kinds import KINDS
from memgit.model.operation import PAST, RecordChange
from memgit.model.record import Record, Value

SIBLINGS = 3
"""Records of the same file that a new one is linked with, at most by its own choice."""
SHARED = 0.3
"""The share of key terms from which two new records of one file are linked."""
MAX_SOURCE = 500
"""Characters of the source in the trailer: a long list of sources is cut."""


class Done(NamedTuple):
    """What became of one segment: created, updated, extended, merged, unchanged or skipped; the record, and
    the reason for skipping.
    """

    item: Item
    verdict: str
    address: str = ""
    reason: str = ""

    @property
    def stopped(self) -> bool:
        """Whether it is skipped because something stands in its way."""
        return self.item.stopped


class Ingested(NamedTuple):
    """The answer to an ingest: the write as such, what became of every segment, and the proposal as it was
    decided.

    `left_out` counts the segments and files that were not taken because something stands in their way.
    """

    written: Written
    done: tuple[Done, ...]
    proposal: Proposal
    left_out: int = 0

    def files(self) -> list[tuple[str, str, dict[str, int]]]:
        """Each file with its verdict in words and the counts behind it."""
        return verdicts(self.proposal, self.done)

    def as_json(self) -> dict[str, Any]:
        answer = self.written.as_json()
        del answer["record"]
        return {**answer, **report(self.proposal, self.done)}


def report(proposal: Proposal, done: Sequence[Done]) -> dict[str, Any]:
    """Files and segments with their verdicts, as JSON."""
    return {
        "source": proposal.what,
        "files": [
            {
                "path": path,
                "verdict": words.partition(":")[0].split(" ")[0],
                "reason": words.partition(": ")[2] or None,
                "counts": counts,
            }
            for path, words, counts in verdicts(proposal, done)
        ],
        "items": [
            {
                **one.item.as_json(),
                "verdict": one.verdict,
                "record": one.address or None,
                "reason": one.reason or None,
            }
            for one in done
        ],
        "left": list(proposal.left),
    }


VERDICTS = ("created", "updated", "extended", "merged", "unchanged", "skipped")
"""What may become of a segment; the verdict of a file is the first that one of its segments has."""


def verdicts(proposal: Proposal, done: Sequence[Done]) -> list[tuple[str, str, dict[str, int]]]:
    """Each file with its verdict in words, `created 2, skipped 1` or `skipped: reason`, and the counts behind
    it.
    """
    by_path: dict[str, list[Done]] = {}
    for one in done:
        by_path.setdefault(one.item.path, []).append(one)
    out = []
    for file in proposal.files:
        found = by_path.get(file.path, [])
        counts = {name: count for name in VERDICTS if (count := sum(one.verdict == name for one in found))}
        if file.unchanged:
            words = "unchanged"
        elif file.skipped or not counts:
            words = f"skipped: {file.skipped or 'nothing of it is in the plan'}"
        elif len(counts) == 1:
            name = next(iter(counts))
            reasons = list(dict.fromkeys(one.reason for one in found if one.reason))
            words = (
                f"skipped: {'; '.join(reasons) or 'as decided'}"
                if name == "skipped"
                else f"{name} {counts[name]}"
            )
        else:
            words = ", ".join(f"{name} {count}" for name, count in counts.items())
        out.append((file.path, words, counts))
    return out


def dry(proposal: Proposal) -> tuple[Done, ...]:
    """What would become of each segment."""
    past = {
        "create": "created",
        "update": "updated",
        "extend": "extended",
        "merge": "merged",
        UNCHANGED: "unchanged",
        "skip": "skipped",
    }
    return tuple(Done(item, past[item.action], item.into, item.reason) for item in proposal.items)


def agreed(proposal: Proposal) -> Proposal:
    """The proposal as it is taken where nobody is asked (`--yes`)."""
    return proposal._replace(items=tuple(map(decided, proposal.items)))


def carry(
    workspace: Workspace,
    context: Context,
    proposal: Proposal,
    *,
    strict: bool,
    reason: str | None = None,
    stage: bool = False,
    whole: bool = False,
) -> Ingested:
    """Writes a proposal in one commit; none where nothing is to be written.

    Args:
        strict: refuse the whole where one segment cannot be written, as for a plan that somebody made;
            otherwise that one is skipped.
        whole: the proposal is taken as it was made, so that the same files need not be looked at again.

    Raises:
        Conflict: a record is no longer the version that the proposal was made for, or a title is taken by
            now.
        BadInput: a segment cannot be written (strict), or is to be merged into one that is not.
    """
    carrier = _carrier(proposal, strict, whole)
    return _ingested(carrier, carry_out(workspace, context, carrier.plan, reason=reason, stage=stage))


def rehearsed(
    workspace: Workspace, context: Context, proposal: Proposal, *, strict: bool, reason: str | None = None
) -> Ingested:
    """What `carry` would answer; nothing is written. Raises what `carry` raises."""
    carrier = _carrier(proposal, strict)
    return _ingested(carrier, rehearse(workspace, context, carrier.plan, reason=reason))


def _carrier(proposal: Proposal, strict: bool, whole: bool = False) -> _Carrier:
    try:
        items = gathered(proposal.items)
    except ValueError as error:
        raise BadInput(str(error), hint="merge into a segment that is written") from None
    return _Carrier(proposal._replace(items=items), strict, whole)


def _ingested(carrier: _Carrier, answer: Written) -> Ingested:
    left_out = sum(one.stopped for one in carrier.done) + sum(file.failed for file in carrier.proposal.files)
    return Ingested(answer, tuple(carrier.done), carrier.proposal, left_out)


def fitting(workspace: Workspace, proposal: Proposal) -> Proposal:
    """A plan from a file, with what its files say now.

    Raises:
        Conflict: a file changed since the plan was made, or is gone.
    """
    from memgit.app.ingest.source import digest as of_bytes
    from memgit.app.ingest.source import plain_bytes

    sources: dict[str, str] = {}
    for file in proposal.files:
        url = "://" in file.path
        sources[file.path] = f"url:{file.path}" if url else "" if file.path == "-" else f"file:{file.path}"
        if not file.digest or file.path == "-":
            continue
        try:
            full = os.path.join(workspace.root or "", file.path)
            now = of_bytes(plain_bytes(full if os.path.exists(full) else full.partition("#")[0]))
        except OSError:
            raise Conflict(
                "the plan is made for a file that is not there any more",
                path=file.path,
                hint="write the plan again",
            ) from None
        if now != file.digest:
            raise Conflict(
                "the file changed since the plan was made", path=file.path, hint="write the plan again"
            )
    items = []
    for item in proposal.items:
        if item.path not in sources:
            raise BadInput(f"{item.segment}: the plan is not made for {item.path}")
        items.append(item._replace(source=item.source or sources[item.path]))
    return proposal._replace(items=tuple(items))


class _Carrier:
    """The planner of one ingest.

    It may run several times, where others commit meanwhile: each run starts afresh.
    """

    def __init__(self, proposal: Proposal, strict: bool, whole: bool) -> None:
        self.proposal, self.strict, self._whole = proposal, strict, whole
        self.done: list[Done] = []
        self._changes: list[RecordChange] = []
        self._linked: list[str] = []
        self._written: list[tuple[str, int, Item]] = []

    def plan(self, session: Session) -> Plan:
        items = self.proposal.items
        while True:
            done = self._attempt(session, items)
            lost = {one.item.segment: one.reason for one in done.values() if one.verdict == "skipped"}
            if not lost:
                break
            # Others may link to what could not be written: all is planned again without it.
            items = tuple(
                item._replace(action="skip", reason=lost[item.segment], chosen=False)
                if item.segment in lost
                else item
                for item in items
            )
            for path in list(session.board.edits):
                session.board.take_off(path)
            session = Session(session.workspace, session.context, session.board, session.reader.revision)
        self.done = [done.get(item.segment) or _idle(item) for item in items]
        if not self._changes:
            return Plan("ingest", (), "")
        session.verify()
        source = ", ".join(self.proposal.sources)
        return Plan(
            "ingest",
            tuple(self._changes),
            messages.summary("ingest", self.proposal.what, _counted(self._changes)),
            linked=tuple(dict.fromkeys(self._linked)),
            source=messages.cut(source, MAX_SOURCE) or None,
            detail=written(self._marks(session), self._taken_whole()) or None,
        )

    def _attempt(self, session: Session, items: Sequence[Item]) -> dict[str, Done]:
        """Puts everything on the board; what became of each segment that was to be written."""
        session.hasty = True
        self._changes, self._linked, self._written = [], [], []
        done: dict[str, Done] = {}
        links = _Links(session, [item for item in items if item.action == "create"], self.proposal.categories)
        # What is there is changed first: it keeps its place while new records are added behind it.
        order = {"update": self._update, "extend": self._extend, "create": self._create_document}
        for action, act in order.items():
            for item in items:
                if item.action == action and (action != "create" or not _is_entry(item)):
                    done[item.segment] = self._one(session, item, act, links)
        drafts = _Drafts()
        for item in items:
            if item.action == "create" and _is_entry(item):
                done[item.segment] = self._one(session, item, drafts.add, links)
        for item, error in drafts.write(session):
            done[item.segment] = self._lost(item, error)
        for item, path, ordinal, change in drafts.made:
            self._changes.append(change)
            self._written.append((path, ordinal, item))
        for item, path, ordinal, _ in drafts.made:
            others = [session.reader.find(address) for address in item.related]
            if others:
                _, changed = both_ways(session, session.again(path, ordinal), others)
                self._note_links(changed)
        follow_links(session, self._written, items)
        return done

    def _one(self, session: Session, item: Item, act: Any, links: _Links) -> Done:
        try:
            done: Done = act(session, item, links)
        except NotFound as error:
            raise NotFound(_about(item, error), path=error.path, line=error.line, hint=error.hint) from error
        except (BadInput, Refused) as error:
            return self._lost(item, error)
        except Conflict as error:
            hint = error.hint if self.strict else "run the ingest again"
            raise Conflict(_about(item, error), path=error.path, line=error.line, hint=hint) from error
        return done

    def _lost(self, item: Item, error: MemgitError) -> Done:
        """What becomes of a segment that cannot be written."""
        if self.strict:
            raise type(error)(
                _about(item, error), path=error.path, line=error.line, hint=error.hint
            ) from error
        return Done(item, "skipped", "", error.message)

    def _update(self, session: Session, item: Item, links: _Links) -> Done:
        record = self._target(session, item)
        before = session.bytes_of(record)
        fields = _source_of(item, record)
        made = update_record(
            session, record, item.body, fields=fields, related=_others(session, item, record)
        )
        return self._changed(session, item, record, made, before, "update")

    def _extend(self, session: Session, item: Item, links: _Links) -> Done:
        record = self._target(session, item)
        before = session.bytes_of(record)
        made = extend_record(session, record, item.body, fields={}, related=_others(session, item, record))
        return self._changed(session, item, record, made, before, "extend")

    def _target(self, session: Session, item: Item) -> Record:
        record = session.reader.find(item.into)
        # A second segment for one record meets it as the first one left it.
        if item.version and record.address not in {change.address for change in self._changes}:
            require_version(session, record, item.version)
        return record

    def _changed(
        self, session: Session, item: Item, record: Record, made: Plan, before: bytes, action: str
    ) -> Done:
        if not made.changes or session.board.data(record.path) == before:
            return Done(item, "unchanged", record.address)
        self._note(made)
        self._written.append((record.path, record.ordinal, item))
        return Done(item, PAST[action], record.address)

    def _create_document(self, session: Session, item: Item, links: _Links) -> Done:
        made = recording.plan(session, _request(session, item, related=_there(session, item.related)))
        self._note(made)
        assert made.record is not None
        siblings = [
            session.again(*links.places[segment])
            for segment in links.siblings(item)
            if segment in links.places
        ]
        both_ways(session, session.again(*made.record), siblings)
        links.places[item.segment] = made.record
        self._written.append((*made.record, item))
        return Done(item, "created", made.changes[0].address)

    def _marks(self, session: Session) -> list[tuple[str, Mark]]:
        """What the message says about each record that was written, as it is in the end; see `ingest_marks`."""
        out: dict[str, Mark] = {}
        for path, ordinal, item in self._written:
            record = session.again(path, ordinal)
            if record.id is not None and item.fingerprint:
                before = out.get(record.id)
                segments = item.fingerprint if before is None else (*before.segments, *item.fingerprint)
                edited = item.edited or item.action == "extend" or before is not None
                out[record.id] = Mark(tuple(dict.fromkeys(segments)), digest(record.body), edited)
        return list(out.items())

    def _taken_whole(self) -> list[str]:
        """Digest and kind of the files of which everything proposed was written."""
        if not self._whole:
            return []
        open_ = {one.item.path for one in self.done if one.stopped}
        digests = {file.path: file.digest for file in self.proposal.files if file.digest}
        stopped = {digests.get(path) for path in open_}
        kinds = {one.item.path: one.item.kind for one in self.done}
        known = ((digest, kinds.get(path)) for path, digest in digests.items() if digest not in stopped)
        return sorted({f"{digest} {kind}" for digest, kind in known if kind})

    def _note_links(self, changed: Sequence[Record]) -> None:
        """Takes over that records were linked back."""
        known = {change.address for change in self._changes}
        self._changes += [
            RecordChange("link", one.id, one.address) for one in changed if one.address not in known
        ]
        self._linked += [one.address for one in changed]

    def _note(self, made: Plan) -> None:
        """Takes the changes over; a record that is changed twice counts once, by what was done to it first."""
        known = {change.address for change in self._changes}
        self._changes += [change for change in made.changes if change.address not in known]
        self._linked += made.linked


def _about(item: Item, error: MemgitError) -> str:
    return f"{item.segment} ({item.title[:60]!r}): {error.message}"


def _is_entry(item: Item) -> bool:
    return item.kind in KINDS and KINDS[item.kind].stored == "entry"


def _request(session: Session, item: Item, **more: Any) -> recording.Request:
    """The new record that an item asks for. A page that claims to be of a day to come is of today."""
    if item.kind not in KINDS:
        raise BadInput(f"{item.kind!r} is not a kind of record")
    day = item.date if item.date and item.date <= session.context.today else None
    return recording.Request(
        item.kind, item.title, item.body, _fields(item), item.group or None, date=day, **more
    )


class _Drafts:
    """New entries, gathered by file: each file is read once, however many are added to it.

    Attributes:
        made: what was written: the item, path and ordinal of its record, and the change.
    """

    def __init__(self) -> None:
        self._by_path: dict[str, list[tuple[Item, Draft, RecordChange]]] = {}
        self._meta: dict[str, Mapping[str, Value]] = {}
        self.made: list[tuple[Item, str, int, RecordChange]] = []

    def add(self, session: Session, item: Item, links: _Links) -> Done:
        """Takes an item; raises what recording it raises."""
        request = recording.checked(
            _request(
                session,
                item._replace(title=titles.clean(item.title)),
                links=tuple(links.of(item)),
                category=links.category(item),
            ),
            session.context.today,
        )
        place = recording.place_for(session, request.kind)
        path, key = recording.target(session, request, place)
        present = recording.at_address(session, path, request)
        if present is not None or link.normal(request.title) in session.titles(path):
            raise Conflict(
                f"{request.kind}/{key}#{request.title} is there already",
                path=path,
                hint="give it another title",
            )
        identity = session.fresh_id()
        fields = recording.initial_fields(session, request, identity, place, key)
        address = session.workspace.layout.address(place, path, key, request.title)
        draft = Draft(request.kind, request.title, fields, request.body)
        self._by_path.setdefault(path, []).append((item, draft, RecordChange("create", identity, address)))
        self._meta.setdefault(path, request.category)
        session.added(path, request.title)
        return Done(item, "created", address)

    def write(self, session: Session) -> list[tuple[Item, MemgitError]]:
        """Puts all on the board; what could not be written, with the reason."""
        lost: list[tuple[Item, MemgitError]] = []
        for path, group in self._by_path.items():
            existing = session.board.data(path)
            found = session.board.parsed(path)
            unreadable = next(
                (problem for problem in found.problems if problem.fatal and problem.code != "MG104"), None
            )
            if existing is not None and unreadable is not None:
                raise Refused(
                    f"not written: {unreadable.message}",
                    path=path,
                    line=unreadable.line,
                    hint="fix the file by hand",
                )
            start = (
                existing
                if existing is not None
                else set_meta(b"", self._meta[path])
                if self._meta[path]
                else None
            )
            try:
                session.board.put(path, create_all([draft for _, draft, _ in group], start))
            except (BadInput, Refused, UnreadableFile) as error:
                lost += _culprits(group, start) or [(item, error) for item, _, _ in group]
                continue
            first = len(found.records)
            self.made += [
                (item, path, first + number, change) for number, (item, _, change) in enumerate(group)
            ]
        return lost


def _culprits(
    group: Sequence[tuple[Item, Draft, RecordChange]], existing: bytes | None
) -> list[tuple[Item, MemgitError]]:
    """Those of some entries that cannot be written even alone."""
    out: list[tuple[Item, MemgitError]] = []
    for item, draft, _ in group:
        try:
            create_all([draft], existing)
        except MemgitError as error:
            out.append((item, error))
    return out


def _counted(changes: Sequence[RecordChange]) -> list[RecordChange]:
    """The changes that the subject counts: links back are no news there, unless there is nothing else."""
    return [change for change in changes if change.action != "link"] or list(changes)


def _idle(item: Item) -> Done:
    verdict = {"merge": "merged", UNCHANGED: "unchanged"}.get(item.action, "skipped")
    return Done(
        item,
        verdict,
        item.into if item.action != "skip" else "",
        item.reason if item.action == "skip" else "",
    )


def _fields(item: Item) -> dict[str, Value]:
    """The fields of a new record, those that its kind has."""
    fields: dict[str, Value] = {
        "source": item.source,
        "keywords": item.keywords,
        "context": item.context,
        "topics": (item.topic,) if item.topic else (),
        "summary": item.summary,
    }
    return {name: value for name, value in fields.items() if value and name in KINDS[item.kind].fields}


def _source_of(item: Item, record: Record) -> Mapping[str, Value]:
    """The Source field of a record whose text is replaced: where that comes from."""
    same = not item.source or record.source == item.source or "source" not in KINDS[record.kind].fields
    return {} if same else {"source": item.source}


def _there(session: Session, addresses: Sequence[str]) -> tuple[str, ...]:
    """The records that are to be linked, those that are there.

    A plan names them; one that is gone is left out where nobody wrote it.
    """
    return tuple(session.reader.find(address).address for address in addresses)


def _others(session: Session, item: Item, record: Record) -> tuple[str, ...]:
    return tuple(address for address in _there(session, item.related) if address != record.address)


class _Links:
    """Links between the new records of one file: each with up to three that share key terms with it, both
    ways.
    """

    def __init__(self, session: Session, items: Sequence[Item], categories: Sequence[Category]) -> None:
        self._session, self._categories = session, {one.key: one for one in categories}
        self._by_id = {item.segment: item for item in items}
        self._pairs: dict[str, list[str]] = {}
        self.places: dict[str, tuple[str, int]] = {}
        by_path: dict[str, list[Item]] = {}
        for item in items:
            by_path.setdefault(item.path, []).append(item)
        for group in by_path.values():
            self._pair(group)

    def _pair(self, group: Sequence[Item]) -> None:
        terms = {item.segment: {word.casefold() for word in item.keywords} for item in group}
        for item in group:
            own = terms[item.segment]
            scores = [
                (len(own & terms[other.segment]) / (len(own) or 1), -number, other.segment)
                for number, other in enumerate(group)
                if other is not item
            ]
            for share, _, segment in sorted(scores, reverse=True)[:SIBLINGS]:
                if share >= SHARED:
                    for one, other in ((item.segment, segment), (segment, item.segment)):
                        if other not in self._pairs.setdefault(one, []):
                            self._pairs[one].append(other)

    def category(self, item: Item) -> Mapping[str, Value]:
        """What a new category of knowledge says about itself."""
        found = self._categories.get(item.group) if item.kind == "knowledge" else None
        return {} if found is None else {"name": found.name, "keywords": found.keywords}

    def siblings(self, item: Item) -> list[str]:
        """The segments whose records a new one is linked with."""
        return self._pairs.get(item.segment, [])

    def of(self, item: Item) -> list[str]:
        """What stands in the Related field of a new entry for them."""
        found = (self._text(self._by_id[segment]) for segment in self.siblings(item))
        return [text for text in found if text is not None]

    def _text(self, item: Item) -> str | None:
        """The text of a link to a new entry, None where none can name it."""
        title = messages.one_line(item.title)
        if (
            KINDS[item.kind].stored != "entry"
            or not item.group
            or any(mark in title for mark in ("|", "[[", "]]"))
        ):
            return None
        stem = f"skill-{item.group}" if item.kind == "experience" else item.group.rpartition("/")[2]
        for text in (f"{stem}#{title}", f"{item.kind}/{item.group}#{title}"):
            if not self._session.reader.named(link.parse(text)):
                return text
        return None
