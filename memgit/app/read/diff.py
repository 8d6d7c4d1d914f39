"""What changed in records between two states, record by record."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff
from typing import Any, NamedTuple

from memgit.app.read.reader import Reader, open_reader
from memgit.app.read.show import show
from memgit.app.workspace import Workspace
from memgit.errors import NotFound
from memgit.git.worktree.status import dirty
from memgit.model.change import Change, diff_records
from memgit.model.record import Record, joined


class RecordDiff(NamedTuple):
    """One changed record: what happened to it, the fields that differ, and its text on both sides as a
    unified diff.
    """

    change: Change
    fields: tuple[str, ...]
    lines: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        old, new = self.change.old, self.change.new
        present = new or old
        return {
            "change": self.change.action,
            "id": present.id if present else None,
            "address": present.address if present else None,
            "was": old.address
            if old is not None and new is not None and old.address != new.address
            else None,
            "kind": present.kind if present else None,
            "title": present.title if present else None,
            "path": present.path if present else None,
            "fields": list(self.fields),
            "diff": list(self.lines),
        }


def diff(
    workspace: Workspace, name: str | None = None, base: str | None = None, head: str | None = None
) -> list[RecordDiff]:
    """The records that differ between `base` (the newest commit by default) and `head` (the working tree by
    default).

    With a name, that record alone. Both may be versions of one skill: `skill/x@1`, `skill/x@2` are given
    through `versions`.
    """
    new = open_reader(workspace, head)
    old = (
        open_reader(workspace, base if base is not None else "HEAD")
        if _has_commit(workspace) or base is not None
        else None
    )
    if name is None:
        return [described(change) for change in diff_records(*_changed_records(workspace, old, new))]
    try:
        return _one(name, old, new)
    except NotFound as error:
        if base is None and _is_revision(workspace, name):
            raise NotFound(
                error.message, hint=f"to compare with that commit: memgit diff --from {name}"
            ) from None
        raise


def _is_revision(workspace: Workspace, name: str) -> bool:
    try:
        workspace.require_repository().resolve(name)
    except NotFound:
        return False
    return True


def versions(workspace: Workspace, one: str, other: str, at: str | None = None) -> list[RecordDiff]:
    """The difference between two named records, such as two versions of one skill."""
    before, _ = show(workspace, one, at)
    after, _ = show(workspace, other, at)
    found = described(Change("update", before, after))
    return [found] if found.lines or found.fields else []


def _has_commit(workspace: Workspace) -> bool:
    return workspace.require_repository().head().commit is not None


def _one(name: str, old: Reader | None, new: Reader) -> list[RecordDiff]:
    try:
        after: Record | None = new.find(name)
    except NotFound:
        if old is None:
            raise
        after = None
    before: Record | None = None
    if old is not None:
        try:
            before = old.find(after.id if after is not None and after.id else name)
        except NotFound:
            if after is None:
                raise
    changes = diff_records([before] if before is not None else [], [after] if after is not None else [])
    return [described(change) for change in changes]


def _changed_records(
    workspace: Workspace, old: Reader | None, new: Reader
) -> tuple[list[Record], list[Record]]:
    paths = sorted(set(_changed_paths(workspace, old, new)))
    layout = workspace.layout
    paths = [path for path in paths if layout.holds(path)]
    before = [record for path in paths for record in (old.file(path).records if old is not None else ())]
    return before, [record for path in paths for record in new.file(path).records]


def _changed_paths(workspace: Workspace, old: Reader | None, new: Reader) -> Iterator[str]:
    repo = workspace.require_repository()
    head = repo.head().commit
    if new.fresh:
        yield from (path for path, _ in dirty(repo))
    old_tree = repo.tree(old.revision if old is not None else None)
    new_tree = repo.tree(new.revision if not new.fresh else head)
    for path, _, _ in old_tree.diff(new_tree):
        yield path


def described(change: Change) -> RecordDiff:
    """A change with its fields and text lines compared."""
    old, new = change.old, change.new
    names = dict.fromkeys([*(old.fields if old else ()), *(new.fields if new else ())])
    fields = [
        name
        for name in names
        if (old.fields.get(name) if old else None) != (new.fields.get(name) if new else None)
    ]
    if old is not None and new is not None and old.title != new.title:
        fields = list(dict.fromkeys(["title", *fields]))  # which a document has among its fields as well
    lines = unified_diff(_text(old), _text(new), "before", "after", lineterm="", n=3)
    return RecordDiff(change, tuple(fields), tuple(list(lines)[2:]))


def _text(record: Record | None) -> list[str]:
    """A record as comparable lines: title, fields, body."""
    if record is None:
        return []
    lines = [f"title: {record.title}"]
    lines += [
        f"{name}: {joined(value)}"
        for name, value in record.fields.items()
        if value and (name, value) != ("title", record.title)
    ]
    return [*lines, "", *record.body.split("\n")]
