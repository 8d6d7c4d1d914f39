"""What a merge brings: the commits that are being merged, and which findings they or HEAD have themselves.

A merge answers for what it makes of its sides. What one of them holds was checked, or let through, where it
was committed: it is told again and stops nothing. Derived files are no part of this: a merge has to get them
right, and one command does that.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from memgit import TYPE_CHECKING
from memgit.errors import MemgitError

if TYPE_CHECKING:
    from memgit.app.review.new_findings import Data
    from memgit.app.workspace import Context, Workspace
    from memgit.git.repository import Repository
    from memgit.lint.rule import Finding

NAMED = "GITHEAD_"
"""What begins the variables by which `git merge` names the commits that it merges to the programs that it
starts (`git-merge(1)`).
"""


def heads(repo: Repository, env: Mapping[str, str]) -> tuple[str, ...]:
    """The commits that are being merged into HEAD; empty where none is.

    Before a merge that goes through by itself is committed, git has written no MERGE_HEAD yet, only the
    variables.

    Args:
        env: the environment that git gave the hook.
    """
    named = [name[len(NAMED) :] for name in env if name.startswith(NAMED)]
    if not named:
        try:
            with open(f"{repo.git_dir}/MERGE_HEAD", "rb") as file:
                named = file.read().decode("ascii", "replace").split()
        except OSError:
            return ()
    return tuple(name for name in named if len(name) == 40 and not name.strip("0123456789abcdef"))


def new(
    workspace: Workspace, context: Context, found: Sequence[Finding], merged: Sequence[str], data: Data
) -> list[Finding]:
    """Of some findings in a merge, those that none of its sides has: the same rule says the same of the same
    file there.

    Args:
        merged: what `heads` gave, not empty.
        data: the files of the merge.
    """
    from memgit.app.check import lint
    from memgit.app.review.new_findings import Lines, news

    repo = workspace.require_repository()
    head = repo.head().commit
    left = list(found)
    if head is None:
        return left
    for side, other in ((head, merged[0]), *((one, head) for one in merged)):
        try:
            tree = repo.tree(side)
            paths = sorted({one.path for one in left if tree.get(one.path) is not None})
            if not paths:
                continue
            rules = tuple(sorted({one.rule for one in left}))
            # A change that history forbids is one since the sides parted, as in a review.
            asked = lint.Request(
                at=side, since=other, paths=tuple(map(os.path.normpath, paths)), select=rules
            )
            held = lint.lint(workspace, context, asked).report.result.findings
            left, _ = news(left, held, (), Lines(tree.data, data))
        except MemgitError:
            continue
    return left
