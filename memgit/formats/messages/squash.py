"""The message of a squash that keeps the log: a subject, a short list for people, and one trailer block for
each operation.

Forges take a squash's message apart and put it together again: they add trailers, prefix the first line,
break long lines, take blanks off line ends, and name whoever pressed the button as the author. So every line
that counts is short (`message.folded`), each block says by itself what it is about and who did it
(`Memgit-Subject`, `Memgit-Reason`, `Memgit-Author`), and none depends on where it stands.
"""

from __future__ import annotations

from collections.abc import Sequence

from memgit.formats.messages.message import (
    SUBJECT_COLUMNS,
    columns,
    cut,
    escape,
    folded,
    one_line,
    record_trailer,
    summary,
    tidy,
)
from memgit.formats.messages.message import subject as subject_of
from memgit.model.operation import OPS, Operation

MAX_LISTED = 20
"""Operations that the list for people names; the rest is counted."""


def build(what: str, operations: Sequence[Operation], others: int = 0) -> str:
    """The whole message, ending in a newline; with no operation, a subject and the count of commits alone.

    Args:
        what: names the whole in the subject, such as the branch.
        operations: the first one first. Each gives its block, unless it named no record and has no operation
            of memgit's.
        others: commits that changed no record.
    """
    parts = [_subject(what, operations)]
    if len(operations) == 1:  # nothing stands beside its block, for it would be read as the reason
        return "\n\n".join([*parts, "\n".join(_block(operations[0]))]) + "\n"
    listed = [_line(operation) for operation in operations[:MAX_LISTED]]
    if len(operations) > MAX_LISTED:
        listed.append(f"and {len(operations) - MAX_LISTED} more")
    if others:
        listed.append(f"{others} commit{'' if others == 1 else 's'} that changed no record")
    if listed:
        parts.append("\n".join(listed))
    parts += ["\n".join(_block(operation)) for operation in operations]
    return "\n\n".join(parts) + "\n"


def _subject(what: str, operations: Sequence[Operation]) -> str:
    if len(operations) == 1 and operations[0].subject:
        return cut(one_line(operations[0].subject), SUBJECT_COLUMNS)
    if not operations:
        return subject_of("edit", None, what)
    ops = {operation.op for operation in operations}
    op = ops.pop() if len(ops) == 1 else "edit"
    return summary(op, what, [change for operation in operations for change in operation.records])


def _line(operation: Operation) -> str:
    """One operation for people, short enough that nobody breaks the line: its rest could stand for a trailer."""
    by = one_line(operation.actor or "")
    tail = f" ({cut(by, 24)})" if by else ""
    text = one_line(operation.subject) or operation.op
    return "- " + cut(text, SUBJECT_COLUMNS - 2 - columns(tail)) + tail


def _block(operation: Operation) -> list[str]:
    op = operation.op if operation.op in OPS else "edit"
    values = [("Op", op), ("Subject", escape(one_line(operation.subject)))]
    values += [("Record", record_trailer(change)) for change in operation.records]
    values += [("Derived-From", escape(address)) for address in operation.derived_from]
    single = (
        ("Source", operation.source),
        ("Actor", operation.actor),
        ("Run", operation.run),
        ("Author", operation.author),
    )
    values += [
        (key, escape(value)) for key, value in (*single, ("Reason", tidy(operation.reason or ""))) if value
    ]
    return [line for key, value in values if value for line in folded(f"Memgit-{key}: {value}")]
