"""What the hook would stop in hand edits, asked before memgit commits them itself: git runs no hooks for such a commit."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app import lint
from memgit.derive import is_derived
from memgit.errors import Refused
from memgit.git.tree import Entry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgit.app.write import Session
    from memgit.lint.rule import Finding

ELSEWHERE = ("MG101", "MG102", "MG103", "MG501")
"""Derived files go into the same commit, and every write looks for credentials by itself."""
_FILE = 0o100644


def require_sound(session: Session) -> None:
    """Checks the edits on a board as the hook checks what is staged.

    Raises:
        BadInput: a configuration that cannot be read.
        Refused: an error that the newest commit has not got as well; the first one is named with its line.
    """
    errors = new_errors(session)
    if errors:
        first, more = errors[0], len(errors) - 1
        others = f", and {more:,} more" if more else ""
        raise Refused(
            f"not committed: {first.rule} {first.name}: {first.message}{others}", path=first.path, line=first.line,
            hint="mend it (memgit lint --changed shows all), then memgit commit again; --no-verify commits it as it is",
        )  # fmt: skip


def new_errors(session: Session) -> Sequence[Finding]:
    """The errors in what is edited that the newest commit does not have in the same file, in the same words."""
    board, repo = session.board, session.board.repo
    entries: dict[str, Entry | None] = {}
    for path, data in board.edits.items():
        old = board.tree.get(path)
        mode = old.mode if old is not None and old.is_file else _FILE
        entries[path] = None if data is None else Entry(mode, repo.write_blob(data))
    request = lint.Request(staged=True, ignore=ELSEWHERE, entries=entries)
    result, _ = lint.check_staged(session.workspace, session.context, request)
    errors = [found for found in result.findings if found.severity == "error" and not is_derived(board.layout, found.path)]
    paths = tuple(sorted({found.path for found in errors if board.tree.get(found.path) is not None}))
    if not paths or board.commit is None:
        return errors
    rules = tuple(sorted({found.rule for found in errors}))
    before = lint.lint(session.workspace, session.context, lint.Request(at=board.commit, paths=paths, select=rules)).report
    known = {(found.rule, found.path, found.message) for found in before.result.findings}
    return [found for found in errors if (found.rule, found.path, found.message) not in known]
