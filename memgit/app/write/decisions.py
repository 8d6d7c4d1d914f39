"""Both ends of one decision superseding another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memgit.app.write.session import Session
from memgit.errors import BadInput
from memgit.model import link
from memgit.model.record import Record, Value


def superseded_decisions(session: Session, names: Sequence[str]) -> list[Record]:
    """The decisions that are named.

    Raises:
        NotFound: one does not exist.
        BadInput: one is a record of another kind.
    """
    found = [session.reader.find(name) for name in names]
    wrong = next((record for record in found if record.kind != "decision"), None)
    if wrong is not None:
        raise BadInput(
            f"{wrong.address} is not a decision: only decisions are superseded",
            path=wrong.path,
            line=wrong.line,
        )
    return found


def named_decisions(
    session: Session, fields: Mapping[str, Value], present: Sequence[str] = ()
) -> dict[str, Value]:
    """Fields of a decision with the decisions that it supersedes, or that supersedes it, by address; names that
    are there already stay as they are typed.

    Raises:
        NotFound: one does not exist.
    """
    out = dict(fields)
    over = fields.get("supersedes")
    if isinstance(over, tuple) and over:
        named = (
            name if name in present else superseded_decisions(session, [name])[0].address for name in over
        )
        out["supersedes"] = tuple(dict.fromkeys(named))
    by = fields.get("superseded_by")
    if isinstance(by, str) and by:
        out["superseded_by"] = superseded_decisions(session, [by])[0].address
    return out


def write_both_ends(session: Session, new: Record, old: Sequence[Record]) -> list[Record]:
    """Has decisions say that a new one supersedes them, and the new one that it does; those that changed."""
    named = [_place(session, new, text) for text in new.items("supersedes")]
    missing = tuple(other.address for other in old if (other.path, other.ordinal) not in named)
    if missing:
        _edit(session, new, {"supersedes": (*new.items("supersedes"), *missing)})
    changed = []
    for other in old:
        if (other.path, other.ordinal) == (new.path, new.ordinal):
            raise BadInput(f"{new.address} cannot supersede itself", path=new.path, line=new.line)
        now = session.again(other.path, other.ordinal)
        by = now.text("superseded_by")
        there = by is not None and (by == new.address or _place(session, now, by) == (new.path, new.ordinal))
        fields: dict[str, Value] = {} if there else {"superseded_by": new.address}
        if (now.text("status") or "").lower() != "superseded":
            fields["status"] = "superseded"
        if fields:
            if now.text("updated") != session.context.today:
                fields["updated"] = session.context.today
            _edit(session, now, fields)
            changed.append(session.again(other.path, other.ordinal))
    return changed


def _place(session: Session, origin: Record, text: str) -> tuple[str, int] | None:
    """Where the record is that a field names."""
    found = session.reader.named(link.parse(text.strip().removeprefix("[[").removesuffix("]]")), origin.path)
    return (found[0].path, found[0].ordinal) if len(found) == 1 else None


def _edit(session: Session, record: Record, fields: dict[str, Value]) -> None:
    session.writable(record)
    data = session.form_of(record).edit(session.bytes_of(record), record.ordinal, fields)
    session.overlay.put(record.path, data)
