"""The way of every write: from edits of record files to one commit that carries the derived files which it
affects.

A use case gives a `plan`: a pure function from the records of the newest commit to edits. It runs again
whenever somebody else's commit came first, so it must read everything it decides on from the `Session` that
it is given.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.config import NAME, parse
from memgit.app.derived import state as derived_state
from memgit.app.workspace import Context, Workspace
from memgit.app.write.beside_edits import derive_beside_edits
from memgit.app.write.gate import require_sound_write
from memgit.app.write.overlay import Overlay
from memgit.app.write.session import OperationResult, Plan, Session
from memgit.derive import CATEGORY_INDEX, affected_rows, derive_affected, derive_all, is_derived
from memgit.errors import BadInput
from memgit.formats.merging.merge import merge_file
from memgit.formats.messages import message as messages
from memgit.git.commit import lock
from memgit.git.commit.commit import LOCK_TIMEOUT, Change, Merge, Merged, commit
from memgit.git.objects.tree import Tree
from memgit.git.repository import Head, Repository
from memgit.git.worktree.staged import staged
from memgit.model.layout import Layout
from memgit.model.operation import PAST

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import TypeAlias

    from memgit.model.operation import RecordChange


_ACTIONS = {"rename": "renamed", "init": "created", "merge": "merged"}
"""The answer's action where it is that of the operation, whatever it did to the first record."""

Planner: TypeAlias = "Callable[[Session], Plan | None]"


def execute(
    workspace: Workspace,
    context: Context,
    planner: Planner,
) -> OperationResult:
    """Runs a plan and commits it with the derived files that it affects.

    Raises:
        Refused: the repository cannot take a commit now, the change overlaps uncommitted edits, or it would
            add a credential; nothing was changed.
    """
    repo = workspace.writable()
    result: list[tuple[Plan, Overlay]] = []

    def build(tree: Tree, head: Head) -> Change | None:
        result.clear()
        overlay = Overlay(workspace, repo, tree, head.commit)
        session = Session(workspace, context, overlay, head.commit)
        plan = planner(session)
        if plan is None:
            return None
        result.append((plan, overlay))
        if not plan.changes and not plan.anyway:
            return None
        text = message_of(plan, context, check_secrets(workspace, context, overlay, plan))
        if not plan.anyway:  # hand edits were asked for already
            require_sound_write(workspace, context, overlay, plan.op)
        warn_of_links(session, plan.op)
        name_engines(session, plan.changes)
        overlay.soft = soft = affected_derived(workspace, overlay) if plan.derived is None else plan.derived
        edits = {path: data for path, data in overlay.edits.items() if data != overlay.tree.data(path)}
        return Change(edits, text, soft) if edits else None

    make = commit if workspace.proposal is None else workspace.proposal.commit
    done = make(repo, build, merge=merger(workspace.layout), stage=context.stage)
    if not result:
        return OperationResult("", "no_op", None, None, notes=done.notes)
    plan, overlay = result[-1]
    if (done.commit is not None or context.stage) and overlay.soft and workspace.proposal is None:
        derive_beside_edits(workspace, repo, overlay.soft)
    if done.commit is not None and not done.altered:
        note_right(
            workspace,
            repo.tree(done.commit),
            derived_state.known(repo, overlay.layout, overlay.tree) - overlay.soft,
            overlay.soft,
        )
    if context.stage and plan.changes:
        _note_staged(workspace, context, plan, overlay)
    told = answer(plan, overlay, done.commit, staged=context.stage and bool(plan.changes))
    return told._replace(notes=(*plan.notes, *overlay.notes, *done.notes))


def _note_staged(workspace: Workspace, context: Context, plan: Plan, overlay: Overlay) -> None:
    """Notes who staged what and why, for the commit that takes it."""
    from memgit.app.write import pending

    repo = workspace.require_repository()
    with lock.hold(repo, LOCK_TIMEOUT):
        entries = staged(repo, overlay.commit)
        now = {path: None if entry is None else entry.oid for path, entry in entries.items()}
        blobs = {
            path: now[path] for path in overlay.edits if path in now and overlay.layout.find(path) is not None
        }
        one = pending.Pending(
            blobs,
            plan.op,
            plan.changes,
            context.actor,
            context.run,
            context.reason,
            plan.source,
            plan.derived_from,
        )
        pending.note(repo, one, repo.tree(overlay.commit), overlay.tree, now)


