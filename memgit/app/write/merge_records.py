"""Merging duplicates: one record takes over what others have, every link to them leads to it, and they stay
as tombstones that name it.
"""

from __future__ import annotations

from collections.abc import Sequence

from memgit.app.read.counts import Tally, listed
from memgit.app.workspace import Context, Workspace
from memgit.app.write.linking.follow import follow, linking_records
from memgit.app.write.linking.links import link_text
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.app.write.update import editable, touch, whole_text
from memgit.app.write.write import execute, rehearse
from memgit.derive.dates import day
from memgit.errors import BadInput, MemgitError, Refused
from memgit.formats.follow import key_of, relocated
from memgit.formats.markdown import headings
from memgit.formats.messages import message as messages
from memgit.formats.page import heading
from memgit.model import link
from memgit.model.change import classify
from memgit.model.kinds import FIELDS, KINDS
from memgit.model.operation import RecordChange
from memgit.model.record import Record, Value

FILLED = ("source", "context", "description", "summary")
"""Texts that the kept record takes over where it has none."""
LEVEL = {"entry": 4, "document": 3}
"""The level of the heading over what another record said: under that of a dated section."""


def merge_records(
    workspace: Workspace,
    context: Context,
    keep: str,
    others: Sequence[str],
    *,
    body: str | None = None,
    dry_run: bool = False,
) -> OperationResult:
    """Merges `others` into `keep`, in one commit.

    The kept record gets the text of the others in a dated section (or `body` in place of its text), the union
    of their lists, what it has no text for itself, and the sum of the uses that their files count. It keeps
    its address, its id and the day of its making. The others are archived and say into which record they went
    (`merged_into`); their history and uses are found through it. One that has the same id is no other record
    but a copy, such as a merge of branches leaves: it is taken out.

    Args:
        dry_run: plan it and answer with the changes (action `dry_run`); nothing is written.

    Raises:
        BadInput: records of different kinds, or a record that is to be merged into itself.
        Refused: an observation, a record that is archived, or one whose file cannot be written.
    """

    def plan(session: Session) -> Plan:
        kept = session.writable(session.reader.find(keep))
        found = {
            (record.path, record.ordinal): session.writable(record)
            for record in map(session.reader.find, others)
        }
        return merge(session, kept, list(found.values()), body)

    if dry_run:
        return rehearse(workspace, context, plan)
    return execute(workspace, context, plan)


def merge(session: Session, kept: Record, others: Sequence[Record], body: str | None) -> Plan:
    """The plan of a merge."""
    _check(kept, others)
    editable(session, kept, {})
    was = {record.path: session.overlay.parsed(record.path).records for record in (kept, *others)}
    linking = {}
    for other in others:
        there = linking_records(session, other)
        was |= {
            record.path: session.overlay.parsed(record.path).records
            for record in there
            if record.path not in was
        }
        linking[other.path, other.ordinal] = there
    merged = {(record.path, record.ordinal) for record in (kept, *others)}
    back = [
        one
        for found in linking.values()
        for one in found
        if (one.path, one.ordinal) not in merged and not one.archived
    ]
    taken = [session.again(other.path, other.ordinal) for other in others]
    taken = [other._replace(body=relocated(other.body, other.path, kept.path)) for other in taken]
    _take_over(session, kept, taken, [one for one in back if _relates(session, one, others)], body)
    kept = session.again(kept.path, kept.ordinal)
    follow(session, {key_of(other): kept for other in others}, others)
    for path in sorted(was):
        _without_twice(session, path)
    kept = session.again(kept.path, kept.ordinal)
    copies = [other for other in taken if _is_copy(other, kept)]
    for other in taken:
        if other not in copies:
            _bury(session, other, kept)
    changes = _changes(session, was, kept, others)
    changes += tuple(RecordChange("rename", kept.id, kept.address, other.address) for other in copies)
    named = {record.address for record in (kept, *others)}
    for other in sorted(copies, key=lambda other: -other.ordinal):
        session.overlay.put(other.path, session.form_of(other).remove(session.bytes_of(other), other.ordinal))
    before = sum(other.path == kept.path and other.ordinal < kept.ordinal for other in copies)
    return Plan(
        "merge",
        changes,
        messages.subject("merge", kept.kind, kept.title),
        (kept.path, kept.ordinal - before),
        tuple(change.address for change in changes if change.address not in named),
        derived_from=tuple(other.address for other in others),
    )


