"""What a commit message says about records, held against what the trees show."""

from __future__ import annotations

from collections.abc import Sequence

from memgit.model.namedtuple import NamedTuple
from memgit.model.operation import PAST, RecordChange

IMPLIES = {
    "record": ("create", "promote", "link", "update", "extend"),
    "update": ("update", "extend", "rename", "link"),
    "extend": ("extend", "update", "link"),
    "archive": ("archive",),
    "restore": ("restore", "create"),
    "rename": ("rename", "update"),
    "promote": ("promote", "create"),
    "link": ("link", "update", "extend"),
}
"""The actions of which at least one shows that an operation took place."""


class Contradiction(NamedTuple):
    """A claim of a commit message that the trees contradict.

    Attributes:
        commit: the full hash.
        words: what it says and what it did.
        path: a file that the commit changed, from the knowledge root; that of the record where it changed it.
        address: the record that is meant, or that was changed instead.
    """

    commit: str
    words: str
    path: str
    address: str | None = None


def contradicted(
    op: str, claims: Sequence[RecordChange], done: Sequence[RecordChange]
) -> list[tuple[str, RecordChange | None]]:
    """What a message says in vain, in words, each with the change that shows it (None where there is none).

    Several claims about one record, as the message of a squash has them, may have come to nothing.

    Args:
        claims: what the message says.
        done: what the trees show, told with the actions of the claims where the records bear them out.
    """
    if any(change in claims for change in done) and set(claims) <= set(done):
        return []
    if op in IMPLIES and done and not any(change.action in IMPLIES[op] for change in done):
        return [(f"says {op}, but it {_did(done[0])}", done[0])]
    out: list[tuple[str, RecordChange | None]] = []
    for claim in claims:
        names = _names(claim)
        if sum(not names.isdisjoint(_names(other)) for other in claims) > 1:
            continue
        found = [change for change in done if not names.isdisjoint(_names(change))]
        said = f"says that it {_did(claim)}, but it"
        if not found:
            out.append((f"{said} did not change that record", None))
        elif all(change.action != claim.action for change in found):
            out.append((f"{said} {_did(found[0])}", found[0]))
    return out


def _names(change: RecordChange) -> set[str]:
    return {name for name in (change.id, change.address, change.was) if name}


def _did(change: RecordChange) -> str:
    return f"{PAST[change.action]} {change.address}"
