"""What follows a change of commits under the working tree (merge, checkout, rebase): the cache moves on,
drift is told or fixed.

Files that git tracks are written only where that is asked for (`--fix`, or `git config memgit.refresh true`);
nothing is ever staged. Where derived files are kept out of commits (`indexes: local`), those that lie in the
working tree are brought up to date.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memgit.app.derived import noted
from memgit.app.derived import state as derived_state
from memgit.app.derived.local import WHAT, is_kept, keep
from memgit.app.derived.log_file import WHAT as LOG
from memgit.app.hooks.roots import State, roots
from memgit.derive import affected_paths, derive_affected, is_derived
from memgit.errors import MemgitError
from memgit.git.commit.amend import with_tree
from memgit.git.objects.tree import rewrite
from memgit.git.worktree.staged import staged
from memgit.model.shell import memgit_in

if TYPE_CHECKING:
    from memgit.app.workspace import Workspace
    from memgit.cache.records import Snapshot
    from memgit.git.repository import Repository

REFRESH = "memgit.refresh"
"""The setting of git that lets the hooks write derived files after a merge, checkout or rebase."""
MAX_TOLD = 5
"""So many records that are in two places are told of."""
MAX_REFRESHED_FILES = 5_000
"""Beyond so many changed files the cache is left to the next command: nobody waits for it in a checkout."""


def after(
    repo: Repository, old: str | None, new: str | None, what: str, *, fix: bool = False
) -> tuple[str, ...]:
    """Brings along what follows from a change of commits; never stops anything.

    Args:
        what: happened, in a word: `merge`.
        fix: writes derived files that are not what the records give into the working tree.
    """
    if old is None or new is None or old == new:
        return ()
    fix = fix or repo.settings.truth(REFRESH)
    lines: list[str] = []
    try:
        repo.at_prefix("")
        paths = [path for path, _, _ in repo.tree(old).diff(repo.tree(new))]
        for workspace in roots(repo, State(repo, new), paths):
            try:
                inside = workspace.require_repository()
                changed = [path[len(inside.prefix) :] for path in paths if path.startswith(inside.prefix)]
                snapshot = _refresh(workspace, new, changed)
                if snapshot is not None and what != "checkout":
                    lines += _doubled(workspace, snapshot, old, changed, what)
                lines += _derived(workspace, old, new, changed, what, fix)
                lines += _kept(workspace, what)
            finally:
                workspace.close()
    except MemgitError as error:
        lines.append(f"derived files could not be checked after this {what}: {error}")
    return tuple(lines)


def keep_beside(repo: Repository, old: str | None, new: str) -> tuple[str, ...]:
    """Brings along what a clone keeps beside its commits, after HEAD moved; what failed, in words."""
    repo.at_prefix("")
    lines: list[str] = []
    changed = [path for path, _, _ in repo.tree(old).diff(repo.tree(new))]
    for workspace in roots(repo, State(repo, new), changed):
        inside = workspace.require_repository()
        lines += keep(workspace).failed
        if not is_kept(workspace):  # any more: the shim need not call again
            noted.forget(inside, WHAT)
            noted.forget(inside, LOG)
        workspace.close()
    return tuple(lines)


def take_in(repo: Repository) -> str | None:
    """Puts the derived files that pre-merge-commit has staged into the merge commit itself: git makes the tree
    of a merge before it runs that hook. Nothing happens where anything else is staged.

    Returns:
        The commit that HEAD is at afterwards; None where nothing was put in.
    """
    head = repo.head()
    if head.commit is None or len(repo.parents_of(head.commit)) < 2:
        return None
    repo.at_prefix("")
    whole = staged(repo, head.commit)
    if not whole:
        return None
    derived: set[str] = set()
    for workspace in roots(repo, State(repo, head.commit), whole):
        prefix = workspace.require_repository().prefix
        derived |= {
            path
            for path in whole
            if path.startswith(prefix) and is_derived(workspace.layout, path[len(prefix) :])
        }
        workspace.close()
    if derived != whole.keys():
        return None
    tree = rewrite(repo, repo.tree_of(head.commit), whole)
    done = with_tree(repo, head, tree)
    return repo.head().commit if done else None


def _refresh(workspace: Workspace, commit: str, changed: Sequence[str]) -> Snapshot | None:
    """Moves the cache on to a commit, where there is one: the next command need not.

    The records, where the cache has them then.
    """
    repo = workspace.require_repository()
    if len(changed) > MAX_REFRESHED_FILES or not os.path.exists(
        os.path.join(repo.common_dir, "memgit", "cache.db")
    ):
        return None
    cache = workspace.cache
    if cache is None or cache.readonly or repo.head().commit != commit:
        return None
    from memgit.cache.records import Snapshot

    snapshot = Snapshot(cache, repo, workspace.layout, commit)
    snapshot.query(lambda _: None)
    return snapshot


def _doubled(
    workspace: Workspace, snapshot: Snapshot, old: str, changed: Sequence[str], what: str
) -> list[str]:
    """Tells of records that both sides moved: git merges the two places without a word."""
    from memgit.app.merge.two_places import doubled

    repo = workspace.require_repository()
    folder = os.path.relpath(workspace.root or ".", repo.worktree)
    found = doubled(workspace, snapshot, old, changed)
    out = [
        (
            f"after this {what}, {repo.prefix}{one.copy.path}:{one.copy.line}: {one.copy.address} "
            f"{one.words(folder)}"
        )
        for one in found[:MAX_TOLD]
    ]
    return out + (
        [f"and {len(found) - MAX_TOLD} more: memgit lint --select MG006"] if len(found) > MAX_TOLD else []
    )


def _derived(
    workspace: Workspace, old: str, new: str, changed: Sequence[str], what: str, fix: bool
) -> list[str]:
    """Tells of derived files that are not right, or writes them; one line."""
    from memgit.app.write.overlay import Overlay
    from memgit.git.worktree.checkout import Put, put

    repo = workspace.require_repository()
    mode = workspace.indexes()
    if mode != "committed":
        return []
    before, tree = repo.tree(old), repo.tree(new)
    base, overlay = Overlay(workspace, repo, before, old), Overlay(workspace, repo, tree, new)
    wrong = derive_affected(overlay, changed, base, derived_state.known(repo, workspace.layout, before))
    if not wrong:
        derived_state.note(
            repo,
            tree,
            derived_state.known(repo, workspace.layout, tree),
            affected_paths(workspace.layout, changed),
        )
        return []
    left: dict[str, str] = {}
    if fix:
        left = put(repo, {path: Put(overlay.data(path), data) for path, data in wrong.items()})
    done = [repo.prefix + path for path in sorted(wrong) if fix and path not in left]
    rest = [repo.prefix + path for path in sorted(wrong) if not fix or path in left]
    folder = os.path.relpath(workspace.root or ".", repo.worktree)
    out = []
    if done:
        out.append(f"after this {what}, wrote {_named(done)} into the working tree; git add stages it")
    if rest:
        mend = (
            f"{memgit_in(folder)} {'rebuild --commit' if workspace.config.indexes == 'trunk' else 'rebuild'}"
        )
        out.append(f"after this {what}, {_named(rest)} is not what the records give; fix: {mend}")
    return out


def _kept(workspace: Workspace, what: str) -> list[str]:
    """Brings what is kept beside the commits up to date; a line where derived files were written or something failed."""
    if not is_kept(workspace):
        return []
    kept = keep(workspace)
    return [*([f"after this {what}, wrote {_named(kept.written)}"] if kept.written else []), *kept.failed]


def _named(paths: Sequence[str]) -> str:
    return paths[0] + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