def _check(kept: Record, others: Sequence[Record]) -> None:
    if not others:
        raise BadInput("say which records to merge into it", hint="memgit merge-records KEEP OTHER...")
    for record in (kept, *others):
        if record.kind == "observation":
            raise Refused(
                f"{record.address} is an observation: what was observed is never edited",
                path=record.path,
                line=record.line,
                hint="archive it, or promote it to a memory",
            )
        if record.archived:
            into = record.text("merged_into")
            raise Refused(
                f"{record.address} is archived{f': it was merged into {into}' if into else ''}",
                path=record.path,
                line=record.line,
                hint=f"memgit show {into}" if into else f"memgit restore {record.address}",
            )
    for other in others:
        if (other.path, other.ordinal) == (kept.path, kept.ordinal):
            raise BadInput(f"{kept.address} cannot be merged into itself", path=kept.path, line=kept.line)
        if other.kind != kept.kind:
            raise BadInput(
                f"{other.address} is of another kind than {kept.address}",
                path=other.path,
                line=other.line,
                hint="promote one of them, or link them: memgit link",
            )


def _without_twice(session: Session, path: str) -> None:
    """Takes links out of Related fields that lead to the same place twice, now that two names have become
    one.
    """
    for record in session.overlay.parsed(path).records:
        related = tuple(dict.fromkeys(record.related))
        if related != record.related:
            session.overlay.put(
                path,
                session.form_of(record).edit(session.bytes_of(record), record.ordinal, {"related": related}),
            )


def _relates(session: Session, record: Record, others: Sequence[Record]) -> bool:
    """Whether the Related field of a record named one of the others."""
    places = {(other.path, other.ordinal) for other in others}
    named = (session.reader.named(link.parse(text), record.path) for text in record.related)
    return any(len(found) == 1 and (found[0].path, found[0].ordinal) in places for found in named)


def _is_copy(other: Record, kept: Record) -> bool:
    """Whether a record is the same one, of which a merge of branches has left two."""
    return other.id is not None and other.id == kept.id


def _take_over(
    session: Session, kept: Record, others: Sequence[Record], back: Sequence[Record], body: str | None
) -> None:
    """Gives a record what others have, and links back to the records in `back`."""
    form = session.form_of(kept)
    kept = session.again(kept.path, kept.ordinal)
    data, ordinal, today = session.bytes_of(kept), kept.ordinal, session.context.today
    if body is not None:
        whole_text(kept.kind, body)
        data = form.replace(data, ordinal, body, today)
        session.overlay.put(kept.path, data)
    else:
        for other in others:
            kept = session.again(kept.path, kept.ordinal)
            addition = _addition(kept, other)
            if addition:
                session.overlay.put(kept.path, form.extend(session.bytes_of(kept), ordinal, addition, today))
    kept = session.again(kept.path, kept.ordinal)
    changes = {**_lists(session, kept, others, back), **_texts(kept, others), **_uses(session, kept, others)}
    if changes:
        session.overlay.put(kept.path, form.edit(session.bytes_of(kept), ordinal, changes))
    touch(session, session.again(kept.path, ordinal), {})


def _addition(kept: Record, other: Record) -> str:
    """What another record says that the kept one does not, as text for a dated section; empty where there is
    nothing.
    """
    text = other.body
    context = other.text("context")
    said = context and context not in (kept.text("context") or context) and context not in kept.body
    if not said and (not text or text in kept.body):
        return ""
    if not said and all(_item(line) for line in text.split("\n")):
        known = set(kept.body.split("\n"))
        return "\n".join(line for line in text.split("\n") if line not in known)
    level = LEVEL[KINDS[kept.kind].stored]
    parts = (
        ["#" * level + " " + heading(other.title)]
        if link.normal(other.title) != link.normal(kept.title)
        else []
    )
    parts += [context] if said and context else []
    parts += [_below(text, level + len(parts[:1]))] if text and text not in kept.body else []
    return "\n\n".join(parts)


def _item(line: str) -> bool:
    """Whether a line is an item of a list at its outermost level."""
    return line.startswith(("- ", "* ", "+ "))


def _below(text: str, level: int) -> str:
    """A text whose headings lie at a level or deeper."""
    found = headings(text)
    down = max(0, level - min((head.level for head in found), default=level))
    out: list[str] = []
    position = 0
    for head in found if down else ():
        out += (text[position : head.start], "#" * min(6, head.level + down) + " " + heading(head.title))
        position = head.end
    return "".join((*out, text[position:]))


