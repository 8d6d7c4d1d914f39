"""Ingesting: a proposal, as it was decided upon, becomes one commit."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memgit.app.ingest.links import follow_links
from memgit.app.ingest.marks import Mark, digest, written
from memgit.app.ingest.new_entries import Drafts, SiblingLinks, request_of
from memgit.app.ingest.source import digest as of_bytes
from memgit.app.ingest.source import plain_bytes
from memgit.app.workspace import Context, Workspace
from memgit.app.write import record as recording
from memgit.app.write.linking.links import both_ways
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.app.write.update import extend_record, require_version, update_record
from memgit.app.write.write import execute, rehearse
from memgit.errors import BadInput, Conflict, MemgitError, NotFound, Refused
from memgit.formats.messages import message as messages
from memgit.ingest.proposal import UNCHANGED, Item, Proposal, decided, gathered
from memgit.model.kinds import KINDS
from memgit.model.operation import PAST, RecordChange
from memgit.model.record import Record, Value

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

    written: OperationResult
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
    return _ingested(carrier, execute(workspace, context, carrier.plan))


def rehearsed(workspace: Workspace, context: Context, proposal: Proposal, *, strict: bool) -> Ingested:
    """What `carry` would answer; nothing is written. Raises what `carry` raises."""
    carrier = _carrier(proposal, strict)
    return _ingested(carrier, rehearse(workspace, context, carrier.plan))


def _carrier(proposal: Proposal, strict: bool, whole: bool = False) -> _Carrier:
    try:
        items = gathered(proposal.items)
    except ValueError as error:
        raise BadInput(str(error), hint="merge into a segment that is written") from None
    return _Carrier(proposal._replace(items=items), strict, whole)


def _ingested(carrier: _Carrier, answer: OperationResult) -> Ingested:
    left_out = sum(one.stopped for one in carrier.done) + sum(file.failed for file in carrier.proposal.files)
    return Ingested(answer, tuple(carrier.done), carrier.proposal, left_out)


def fitting(workspace: Workspace, proposal: Proposal) -> Proposal:
    """A plan from a file, with what its files say now.

    Raises:
        Conflict: a file changed since the plan was made, or is gone.
    """
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
            for path in list(session.overlay.edits):
                session.overlay.take_off(path)
            session = Session(session.workspace, session.context, session.overlay, session.reader.revision)
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
        """Puts everything on the overlay; what became of each segment that was to be written."""
        session.hasty = True
        self._changes, self._linked, self._written = [], [], []
        done: dict[str, Done] = {}
        links = SiblingLinks(
            session, [item for item in items if item.action == "create"], self.proposal.categories
        )
        # What is there is changed first: it keeps its place while new records are added behind it.
        order = {"update": self._update, "extend": self._extend, "create": self._create_document}
        for action, act in order.items():
            for item in items:
                if item.action == action and (action != "create" or not _is_entry(item)):
                    done[item.segment] = self._one(session, item, act, links)
        drafts = Drafts()

        def create(session: Session, item: Item, links: SiblingLinks) -> Done:
            return Done(item, "created", drafts.add(session, item, links))

        for item in items:
            if item.action == "create" and _is_entry(item):
                done[item.segment] = self._one(session, item, create, links)
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

    def _one(self, session: Session, item: Item, act: Any, links: SiblingLinks) -> Done:
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

    def _update(self, session: Session, item: Item, links: SiblingLinks) -> Done:
        record = self._target(session, item)
        before = session.bytes_of(record)
        fields = _source_of(item, record)
        made = update_record(
            session, record, item.body, fields=fields, related=_others(session, item, record)
        )
        return self._changed(session, item, record, made, before, "update")

    def _extend(self, session: Session, item: Item, links: SiblingLinks) -> Done:
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
        if not made.changes or session.overlay.data(record.path) == before:
            return Done(item, "unchanged", record.address)
        self._note(made)
        self._written.append((record.path, record.ordinal, item))
        return Done(item, PAST[action], record.address)

    def _create_document(self, session: Session, item: Item, links: SiblingLinks) -> Done:
        made = recording.plan(session, request_of(session, item, related=_there(session, item.related)))
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
