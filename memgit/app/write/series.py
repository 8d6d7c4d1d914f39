"""Several operations in one go, one commit each: made one upon the other, brought into index and working tree
once, all of them or none.
"""

from __future__ import annotations

from collections.abc import Sequence

from memgit.app.derived import state as derived_state
from memgit.app.workspace import Context, Workspace
from memgit.app.write.gate import require_sound_write
from memgit.app.write.overlay import Overlay
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.app.write.write import (
    Planner,
    affected_derived,
    answer,
    check_secrets,
    execute,
    merger,
    message_of,
    note_right,
    warn_of_links,
)
from memgit.derive import affected_rows, derive_affected
from memgit.git import hooks
from memgit.git.commit.commit import Change, commit_series
from memgit.git.objects.blob_spool import Spill
from memgit.git.objects.tree import Tree
from memgit.git.repository import Head


def execute_series(
    workspace: Workspace, context: Context, planners: Sequence[Planner]
) -> list[OperationResult]:
    """Runs plans in order, each upon the result of the one before it; the answers in the same order.

    Where hooks of other tools want to see each commit, the operations are carried out one by one; what was
    committed before one fails stays then.

    Raises:
        What a planner raises, and what `write.carry_out` raises.
    """
    repo = workspace.writable()
    proposal = workspace.proposal
    if proposal is None and hooks.present(repo):
        return [execute(workspace, context, planner) for planner in planners]
    made: list[tuple[Plan | None, Overlay]] = []
    right: set[str] = set()

    def build(tree: Tree, head: Head) -> Sequence[Change]:
        changes = attempt(tree, head, trusting=True)
        return attempt(tree, head, trusting=False) or () if changes is None else changes

    def attempt(tree: Tree, head: Head, *, trusting: bool) -> Sequence[Change] | None:
        """The changes; None where files that were not read again after each record hold something else."""
        made.clear()
        right.clear()
        overlay = Overlay(workspace, repo, tree, head.commit)
        right.update(derived_state.known(repo, workspace.layout, tree))
        session = Session(workspace, context, overlay, head.commit)
        session.series, session.trusting = True, trusting
        changes = Spill(repo)
        for planner in planners:
            base = overlay.as_now()
            before = base.edits
            plan = planner(session)
            made.append((plan, overlay))
            if plan is None or not plan.changes:
                continue
            text = message_of(plan, context, check_secrets(workspace, context, overlay, plan, before))
            soft = _affected(workspace, overlay, base, right)
            edits = {
                path: data
                for path, data in overlay.edits.items()
                if path not in before or before[path] is not data
            }
            changes.add(Change(edits, text, soft))
        if not session.read_back():
            return None
        ops = [plan.op for plan, _ in made if plan is not None]
        require_sound_write(workspace, context, overlay, *ops)
        warn_of_links(session, *ops)
        return changes.changes()

    make = commit_series if proposal is None else proposal.commit_series
    done = make(repo, build, merge=merger(workspace.layout))
    if done.commit is not None:
        note_right(workspace, repo.tree(done.commit), right, ())
    commits = iter(done.commits)
    out = [
        answer(plan, overlay, next(commits) if plan is not None and plan.changes else None)
        for plan, overlay in made
    ]
    if out:
        out[0] = out[0]._replace(notes=(*out[0].notes, *(made[0][1].notes if made else ()), *done.notes))
    return out


def _affected(workspace: Workspace, overlay: Overlay, base: Overlay, right: set[str]) -> frozenset[str]:
    """Puts on the overlay what the edits since `base` affect; the first time a derived file is affected it is derived
    from all its records.
    """
    before = base.edits
    if workspace.indexes() != "committed":
        return frozenset()
    if not before:
        concerned = affected_derived(workspace, overlay)
        right.update(concerned)
        return concerned
    changed = sorted(
        path for path, data in overlay.edits.items() if path not in before or before[path] is not data
    )
    rows = affected_rows(overlay.layout, changed)
    concerned = frozenset(rows)
    for path, data in derive_affected(overlay, changed, base, right, rows).items():
        overlay.edits[path] = data
    right.update(concerned)
    return concerned
