"""Bringing one change to a file that may hold edits of the user's: three ways, or not at all.

The same rules hold for the file in the working tree and for its staged version; "have" stands for either.
"""

from __future__ import annotations

from enum import Enum
from shlex import quote

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git.objects.tree import Entry
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol, TypeAlias
else:
    Protocol = object


class Clash(Protocol):
    """One place in which two edits overlap."""

    @property
    def line(self) -> int | None:
        """Its line, counted from 1."""

    @property
    def message(self) -> str:
        """What clashes there."""


class Merged(Protocol):
    """What a merge gives (`formats.merge.Merged` does)."""

    @property
    def data(self) -> bytes | None:
        """The merged content."""

    @property
    def conflicts(self) -> Sequence[Clash]:
        """The overlaps; empty for a clean merge."""


Merge: TypeAlias = "Callable[[str, bytes | None, bytes | None, bytes | None], Merged]"
"""merge(path, base, ours, theirs): the user's version is ours, memgit's is theirs."""


class Edit(NamedTuple):
    """What a commit does to one path.

    Attributes:
        path: from the top of the working tree.
        name: from the knowledge root, for the user's eyes and for the merge.
        base: HEAD's entry, None where there is none.
        new: the commit's entry, None for a removal.
        data: the new content.
        soft: the file is derived: where the user has edited it, their version stays.
    """

    path: str
    name: str
    base: Entry | None
    new: Entry | None
    data: bytes | None
    soft: bool


class Action(Enum):
    """What becomes of a version that the user has."""

    KEEP = "keep"
    NEW = "new"
    GONE = "gone"
    MERGED = "merged"


class Carried(NamedTuple):
    """An action, and the content where it is a merged one."""

    action: Action
    data: bytes | None = None


def carry(
    edit: Edit,
    have: str,
    content: Callable[[], bytes],
    blob: Callable[[str], bytes],
    merge: Merge,
    *,
    staged: bool,
) -> Carried:
    """What becomes of a version that exists.

    Args:
        have: hash of the user's version, as git would store it.
        content: gives that version.
        blob: gives the content of a blob.
        staged: the version is the staged one, not the file.

    Raises:
        Refused: the user's edits and the commit's overlap (the lines are named), or one removes what the
            other edits.
    """
    if edit.new is not None and have == edit.new.oid:
        return Carried(Action.KEEP)
    if edit.base is not None and have == edit.base.oid:
        return Carried(Action.NEW if edit.new is not None else Action.GONE)
    if edit.base is None or edit.new is None:
        if edit.soft:
            return Carried(Action.KEEP)
        raise _stands_in_the_way(edit, staged)
    ours = content()
    result = merge(edit.name, blob(edit.base.oid), ours, edit.data)
    if result.conflicts or result.data is None:
        if edit.soft:
            return Carried(Action.KEEP)
        raise _overlap(edit, result.conflicts, staged, ours)
    if result.data == ours:
        return Carried(Action.KEEP)
    return Carried(Action.NEW) if result.data == edit.data else Carried(Action.MERGED, result.data)


def missing_file(edit: Edit) -> Carried:
    """What becomes of a file that the working tree lacks. Raises Refused where the user deleted it."""
    if edit.new is None:
        return Carried(Action.KEEP)
    if edit.base is None:
        return Carried(Action.NEW)
    if edit.soft:
        return Carried(Action.KEEP)
    raise Refused(
        "was deleted in the working tree, and the deletion is not committed",
        path=edit.name,
        hint=(
            f"git restore -- {quote(edit.name)} to have it back, or memgit commit to commit the "
            "deletion, then try again"
        ),
    )


def missing_entry(edit: Edit) -> Carried:
    """What becomes of a path that the index lacks: a new file is added, `git rm --cached` stays."""
    return Carried(Action.NEW if edit.base is None and edit.new is not None else Action.KEEP)


def _stands_in_the_way(edit: Edit, staged: bool) -> Refused:
    if edit.base is None:
        what = (
            "is staged with other content, but not committed"
            if staged
            else "is there already, but not committed"
        )
    else:
        what = f"has {'staged' if staged else 'uncommitted'} edits, and would be removed"
    return Refused(what, path=edit.name, hint="memgit commit it first, then try again")


def _overlap(edit: Edit, conflicts: Sequence[Clash], staged: bool, ours: bytes | None) -> Refused:
    lines = sorted({clash.line for clash in conflicts if clash.line})
    where = f" ({'line' if len(lines) == 1 else 'lines'} {', '.join(map(str, lines[:10]))})" if lines else ""
    said = next((clash.message for clash in conflicts if clash.message), "")
    # A commit would refuse what a merge left in the file.
    marked = ours is not None and b"\n<<<<<<< " in b"\n" + ours
    return Refused(
        (
            f"{'staged' if staged else 'uncommitted'} edits overlap with this "
            f"change{where}{f': {said}' if said else ''}"
        ),
        path=edit.name,
        line=lines[0] if lines else None,
        hint=(
            f"{'resolve the conflict that it holds, then ' if marked else ''}memgit commit the edits "
            "first, then try again"
        ),
    )
