"""The operation that a set of record changes amounts to, and its subject."""

from __future__ import annotations

from collections.abc import Sequence

from memgit.formats.messages import message as messages
from memgit.model.change import VERBS, Change
from memgit.model.namedtuple import NamedTuple
from memgit.model.operation import RecordChange


class Described(NamedTuple):
    """An operation by name: what it did to records, and its subject."""

    op: str
    changes: tuple[RecordChange, ...]
    subject: str


def describe(changes: Sequence[Change], files: int) -> Described:
    """One verb where the changes agree, `edit` where they do not.

    Args:
        files: how many record files differ; said where no record changed.
    """
    made = tuple(change.named() for change in changes)
    main = [change for change in made if change.action != "link"] or list(made)
    actions = {change.action for change in main}
    op = VERBS.get(main[0].action, "edit") if len(actions) == 1 else "edit"
    if len(main) == 1 and op != "edit":
        change = changes[made.index(main[0])]
        present = change.new or change.old
        subject = messages.subject(
            op, present.kind if present else None, present.title if present else main[0].address
        )
    elif made:
        subject = messages.summary(op, "records", made)
    else:
        subject = messages.subject("edit", None, f"{files} files without a change to records")
    return Described(op, made, subject)