def _lists(
    session: Session, kept: Record, others: Sequence[Record], back: Sequence[Record]
) -> dict[str, Value]:
    """The lists of the kept record with those of the others, as far as they become longer."""
    changes: dict[str, Value] = {}
    for name in KINDS[kept.kind].fields:
        if not FIELDS[name].many or name == "related":
            continue
        present = kept.items(name)
        if present and name == "topics" and session.place_of(kept).form == "vault":
            continue  # a vault has one topic a memory
        merged = _union(present, [item for other in others for item in other.items(name)])
        if merged != present:
            changes[name] = merged
    related = _related(session, kept, others, back)
    if related != kept.related:
        changes["related"] = related
    return changes


def _union(present: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    """Items without those that differ in case alone, the first spelling of each."""
    out: dict[str, str] = {}
    for item in (*present, *more):
        out.setdefault(" ".join(item.casefold().split()), item)
    return tuple(out.values())


def _related(
    session: Session, kept: Record, others: Sequence[Record], back: Sequence[Record]
) -> tuple[str, ...]:
    """The links of all of them and those back, each record once, those among themselves left out."""
    ours = {(record.path, record.ordinal) for record in (kept, *others)}
    out: dict[object, str] = {}
    for record in (kept, *others):
        for text in record.related:
            found = session.reader.named(link.parse(text), record.path)
            if len(found) != 1:
                out.setdefault(link.normal(text), text)
                continue
            here = (found[0].path, found[0].ordinal)
            if here not in ours:
                out.setdefault(here, text if record is kept else _link(session, found[0], text))
    for record in back:
        out.setdefault((record.path, record.ordinal), _link(session, record, record.address))
    return tuple(out.values())


def _link(session: Session, target: Record, text: str) -> str:
    """A link that leads from anywhere to where `text` leads from the record that has it."""
    try:
        return link_text(session, target)
    except MemgitError:
        return text


def _texts(kept: Record, others: Sequence[Record]) -> dict[str, Value]:
    known = KINDS[kept.kind].fields
    found = {
        name: next((text for other in others if (text := other.text(name))), None)
        for name in FILLED
        if name in known
    }
    return {name: text for name, text in found.items() if text and not kept.text(name)}


def _uses(session: Session, kept: Record, others: Sequence[Record]) -> dict[str, Value]:
    """The uses that files and the index of a vault count, added up, and the last one of them."""
    known = listed(session.reader)
    counts = {
        (record.path, record.ordinal): max(record.usage_count, known.get(record.path, Tally()).uses)
        for record in (kept, *others)
    }
    # What a copy counts, the record itself has counted too.
    copies = {(other.path, other.ordinal) for other in others if _is_copy(other, kept)}
    own = counts[kept.path, kept.ordinal]
    total = max([own, *(counts[place] for place in copies)])
    total += sum(
        count for place, count in counts.items() if place not in copies and place != (kept.path, kept.ordinal)
    )
    if total == own:
        return {}
    last = [text for record in (kept, *others) if (text := record.text("last_used")) and day(text)]
    last += [used for record in (kept, *others) if (used := known.get(record.path, Tally()).last_used)]
    mirrored = sum(
        record.mirrored_count for record in (kept, *others) if not _is_copy(record, kept) or record is kept
    )
    own_uses: dict[str, Value] = {"mirrored_count": str(mirrored)} if mirrored else {}
    return {"usage_count": str(total), **own_uses, **({"last_used": max(last)} if last else {})}


def _bury(session: Session, other: Record, kept: Record) -> None:
    """Archives a record with the id of the one that it went into."""
    changes: dict[str, Value] = {"archived": session.context.today, "merged_into": kept.id}
    session.overlay.put(
        other.path, session.form_of(other).edit(session.bytes_of(other), other.ordinal, changes)
    )
    touch(session, other, {}, dated=False)


def _changes(
    session: Session, was: dict[str, tuple[Record, ...]], kept: Record, others: Sequence[Record]
) -> tuple[RecordChange, ...]:
    """What happened to each record: the kept one first, then those that were merged, then those whose links
    were rewritten.
    """
    places = [(kept.path, kept.ordinal), *((other.path, other.ordinal) for other in others)]
    places += [
        (path, number)
        for path in sorted(was)
        for number in range(len(was[path]))
        if (path, number) not in places
    ]
    out = []
    for path, number in places:
        before, now = was[path][number], session.again(path, number)
        action = classify(before, now)
        if action is not None:
            out.append(RecordChange(action, now.id, now.address))
    return tuple(out)