def note_right(workspace: Workspace, tree: Tree, right: Collection[str], derived: Collection[str]) -> None:
    """Notes which derived files are right in the tree of a new commit, as `derived_state.note` does, where
    that may be said.
    """
    if workspace.indexes() == "committed" and workspace.proposal is None and _is_configured(workspace, tree):
        derived_state.note(workspace.require_repository(), tree, right, derived)


def _is_configured(workspace: Workspace, tree: Tree) -> bool:
    """Whether records lie where the tree itself says: an edit of the configuration that is not committed may
    be taken back.
    """
    if workspace.root is None:
        return True
    try:
        with open(f"{workspace.root}/{NAME}", "rb") as file:
            edited = Repository.hash_blob(file.read())
    except OSError:
        edited = None
    if edited == tree.file(NAME):
        return True
    try:
        return parse(tree.data(NAME) or b"").layout == workspace.layout
    except BadInput:
        return False


def session_now(workspace: Workspace, context: Context) -> Session:
    """A session of the newest commit, for what is looked at before a plan is carried out.

    Raises:
        Refused: the repository cannot be written to.
    """
    repo = workspace.writable()
    tip = repo.head().commit if workspace.proposal is None else workspace.proposal.tip
    return Session(workspace, context, Overlay(workspace, repo, repo.tree(tip), tip), tip)


def rehearse(workspace: Workspace, context: Context, planner: Planner) -> OperationResult:
    """The answer that a plan would get (action `dry_run`), without anything being written.

    Raises:
        Refused: it would add a credential, or the repository cannot be written to. What a commit may be
            refused for besides, such as an overlap with uncommitted edits, is not looked for.
    """
    session = session_now(workspace, context)
    overlay, plan = session.overlay, planner(session)
    if plan is None:
        return OperationResult("", "dry_run", None, None)
    if plan.changes or plan.anyway:
        check_secrets(workspace, context, overlay, plan)
        warn_of_links(session, plan.op)
    record = None if plan.record is None else overlay.parsed(plan.record[0]).records[plan.record[1]]
    return OperationResult(
        plan.op, "dry_run", record, None, plan.linked, (*plan.notes, *overlay.notes), plan.changes
    )


def check_secrets(
    workspace: Workspace,
    context: Context,
    overlay: Overlay,
    plan: Plan,
    before: Mapping[str, bytes | None] | None = None,
) -> str | None:
    """Looks for credentials in what a plan adds, as the context says; the reason that may be written.

    Args:
        before: the edits that lay on the overlay before the plan.

    Raises:
        Refused: there is one.
    """
    if context.secrets == "allow":
        return context.reason
    earlier: Mapping[str, bytes | None] = before or {}
    paths = [
        path
        for path, data in overlay.edits.items()
        if (data is None or earlier.get(path) is not data)
        and path not in (plan.derived or ())
        and not is_derived(overlay.layout, path)
    ]
    if not paths and context.reason is None:
        return context.reason
    from memgit.app.write.credentials import checked_for_secrets

    def old(path: str) -> bytes | None:
        return earlier[path] if path in earlier else overlay.tree.data(path)

    return checked_for_secrets(workspace, overlay, plan, context.reason, context.secrets, old, paths)


LINKING = frozenset(["record", "update", "extend", "promote", "ingest"])
"""Operations that write texts of somebody, who is told where a link in them is unresolved."""


def warn_of_links(session: Session, *ops: str) -> None:
    """Notes on the overlay which links in what some operations wrote are unresolved."""
    if LINKING.isdisjoint(ops):
        return
    overlay = session.overlay
    texts = [
        path
        for path, data in overlay.edits.items()
        if data is not None and (b"[[" in data or b"supersede" in data)
    ]
    if texts:
        from memgit.app.write.linking.links import warn_of_broken

        warn_of_broken(
            session,
            {path: overlay.tree.data(path) for path in texts if not is_derived(overlay.layout, path)},
        )


MANY_KNOWLEDGE = 50
"""Records of knowledge beyond which Mem Skill names its other search engine."""


