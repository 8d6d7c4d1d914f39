"""What the commits between two points would bring to others: asked by the pre-push hook and by `sync`."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.check import settings as lint_settings
from memgit.app.check.change import Judged, judged
from memgit.app.check.lint import corpus_at
from memgit.app.config import NAME
from memgit.lint import gate
from memgit.lint.engine import run

if TYPE_CHECKING:
    from memgit.app.workspace import Context, Workspace
    from memgit.git.repository import Repository


def check_range(
    workspace: Workspace, context: Context, door: str, base: str | None, new: str, branch: str | None = None
) -> Judged:
    """What a door says of a commit that others get, against the one that they have.

    Only the rules whose findings a push stops or reports are run, and only on files that differ.

    Args:
        door: `gate.PUSH` or `gate.SYNC`.
        base: the commit that the others have; None where they have none. Then what the folder held when it
            became a knowledge root counts as there before.
        branch: the full name of the branch that gets the commit, there; by default the one that is checked out.
    """
    repo = workspace.require_repository()
    start = base if base is not None else _adopted(repo, new)
    tree, old = repo.tree(new), repo.tree(start)
    differ = [path for path, _, _ in old.diff(tree)]
    if not differ:
        return Judged()
    rules = lint_settings.loaded((*gate.SOUND, gate.DERIVED))
    settings = lint_settings.settings_of(workspace, lint_settings.known(), branch)
    corpus = corpus_at(workspace, context, new, differ, since=start)
    found = run(corpus, settings, rules).findings
    sides = () if start is None else (start,)
    verdict = judged(workspace, context, door, found, tree.data, sides, settings=settings)
    told = [one for one in verdict.findings if one.severity == "error" or one.rule == gate.DERIVED]
    return verdict._replace(findings=tuple(told))


def _adopted(repo: Repository, new: str) -> str | None:
    """The commit that made a folder a knowledge root: what was there before is not what memgit brings."""
    name = repo.prefix + NAME
    found = repo.git("log", "--diff-filter=A", "--format=%H", new, "--", name).split()
    return found[-1].decode("ascii") if found else None
