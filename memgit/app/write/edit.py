"""Editing the text of one record as a person sees it: a whole document, or the section of an entry.

The text is what the newest commit has. What is written back is merged with what was committed meanwhile, and
with uncommitted edits of the file as any other operation is.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.write.gate import require_sound
from memgit.app.write.linking.follow import follow
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.app.write.update import editable, touch
from memgit.app.write.write import execute, merger, session_now
from memgit.errors import BadInput, Conflict, Refused
from memgit.formats.follow import key_of
from memgit.formats.merging.linediff import matching
from memgit.formats.messages.describe import describe
from memgit.formats.text import decode, encode, has_bom, newline_of, normal, split_lines
from memgit.lint import gate
from memgit.model.change import Change, classify
from memgit.model.kinds import KINDS
from memgit.model.namedtuple import NamedTuple
from memgit.model.operation import RecordChange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgit.app.workspace import Context, Workspace
    from memgit.model.record import Record


class Opened(NamedTuple):
    """A record whose text is being edited: the file as it was, and the lines of it that are the record's, from
    `start` to before `end`, counted from 0.
    """

    record: Record
    data: bytes
    start: int
    end: int

    @property
    def lines(self) -> list[str]:
        """The record's lines as the file has them."""
        return split_lines(decode(self.data))[self.start : self.end]

    @property
    def text(self) -> str:
        """The record's text, each line ended by one `\\n`."""
        return normal("".join(self.lines)).rstrip("\n") + "\n"

    def holding(self, text: str) -> bytes:
        """The file with another text for the record; lines that stay keep their bytes, new ones get the line
        ends of the file.
        """
        whole = decode(self.data)
        lines, newline = split_lines(whole), newline_of(whole)
        old = self.lines
        bare, wanted = ([_bare(line) for line in old], text.strip("\n").split("\n"))
        new = [line + newline for line in wanted]
        for i, j, size in matching(bare, wanted):
            new[j : j + size] = old[i : i + size]
        ending = old[-1][len(_bare(old[-1])) :] if old else newline
        new[-1] = _bare(new[-1]) + ending
        new += old[len("".join(old).rstrip("\r\n").split("\n")) :]  # blank lines at the end of a document
        return encode("".join([*lines[: self.start], *new, *lines[self.end :]]), has_bom(self.data))


def _bare(line: str) -> str:
    return line.rstrip("\n").rstrip("\r")


def open_record(workspace: Workspace, context: Context, name: str) -> Opened:
    """The record to edit, as the newest commit has it.

    Raises:
        Refused: an observation, or a file that cannot be written.
    """
    session = session_now(workspace, context)
    record = session.reader.find(name)
    editable(session, record, {})
    record = session.again(record.path, record.ordinal)
    data = session.bytes_of(record)
    if KINDS[record.kind].stored == "entry":
        return Opened(record, data, record.line - 1, record.end_line)
    return Opened(record, data, 0, len(split_lines(decode(data))))


def edit(
    workspace: Workspace,
    context: Context,
    opened: Opened,
    text: str,
) -> OperationResult:
    """Writes an edited text of a record back, as one operation; links follow a new title.

    Raises:
        BadInput: the text is empty, is not one record, or has another id.
        Conflict: the same lines were committed otherwise meanwhile.
        Refused: the text cannot be understood, or the gate stops it.
    """
    if not text.strip():
        raise BadInput(
            "the text is empty: nothing was written", hint=f"memgit rm {opened.record.address} deletes it"
        )
    if text.strip("\n") == opened.text.strip("\n"):
        return OperationResult("edit", "no_op", opened.record, None)
    edited = opened.holding(text)
    return execute(workspace, context, lambda session: _plan(session, opened, edited))


def _plan(session: Session, opened: Opened, edited: bytes) -> Plan:
    overlay, path = session.overlay, opened.record.path
    merged = merger(overlay.layout)(path, opened.data, overlay.data(path), edited)
    if merged.conflicts:
        raise Conflict(
            f"{opened.record.address} was changed in the same lines while you edited it", path=path
        )
    before = overlay.parsed(path).records
    overlay.put(path, merged.data)
    old, new = _edited_record(overlay.parsed(path).records, before, opened.record)
    _require_whole(session, path)
    touch(session, new, {}, dated=new.fields.get("updated") == old.fields.get("updated"))
    new = session.again(path, new.ordinal)
    moved = [] if new.title == old.title else follow(session, {key_of(old): new}, [old])
    new = session.again(path, new.ordinal)
    action = classify(old, new)
    changes = [] if action is None else [Change(action, old, new)]
    require_sound(session.workspace, session.context, overlay, gate.WRITE, changes)
    op, named, subject = describe(changes, 1)
    linked = [one for one in moved if key_of(one) != key_of(new)]
    links = tuple(RecordChange("link", one.id, one.address) for one in linked)
    place, addresses = (path, new.ordinal), tuple(one.address for one in linked)
    return Plan(op, (*named, *links), subject, place, addresses, anyway=True)


def _edited_record(now: Sequence[Record], before: Sequence[Record], record: Record) -> tuple[Record, Record]:
    """The record before and after the edit, where it changed that one alone.

    Raises:
        BadInput: it made another record, took one away, or changed the id.
    """
    changed = [
        (old, new)
        for old, new in zip(before, now, strict=False)
        if (old.title, old.fields, old.body) != (new.title, new.fields, new.body)
    ] or [(old, new) for old, new in zip(before, now, strict=False) if old.ordinal == record.ordinal]
    if len(now) != len(before) or len(changed) != 1:
        raise BadInput(
            "the text is not one record any more",
            path=record.path,
            hint="record another one with memgit record, close code fences, and keep the heading",
        )
    old, new = changed[0]
    if old.id is not None and new.id != old.id:
        raise BadInput(f"the id of a record stays: {old.id}", path=record.path, line=new.line)
    return old, new


def _require_whole(session: Session, path: str) -> None:
    """Raises Refused where the edited file cannot be understood."""
    problem = next((one for one in session.overlay.parsed(path).problems if one.fatal), None)
    if problem is not None:
        raise Refused(f"not written: {problem.message}", path=path, line=problem.line)