def name_engines(session: Session, changes: Sequence[RecordChange]) -> None:
    """Notes on the overlay which other search engines there are, when there come to be that many records."""
    created = sum(one.action == "create" and one.address.startswith("knowledge/") for one in changes)
    if not created:
        return
    before = session.reader.snapshot.in_use("knowledge")
    if before <= MANY_KNOWLEDGE < before + created:
        from memgit.app.read.engines import others

        names = others(session.workspace)
        if names:
            session.overlay.notes += (
                f"{before + created} records of knowledge: other search engines ({', '.join(names)}) may find "
                "more; memgit engine list",
            )


def message_of(plan: Plan, context: Context, reason: str | None) -> str:
    """The commit message of a plan."""
    said = "\n\n".join(text for text in (reason, plan.detail) if text)
    return messages.build(
        plan.subject,
        plan.op,
        plan.changes,
        reason=said,
        source=plan.source,
        actor=context.actor,
        run=context.run,
        derived_from=plan.derived_from,
    )


def answer(
    plan: Plan | None, overlay: Overlay, commit_id: str | None, *, staged: bool = False
) -> OperationResult:
    """The answer to an operation that became a commit, was staged, or changed nothing."""
    if plan is None:
        return OperationResult("", "no_op", None, None)
    record = None if plan.record is None else overlay.parsed(plan.record[0]).records[plan.record[1]]
    wrote = commit_id is not None or staged
    action = (
        _ACTIONS.get(plan.op) or (PAST[plan.changes[0].action] if plan.changes else "updated")
        if wrote
        else "no_op"
    )
    linked, changes = (plan.linked, plan.changes) if wrote else ((), ())
    return OperationResult(
        plan.op, action, record, commit_id, linked, plan.notes, changes, staged, plan.close if wrote else ()
    )


def affected_derived(workspace: Workspace, overlay: Overlay) -> frozenset[str]:
    """Puts the derived files that the edits affect on the overlay; the paths of all that they may concern."""
    return _affected(overlay) if workspace.indexes() == "committed" else frozenset()


def _affected(overlay: Overlay) -> frozenset[str]:
    changed = sorted(overlay.edits)
    right = derived_state.known(overlay.repo, overlay.layout, overlay.tree)
    if NAME in changed:
        overlay.notes += keep_names(overlay, None)
        derived: Mapping[str, bytes | None] = derive_all(overlay)
        concerned = frozenset(derived)
    else:
        late = affected_rows(
            overlay.layout, derived_state.since_right(overlay.repo, overlay.layout, overlay.tree)
        )
        rows = {**late, **affected_rows(overlay.layout, changed)}
        concerned = frozenset(rows)
        if not concerned <= right:
            from memgit.app.derived.validity import still_right

            right |= still_right(overlay, concerned - right)
        rows = {path: row for path, row in rows.items() if path not in late or path not in right}
        doubtful = concerned.difference(right) | concerned.intersection(changed)
        if doubtful:
            overlay.notes += keep_names(overlay, doubtful)
            if len(overlay.edits) > len(changed):
                changed = sorted(overlay.edits)
        rows |= affected_rows(overlay.layout, changed)
        derived = derive_affected(overlay, changed, overlay.unedited(), right, rows, overlay.problems)
        fixed = sorted(derived.keys() - affected_rows(overlay.layout, changed).keys())
        overlay.notes += tuple(
            f"{path}: derived again, an earlier commit left it out of date" for path in fixed
        )
    for path, data in derived.items():
        overlay.edits[path] = data
    return concerned


def keep_names(overlay: Overlay, indexes: frozenset[str] | None) -> tuple[str, ...]:
    """Sees to it that no name of a category is lost where indexes (None: all) were changed by others; what to
    tell the user.
    """
    if indexes is not None and not any(path.endswith(CATEGORY_INDEX) for path in indexes):
        return ()
    from memgit.app.write.category_names import keep

    return keep(overlay, indexes)


def merger(layout: Layout) -> Merge:
    """The three-way merge for paths of a layout: `(path, base, ours, theirs)`."""

    def merge(path: str, base: bytes | None, ours: bytes | None, theirs: bytes | None) -> Merged:
        found = layout.find(path)
        form, kind = (found[0].form, found[0].kind) if found is not None else ("", "")
        return merge_file(form, kind, base, ours, theirs)

    return merge
