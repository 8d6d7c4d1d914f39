"""Undoing one operation: what it did to records is taken back in a new commit; what came after stays."""

from __future__ import annotations

from memgit.app import config as configuration
from memgit.app.workspace import Context, Workspace
from memgit.app.write.write import Plan, Session, Written, carry_out, merger
from memgit.derive import is_derived
from memgit.errors import BadInput, Conflict, NotFound, Refused
from memgit.formats.messages import message as messages
from memgit.git.repository import Repository
from memgit.model.change import diff_records
from memgit.model.operation import RecordChange
from memgit.model.record import Record


def undo(
    workspace: Workspace,
    context: Context,
    revision: str | None,
    *,
    reason: str | None = None,
    stage: bool = False,
) -> Written:
    """Takes back the operation of one commit, by default the newest that changed records.

    Raises:
        Conflict: a later change stands in the way; file and line are named.
        Refused: a merge commit, or a commit beyond what a shallow clone holds.
    """
    repo = workspace.writable()
    commit = repo.resolve(revision) if revision is not None else newest(workspace, repo)
    parents = repo.parents_of(commit)
    if len(parents) > 1:
        raise Refused(f"{commit[:10]} is a merge: undo the commits that it brought, or use git revert -m")
    if repo.shallow() and _beyond(repo, parents):
        raise Refused(
            f"{commit[:10]} is the first commit that this shallow clone holds", hint="git fetch --unshallow"
        )
    after = repo.tree(commit)
    before = repo.tree(parents[0] if parents else None)
    changed = before.diff(after)
    derived = [row for row in changed if is_derived(workspace.layout, row[0])]
    paths = [row for row in changed if row not in derived and workspace.layout.find(row[0]) is not None]
    if not paths:
        raise BadInput(f"{commit[:10]} changed no record", hint="memgit log shows the operations")
    merge = merger(workspace.layout)

    def plan(session: Session) -> Plan:
        board = session.board
        old_records: list[Record] = []
        new_records: list[Record] = []
        for path, was, became in paths:
            ours = board.data(path)
            base = repo.blob(became) if became is not None else None
            theirs = repo.blob(was) if was is not None else None
            merged = merge(path, base, ours, theirs)
            if merged.conflicts:
                found = merged.conflicts[0]
                raise Conflict(
                    f"a later change stands in the way: {found.message}",
                    path=path,
                    line=found.line,
                    hint="undo the later change first, or edit by hand",
                )
            old_records += board.parsed(path).records
            if merged.data != ours:
                board.put(path, merged.data)
            new_records += board.parsed(path).records
        for path, was, became in derived:
            # What is derived is derived again, from how it was before: so what only the index knew goes and
            # comes back with the records.
            if board.data(path) == (repo.blob(became) if became is not None else None):
                board.put(path, repo.blob(was) if was is not None else None)
        changes = tuple(
            RecordChange(
                change.action,
                present.id,
                present.address,
                change.old.address if change.action == "rename" and change.old is not None else None,
            )
            for change in diff_records(old_records, new_records)
            if (present := change.new or change.old) is not None
        )
        subject = repo.message_of(commit).split("\n", 1)[0]
        note = f"This takes back {commit[:12]} ({messages.one_line(subject)})."
        return Plan("revert", changes, messages.subject("revert", None, subject), notes=(note,))

    text = f"Takes back {commit}." + (f"\n\n{reason}" if reason else "")
    return carry_out(workspace, context, plan, reason=text, stage=stage)


def _beyond(repo: Repository, parents: list[str]) -> bool:
    """Whether what came before a commit lies beyond the border of a shallow clone."""
    try:
        return any(not repo.tree_of(parent) for parent in parents)
    except NotFound:
        return True


def newest(workspace: Workspace, repo: Repository) -> str:
    """The newest commit on the branch that changed records."""
    from memgit.app.read.log import log

    tip = None if workspace.proposal is None else workspace.proposal.tip
    for event in log(workspace, tip, cache=workspace.cache, limit=1, records_only=True):
        now = repo.tree(tip or repo.head().commit)
        if (
            now.get(configuration.NAME) is not None
            and repo.tree(event.commit).get(configuration.NAME) is None
        ):
            raise NotFound(
                "there is no operation to undo since this became a knowledge root",
                hint=f"memgit undo {event.commit[:10]} takes back what was done before it",
            )
        return event.commit
    raise NotFound("there is no operation to undo", hint="memgit log")
