"""What the commits between two points would bring to others: asked by the pre-push hook and by `sync`."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.check import settings as lint_settings
from memgit.app.check.change import Judged, judged
from memgit.app.check.lint import corpus_at
from memgit.lint import gate
from memgit.lint.engine import run

if TYPE_CHECKING:
    from memgit.app.workspace import Context, Workspace


def check_range(workspace: Workspace, context: Context, door: str, base: str | None, new: str) -> Judged:
    """What a door says of a commit that others get, against the one that they have.

    Only the rules whose findings a push stops or reports are run, and only on files that differ.

    Args:
        door: `gate.PUSH` or `gate.SYNC`.
        base: the commit that the others have; None where they have none.
    """
    repo = workspace.require_repository()
    tree, old = repo.tree(new), repo.tree(base)
    differ = [path for path, _, _ in old.diff(tree)]
    if not differ:
        return Judged()
    rules = lint_settings.loaded((*gate.SOUND, gate.DERIVED))
    settings = lint_settings.settings_of(workspace, lint_settings.known())
    corpus = corpus_at(workspace, context, new, differ, since=base)
    found = run(corpus, settings, rules).findings
    return judged(workspace, context, door, found, tree.data, () if base is None else (base,))
