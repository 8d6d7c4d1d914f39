"""Commit messages of hand edits: subject and trailers are written from what is staged, and checked."""

from __future__ import annotations

import os
import shlex

from memgit import TYPE_CHECKING
from memgit.app.hooks import hook_state
from memgit.app.hooks.roots import State, inside, roots
from memgit.app.write import pending
from memgit.derive import is_derived
from memgit.formats.codecs import parse_file
from memgit.formats.messages import message as messages
from memgit.formats.messages import message_file
from memgit.formats.messages.describe import describe
from memgit.formats.messages.message_file import Style
from memgit.git.worktree.staged import staged
from memgit.model.change import diff_records, refine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgit.app.hooks.hook_state import Block
    from memgit.app.workspace import Context, Workspace
    from memgit.app.write.pending import Pending
    from memgit.formats.messages.message_file import Style
    from memgit.git.objects.tree import Entry
    from memgit.git.repository import Repository
    from memgit.model.change import Change
    from memgit.model.operation import RecordChange
    from memgit.model.record import Record

_REBASING = ("rebase", "cherry-pick", "revert", "am", "merge")
_REVERTS = "\nThis reverts commit "


def record_changes(
    workspace: Workspace, base: str | None, entries: Mapping[str, Entry | None]
) -> tuple[list[Change], int]:
    """What staged entries of a knowledge root do to its records against a commit, and how many record files
    differ.
    """
    repo, layout = workspace.require_repository(), workspace.layout
    tree = repo.tree(base)
    old: list[Record] = []
    new: list[Record] = []
    files = 0
    for path, entry in entries.items():
        if not layout.holds(path) or is_derived(layout, path):
            continue
        files += 1
        before = tree.data(path)
        old += parse_file(layout, path, before).records if before is not None else ()
        if entry is not None and entry.is_file:
            new += parse_file(layout, path, repo.blob(entry.oid)).records
    return diff_records(old, new), files


def staged_changes(repo: Repository, base: str | None) -> list[tuple[list[Change], int]]:
    """What the index does to records against a commit, for each knowledge root as `record_changes` gives it."""
    repo.at_prefix("")
    whole = staged(repo, base)
    out = []
    for workspace in roots(repo, State(repo, base, whole), whole):
        out.append(record_changes(workspace, base, inside(workspace, whole)))
        workspace.close()
    return out


def block_of(changed: Iterable[tuple[list[Change], int]]) -> Block | None:
    """What the message should say of some changes; None where no record changed."""
    found = list(changed)
    changes = [change for some, _ in found for change in some]
    if not changes:
        return None

    said = describe(changes, sum(files for _, files in found))
    return said.op, said.subject, said.changes


def style_of(repo: Repository, env: Mapping[str, str], text: str) -> Style:
    """How git reads the message file."""
    comment = repo.config.get("core.commentstring") or repo.config.get("core.commentchar") or "#"
    if comment == "auto":
        last = next((line for line in reversed(text.split("\n")) if line.strip()), "#")
        comment = last[0] if last[0] in "#;@!$%^&|:" else "#"
    cleanup = repo.config.get("commit.cleanup", "default")
    # Where nobody will edit the message, git takes no comments off unless it is told to (`git commit`,
    # --cleanup).
    edited = env.get("GIT_EDITOR") != ":"
    return Style(comment, cleanup == "strip" or (cleanup == "default" and edited))


def write_message(context: Context, repo: Repository, text: str, source: str = "") -> str:
    """The message file with subject and trailers of a hand edit; the same text where there is nothing to say,
    or it is not ours to say.

    Args:
        source: the second argument of the hook: message, template, merge, squash, commit, or nothing.
    """
    state = repo.in_progress()
    # What a revert takes back is nowhere told yet. Git calls the message of one that stopped, or of `-n`,
    # that of a merge.
    if source in ("squash", "commit") or (source == "merge" and state not in (None, "revert")):
        return text
    if state in _REBASING and state != "revert":
        return text
    style = style_of(repo, context.env, text)
    if messages.parse(message_file.cleaned(text, style)).blocks:
        return text
    known = hook_state.load(repo.git_dir, repo.index_file)
    block = known[0] if known else block_of(staged_changes(repo, repo.head().commit))
    if block is None:
        return text
    op, subject, changes = block
    op = "revert" if _REVERTS in text else op
    carried = _carried(repo)
    if carried is None:
        said = messages.build(subject, op, changes, actor=context.actor, run=context.run)
        return message_file.with_block(text, subject, messages.block_of(said), style)
    if {one.address for one in changes} == {one.address for one in carried.changes}:
        op, changes = carried.op or op, _claimed(changes, carried.changes)
    said = messages.build(
        subject,
        op,
        changes,
        source=carried.source,
        actor=context.actor or carried.actor,
        run=context.run or carried.run,
        derived_from=carried.derived_from,
    )
    if carried.reason:
        text = message_file.with_reason(text, subject, messages.tidy(carried.reason), style)
    return message_file.with_block(text, subject, messages.block_of(said), style)


def _carried(repo: Repository) -> Pending | None:
    """What `--stage` noted of what is staged."""
    if not pending.load(repo):
        return None
    head = repo.head().commit
    now = {path: None if entry is None else entry.oid for path, entry in staged(repo, head).items()}
    return pending.taken(repo, repo.tree(head), now)


def _claimed(changes: Sequence[RecordChange], claims: Sequence[RecordChange]) -> tuple[RecordChange, ...]:
    """Changes by the actions under which they were staged, where the records bear these out."""
    named = {claim.address: claim.action for claim in claims}
    borne_out = (("create", "promote"), ("update", "extend"))
    return tuple(
        change._replace(action=named[change.address])
        if (change.action, named[change.address]) in borne_out
        else change
        for change in changes
    )


def check_message(context: Context, repo: Repository, text: str, file: str) -> list[str]:
    """What is wrong with the trailer block of a message: malformed, or not true of the commit; empty where
    nothing is, or where there is no block.
    """
    message = message_file.cleaned(text, style_of(repo, context.env, text))
    blocks = messages.parse(message).blocks
    if not blocks:
        return []
    wrong = message_file.faults(message)
    # Several blocks are those of several commits, which may have taken back what one of them did.
    if len(blocks) == 1 and not wrong and repo.in_progress() not in _REBASING:
        wrong = _untrue(repo, blocks[0].records)
    if not wrong:
        return []
    named = shlex.quote(os.path.abspath(file) if context.env.get("GIT_PREFIX") else file)
    return [
        *(f"the commit message: {fault}" for fault in wrong),
        f"to fix: remove the lines Memgit-... from the message: git commit -e -F {named}",
        "        (the log reads from the files what a commit did)",
    ]


def _untrue(repo: Repository, claims: Sequence[RecordChange]) -> list[str]:
    """The records that a message names and the commit does not change so.

    Nothing tells a hook whether HEAD is amended, so a message that is true of what takes the place of HEAD is
    true as well.
    """
    head = repo.head().commit
    bases: list[str | None] = [head]
    if head is not None:
        bases += repo.parents_of(head) or [None]
    left = list(claims)
    seen: dict[str, str] = {}
    for base in bases:
        if not left:
            break
        changes = [change for some, _ in staged_changes(repo, base) for change in some]
        true = refine(changes, claims, True)
        left = [claim for claim in left if claim not in true]
        for change in true:
            seen.setdefault(change.address, change.action)
    return [
        f"{claim.action} {claim.address}: this commit "
        + (
            f"does not do that, but {seen[claim.address]}"
            if claim.address in seen
            else "does not change that record"
        )
        for claim in left
    ]
