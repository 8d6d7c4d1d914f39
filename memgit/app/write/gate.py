"""The gate at a write: what memgit is about to commit is held to the same rules as a hand edit.

Derived files go into the same commit and every write looks for credentials by itself, so neither is looked at
here.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.check import lint
from memgit.app.check.change import judged, shown
from memgit.derive import is_derived
from memgit.errors import Refused
from memgit.git.objects.tree import FILE, Entry
from memgit.lint import gate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgit.app.workspace import Context, Workspace
    from memgit.app.write.overlay import Overlay
    from memgit.model.change import Change

GUARDED = frozenset(["record", "update", "extend", "promote", "link", "ingest"])
"""Operations whose result is held to the rules of a hand edit. The others write nothing of their own (an undo,
a rename, a merge of records), or are what puts things right.
"""
WITH_HISTORY = frozenset(["decision", "skill", "observation"])
"""Kinds of which history forbids some changes (MG401, MG402, MG405)."""
ELSEWHERE = (gate.DERIVED, "MG102", "MG103", "MG501")
_HINTS = {
    gate.COMMIT: "edit the file (memgit lint --changed shows all), then memgit commit again; --no-verify "
    "commits it as it is",
    gate.WRITE: "memgit rule {rule} explains it",
}


def require_sound_write(workspace: Workspace, context: Context, overlay: Overlay, *ops: str) -> None:
    """Asks the gate about what some operations have put on an overlay, where that may hold anything for it: what
    memgit writes of other records is sound by the way it is made.

    Raises as `require_sound`.
    """
    if "remove" in ops or (
        not GUARDED.isdisjoint(ops)
        and any(
            (record.kind in WITH_HISTORY and overlay.tree.get(record.path) is not None)
            or (record.text("created") or record.text("at") or "") > context.today
            for record in overlay.written()
        )
    ):
        require_sound(workspace, context, overlay, gate.WRITE, ())


def require_sound(
    workspace: Workspace, context: Context, overlay: Overlay, door: str, changes: Sequence[Change]
) -> None:
    """Lets the gate judge the edits on an overlay; what it only warns of becomes a note on the overlay.

    Args:
        door: `gate.COMMIT` for hand edits, `gate.WRITE` for an operation of memgit's.
        changes: what the edits do to records.

    Raises:
        BadInput: a configuration that cannot be read.
        Refused: a finding that the door stops and that the newest commit does not have; the first one is named
            with its line.
    """
    repo = overlay.repo
    entries: dict[str, Entry | None] = {}
    for path, data in overlay.edits.items():
        if is_derived(overlay.layout, path):
            continue
        old = overlay.tree.get(path)
        mode = old.mode if old is not None and old.is_file else FILE
        entries[path] = None if data is None else Entry(mode, repo.write_blob(data))
    request = lint.Request(staged=True, ignore=ELSEWHERE, entries=entries)
    result = lint.check_staged(workspace, context, request)
    sides = () if overlay.commit is None else (overlay.commit,)
    verdict = judged(workspace, context, door, result.findings, overlay.data, sides, changes)
    errors = [one for one in verdict.findings if one.severity == "error"]
    if errors:
        first, more = errors[0], len(errors) - 1
        verb = "committed" if door == gate.COMMIT else "written"
        raise Refused(
            f"not {verb}: {first.rule} {first.name}: {first.message}{f', and {more:,} more' if more else ''}",
            path=first.path,
            line=first.line,
            hint=_HINTS[door].format(rule=first.rule),
        )
    if door == gate.COMMIT:
        overlay.notes += tuple(shown("", verdict.findings))
