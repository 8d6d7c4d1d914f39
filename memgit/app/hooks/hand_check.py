"""What the hook would stop in hand edits, asked before memgit commits them itself: git runs no hooks for such
a commit.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.check import lint
from memgit.derive import is_derived
from memgit.errors import Refused
from memgit.git.objects.tree import Entry
from memgit.lint.rule import HISTORY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgit.app.write.write import Session
    from memgit.lint.rule import Finding
    from memgit.model.change import Change

ELSEWHERE = ("MG101", "MG102", "MG103", "MG501")
"""Derived files go into the same commit, and every write looks for credentials by itself."""
_FILE = 0o100644


def require_sound(session: Session, changes: Sequence[Change]) -> None:
    """Checks the edits on a board as the hook checks what is staged.

    Args:
        changes: what the edits do to records.

    Raises:
        BadInput: a configuration that cannot be read.
        Refused: an error that the newest commit has not got as well; the first one is named with its line.
    """
    errors = new_errors(session, changes)
    if errors:
        first, more = errors[0], len(errors) - 1
        others = f", and {more:,} more" if more else ""
        raise Refused(
            f"not committed: {first.rule} {first.name}: {first.message}{others}",
            path=first.path,
            line=first.line,
            hint=(
                "mend it (memgit lint --changed shows all), then memgit commit again; --no-verify "
                "commits it as it is"
            ),
        )


def new_errors(session: Session, changes: Sequence[Change]) -> list[Finding]:
    """The errors in what is edited that the newest commit does not have; what history forbids is always new."""
    board, repo = session.board, session.board.repo
    entries: dict[str, Entry | None] = {}
    for path, data in board.edits.items():
        old = board.tree.get(path)
        mode = old.mode if old is not None and old.is_file else _FILE
        entries[path] = None if data is None else Entry(mode, repo.write_blob(data))
    request = lint.Request(staged=True, ignore=ELSEWHERE, entries=entries)
    result, _ = lint.check_staged(session.workspace, session.context, request)
    errors = [
        found
        for found in result.findings
        if found.severity == "error" and not is_derived(board.layout, found.path)
    ]
    if not errors or board.commit is None:
        return errors
    from memgit.app.review.new_findings import Lines, came_from, news

    back = came_from(changes)
    paths = {back(found.path) for found in errors if board.tree.get(back(found.path)) is not None}
    if not paths:
        return errors
    asked = lint.Request(
        at=board.commit, paths=tuple(sorted(paths)), select=tuple(sorted({found.rule for found in errors}))
    )
    before = lint.lint(session.workspace, session.context, asked).report
    forbidden = {rule.code for rule in before.rules if rule.scope == HISTORY}
    known = [found for found in before.result.findings if found.rule not in forbidden]
    return news(errors, known, changes, Lines(board.tree.data, board.data, back))[0]
