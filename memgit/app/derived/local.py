"""Derived files that are kept out of commits (`indexes: local`) follow the commits.

Those that `memgit rebuild` wrote are named in `info/exclude`; they alone are written again, and new ones beside
them. A file that git has, or that somebody else put there, is left alone.
"""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING
from memgit.app.config import NAME
from memgit.app.derived.files import derive, of_working_tree
from memgit.derive import affected_rows
from memgit.errors import NotFound
from memgit.git.worktree.checkout import Put, put
from memgit.git.worktree.exclude import excluded, set_excluded
from memgit.git.write_all import replace_file

if TYPE_CHECKING:
    from collections.abc import Collection

    from memgit.app.workspace import Workspace
    from memgit.git.repository import Repository


def keep_local(workspace: Workspace, staged: Collection[str] = ()) -> list[str]:
    """Builds again what the commits since the last time concern; the paths that were written.

    Args:
        staged: what the next commit changes, to be counted in.

    Raises:
        MemgitError: history cannot be read, or a file cannot be written.
        OSError: what the files stand for cannot be read or noted.
    """
    repo, root = workspace.repo, workspace.root
    if workspace.config.indexes != "local" or root is None or repo is None or repo.worktree is None:
        return []
    head = repo.head().commit
    if head is None or workspace.proposal is not None or (head == (base := _noted(repo)) and not staged):
        return []
    held = excluded(repo)
    if not any(os.path.isfile(os.path.join(root, path)) for path in held):
        return []
    written = _write(workspace, repo, _changed(repo, base, head, staged), held)
    note(repo, head)
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


def note(repo: Repository, commit: str | None) -> None:
    """Notes the commit that the files stand for."""
    if commit is not None:
        replace_file(_path(repo), f"{commit}\n{repo.prefix}".encode("utf-8", "surrogateescape"))


def _noted(repo: Repository) -> str | None:
    try:
        with open(_path(repo), "rb") as file:
            commit, _, prefix = file.read().decode("utf-8", "surrogateescape").partition("\n")
    except OSError:
        return None
    return commit if prefix == repo.prefix else None


def _path(repo: Repository) -> str:
    return os.path.join(repo.git_dir, "memgit", f"local-{repo.prefix.strip('/').replace('/', '-')}")
