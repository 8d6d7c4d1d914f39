"""What a clone keeps beside its commits follows them: derived files that are kept out of commits (`indexes: local`),
and `log.md` (`log: local`). Every command, hook and server that has committed calls `keep`.

Derived files that `memgit rebuild` wrote are named in `info/exclude`; they alone are written again, and new ones
beside them. A file that git has, or that somebody else put there, is left alone.
"""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING
from memgit.app.config import NAME
from memgit.app.derived import noted
from memgit.app.derived.files import derive, of_working_tree
from memgit.derive import affected_rows
from memgit.errors import MemgitError, NotFound
from memgit.git.worktree.checkout import Put, put
from memgit.git.worktree.exclude import excluded, set_excluded
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

    from memgit.app.workspace import Workspace
    from memgit.git.repository import Repository

WHAT = "local"


class Kept(NamedTuple):
    """The derived files that were written, what failed, and why `log.md` was left alone where it was."""

    written: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    log_left: str | None = None


def is_kept(workspace: Workspace) -> bool:
    """Whether the configuration keeps anything beside the commits."""
    return bool(workspace.config.log) or workspace.config.indexes == "local"


def keep(workspace: Workspace, staged: Collection[str] = ()) -> Kept:
    """Brings what is kept beside the commits up to date with HEAD; it never fails.

    Args:
        staged: what the next commit changes, to be counted in.
    """
    written: list[str] = []
    failed: list[str] = []
    left = None
    try:
        written = _keep_derived(workspace, staged)
    except (MemgitError, OSError) as error:
        failed.append(f"local derived files are not up to date: {error}")
    if workspace.config.log:
        from memgit.app.derived.log_file import keep_log

        try:
            left = keep_log(workspace)
        except (MemgitError, OSError) as error:
            failed.append(f"log.md is not up to date: {error}")
    return Kept(tuple(written), tuple(failed), left)


def _keep_derived(workspace: Workspace, staged: Collection[str]) -> list[str]:
    """Builds again what the commits since the last time concern; the paths that were written."""
    repo, root = workspace.repo, workspace.root
    if workspace.config.indexes != "local" or root is None or repo is None or repo.worktree is None:
        return []
    head, (base, _) = repo.head().commit, noted.noted(repo, WHAT) or (None, 0)
    if head is None or workspace.proposal is not None or (head == base and not staged):
        return []
    held = excluded(repo)
    if not any(os.path.isfile(os.path.join(root, path)) for path in held):
        return []
    written = _write(workspace, repo, _changed(repo, base, head, staged), held)
    noted.note(repo, WHAT, head)
    return written


def _changed(repo: Repository, base: str | None, head: str, staged: Collection[str]) -> list[str] | None:
    """The paths that changed since the files were written; None where that is not known."""
    try:
        before = None if base is None else repo.tree(repo.resolve(base))
    except NotFound:  # no commit of this clone any more
        return None
    if before is None:
        return None
    changed = [*staged, *(path for path, _, _ in before.diff(repo.tree(head)))]
    return None if NAME in changed else changed


def _write(workspace: Workspace, repo: Repository, changed: list[str] | None, held: set[str]) -> list[str]:
    rows = None if changed is None else affected_rows(workspace.layout, changed)
    if rows is not None and not rows:
        return []
    state = of_working_tree(workspace, repo, ignored=rows)
    rendered = (
        derive(state)[0] if rows is None else {path: row.build(state, path) for path, row in rows.items()}
    )
    wanted = {
        path: Put(before, one.data)
        for path, one in rendered.items()
        if one.data != (before := state.before(path))
        and not any(problem.fatal for problem in one.problems)
        and state.tree.get(path) is None
        and (path in held or not os.path.lexists(os.path.join(workspace.root or "", path)))
    }
    left = put(repo, wanted)
    written = [path for path in sorted(wanted) if path not in left]
    gone = {path for path in written if wanted[path].after is None}
    set_excluded(repo, held.union(written) - gone)
    return written
