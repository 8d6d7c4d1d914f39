"""What memgit's git hooks do before a commit or push: check what is staged or pushed, write and check commit
messages.

They read objects: the index that git names (`GIT_INDEX_FILE`), never the files on disk.
Nothing here writes into the working tree but `--fix`, and nothing into the index.
"""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING
from memgit.app.derived import state as derived_state
from memgit.app.hooks import hook_state
from memgit.app.hooks import merge as hook_merge
from memgit.app.hooks.roots import State, roots
from memgit.derive import is_derived, owed_paths
from memgit.errors import NotFound
from memgit.formats.codecs import parse_file
from memgit.formats.messages import message as messages
from memgit.git.objects.tree import Tree, rewritten
from memgit.git.worktree.staged import staged
from memgit.model.change import diff_records
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgit.app.hooks.hook_state import Block
    from memgit.app.workspace import Context, Workspace
    from memgit.formats.messages.message_file import Style
    from memgit.git.objects.tree import Entry
    from memgit.git.process import Running
    from memgit.git.repository import Repository
    from memgit.lint.rule import Finding
    from memgit.model.change import Change
    from memgit.model.operation import RecordChange
    from memgit.model.record import Record

INDEX_RULES = ("MG101", "MG102", "MG103")
"""The rules of `memgit-index`; `memgit-lint` has the others."""
MOST = 20
"""So many findings of one rule are told; nobody reads a thousand, and they would hide the others."""
_VISIBLE = {number: f"\\x{number:02x}" for number in range(0x20)} | {0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"}
_REBASING = ("rebase", "cherry-pick", "revert", "am", "merge")


class Said(NamedTuple):
    """What a hook says: lines for standard error, and whether it stops git."""

    lines: tuple[str, ...] = ()
    stop: bool = False


class Push(NamedTuple):
    """One ref that is pushed: its name there, the commit that it gets and the one that it has (None: none)."""

    ref: str
    new: str | None
    old: str | None


# Before a commit


def check_staged(
    context: Context,
    repo: Repository,
    only: str | None = None,
    *,
    fix: bool = False,
    begun: tuple[str | None, Running] | None = None,
) -> Said:
    """Lints what is staged, as the commit will take it: errors stop it, warnings are shown.

    Args:
        only: `index` or `lint`; both by default.
        fix: mends the working tree as well; nothing is staged.
        begun: the newest commit, and what `staged.begin` gave for it, once `hook_memo.hold` had been called.
    """
    from memgit.app.check import lint

    select, ignore = (INDEX_RULES if only == "index" else ()), (INDEX_RULES if only == "lint" else ())
    request = lint.Request(staged=True, select=select, ignore=ignore)
    lines: list[str] = []
    stop = False
    merged = hook_merge.heads(repo, context.env)
    if begun is None:
        hook_state.hold(repo.git_dir, repo.index_file)
        head, running = repo.head().commit, None
    else:
        head, running = begun
    repo.at_prefix("")
    whole = staged(repo, head, running)
    for workspace in roots(repo, State(repo, head, whole), whole):
        result, derived = lint.check_staged(
            workspace, context, request._replace(entries=_inside(workspace, whole))
        )
        prefix = workspace.require_repository().prefix
        findings = result.findings
        errors = [found for found in findings if found.severity == "error"]
        lines += _shown(prefix, [found for found in findings if found.severity != "info"])
        if errors and merged:
            errors = _new(workspace, context, errors, merged, whole, lines)
        if errors:
            from memgit.app.hooks.fix_commands import mends

            stop = True
            if fix:
                lines += lint.fix(workspace, context, request).report.mended
            stopped = bool(merged) or repo.in_progress() in _REBASING
            lines += mends(context, workspace, errors, whole, fixed=fix, stopped=stopped)
        if derived and not result.allowed and not any(found.rule == "MG101" for found in findings):
            _note_right(workspace, whole)
        workspace.close()
    if not stop and not merged and repo.in_progress() is None:
        block = _block(context, repo, head, whole)
        hook_state.save(repo.git_dir, repo.index_file, block, context.actor, context.run, context.env)
    return Said(tuple(lines), stop)


def _new(
    workspace: Workspace,
    context: Context,
    errors: Sequence[Finding],
    merged: Sequence[str],
    whole: Mapping[str, Entry | None],
    lines: list[str],
) -> list[Finding]:
    """The errors that a merge has to answer for; adds to the lines how many others there are."""
    repo, inside = workspace.require_repository(), _inside(workspace, whole)
    tree = repo.tree(repo.head().commit)

    def data(path: str) -> bytes | None:
        entry = inside[path] if path in inside else tree.get(path)
        return repo.blob(entry.oid) if entry is not None and entry.is_file else None

    derived = [found for found in errors if found.rule in INDEX_RULES]
    fresh = hook_merge.new(
        workspace, context, [found for found in errors if found.rule not in INDEX_RULES], merged, data
    )
    number = len(errors) - len(derived) - len(fresh)
    if number:
        lines.append(
            f"{number:,} of these {'is' if number == 1 else 'are'} in what is merged already, and no "
            "reason to stop the merge"
        )
    return [*derived, *fresh]


def _inside(workspace: Workspace, whole: Mapping[str, Entry | None]) -> dict[str, Entry | None]:
    """What of the staged paths lies in a knowledge root, named from there."""
    prefix = workspace.require_repository().prefix
    return {path[len(prefix) :]: entry for path, entry in whole.items() if path.startswith(prefix)}


def _note_right(workspace: Workspace, whole: Mapping[str, Entry | None]) -> None:
    """Notes that the derived files which the staged change owes are right in the tree that it makes, for the
    next check and the next write.

    Without it, every commit by plain git would make the next one dearer.
    """
    repo = workspace.require_repository()
    head = repo.head().commit
    if workspace.config.indexes != "committed" or head is None or not whole:
        return
    before, inside = repo.tree(head), _inside(workspace, whole)
    owed = owed_paths(workspace.layout, inside)
    after = Tree(repo, rewritten(repo, before.oid, inside))
    derived_state.note_ahead(
        repo, before, after, derived_state.known(repo, workspace.layout, before) - owed, owed
    )


def _shown(prefix: str, findings: Sequence[Finding]) -> list[str]:
    """A line for each finding; where one rule has very many, those beyond the first are counted."""
    out: list[str] = []
    count: dict[str, int] = {}
    for found in findings:
        count[found.rule] = count.get(found.rule, 0) + 1
        if count[found.rule] <= MOST:
            path = f"{prefix}{found.path}".translate(_VISIBLE)
            out.append(f"{path}:{found.line}: {found.severity} {found.rule} {found.name}: {found.message}")
    return out + [
        f"… and {number - MOST:,} more of {rule}" for rule, number in count.items() if number > MOST
    ]


# Messages


def staged_changes(
    context: Context, repo: Repository, base: str | None, whole: Mapping[str, Entry | None] | None = None
) -> tuple[list[Change], int]:
    """What the index does to records against a commit, and how many record files differ.

    Args:
        whole: what is staged against that commit, where that is known.
    """
    repo.at_prefix("")
    whole = staged(repo, base) if whole is None else whole
    changes: list[Change] = []
    files = 0
    for workspace in roots(repo, State(repo, base, whole), whole):
        inside = workspace.require_repository()
        layout, tree, skip = workspace.layout, inside.tree(base), len(inside.prefix)
        old: list[Record] = []
        new: list[Record] = []
        for path, entry in whole.items():
            inner = path[skip:]
            if not path.startswith(inside.prefix) or not inner.endswith(".md"):
                continue
            if layout.find(inner) is None or is_derived(layout, inner):
                continue
            files += 1
            before = tree.data(inner)
            old += parse_file(layout, inner, before).records if before is not None else ()
            new += (
                parse_file(layout, inner, inside.blob(entry.oid)).records
                if entry is not None and entry.is_file
                else ()
            )
        changes += diff_records(old, new)
        workspace.close()
    return changes, files


def style_of(repo: Repository, env: Mapping[str, str], text: str) -> Style:
    """How git reads the message file."""
    from memgit.formats.messages.message_file import Style

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
    from memgit.formats.messages import message_file

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
    return hook_state.written(
        text, _block(context, repo, repo.head().commit), style, context.actor, context.run
    )


def _block(
    context: Context, repo: Repository, head: str | None, whole: Mapping[str, Entry | None] | None = None
) -> Block | None:
    """What the message should say of what is staged; None where no record changed."""
    changes, files = staged_changes(context, repo, head, whole)
    if not changes:
        return None
    from memgit.app.write.classify_change import describe

    found = describe(changes, files)
    return found.op, found.subject, found.changes


def check_message(context: Context, repo: Repository, text: str, file: str) -> Said:
    """Whether the trailer block of a message is well-formed and true.

    A message without a block is never stopped.
    """
    from memgit.formats.messages import message_file

    message = message_file.cleaned(text, style_of(repo, context.env, text))
    blocks = messages.parse(message).blocks
    if not blocks:
        return Said()
    wrong = message_file.faults(message)
    # Several blocks are those of several commits, which may have taken back what one of them did.
    if len(blocks) == 1 and not wrong and repo.in_progress() not in _REBASING:
        wrong = _untrue(context, repo, blocks[0].records)
    if not wrong:
        return Said()
    import shlex

    named = shlex.quote(os.path.abspath(file) if context.env.get("GIT_PREFIX") else file)
    mend = f"mend: take the lines Memgit-… out of the message: git commit -e -F {named}"
    why = "      (the log reads from the files what a commit did)"
    return Said((*(f"the commit message: {fault}" for fault in wrong), mend, why), True)


def _untrue(context: Context, repo: Repository, claims: Sequence[RecordChange]) -> list[str]:
    """The records that a message names and the commit does not change so.

    Nothing tells a hook whether HEAD is amended, so a message that is true of what takes the place of HEAD is
    true as well.
    """
    from memgit.model.change import refine

    head = repo.head().commit
    bases: list[str | None] = [head]
    if head is not None:
        bases += repo.parents_of(head) or [None]
    left = list(claims)
    seen: dict[str, str] = {}
    for base in bases:
        if not left:
            break
        changes, _ = staged_changes(context, repo, base)
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


# Before a push


def check_push(context: Context, repo: Repository, remote: str, pushes: Sequence[Push]) -> Said:
    """Reviews what new commits on branches change against what the remote has: a verdict of fail stops the
    push.
    """
    from memgit.app.review.push import pushed_findings

    lines: list[str] = []
    stop = False
    for push in pushes:
        if push.new is None or not push.ref.startswith("refs/heads/"):
            continue
        base = _known_there(repo, remote, push)
        repo.at_prefix("")
        paths = [path for path, _, _ in repo.tree(base).diff(repo.tree(push.new))]
        for workspace in roots(repo, State(repo, push.new), paths):
            found, fails = pushed_findings(workspace, context, base, push.new)
            prefix = workspace.require_repository().prefix
            lines += _shown(prefix, found)
            if fails:
                stop = True
                lines.append(
                    f"mend: commit what mends {push.ref.removeprefix('refs/heads/')} "
                    f"({push.new[:10]}), then push again"
                )
            workspace.close()
    return Said(tuple(lines), stop)


def _known_there(repo: Repository, remote: str, push: Push) -> str | None:
    """The newest commit below a pushed one that the remote has, as far as is known here."""
    assert push.new is not None
    if push.old is not None:
        try:
            return repo.resolve(push.old)
        except NotFound:
            pass  # somebody else's commits, not fetched yet
    known = f"--remotes={remote}" if f"remote.{remote}.url" in repo.config else "--remotes"
    found = repo.git("rev-list", "--boundary", push.new, "--not", known).split()
    if not found:
        return push.new
    border = next((line[1:] for line in found if line.startswith(b"-")), None)
    return None if border is None else border.decode("ascii")


def pushed(lines: str) -> list[Push]:
    """What git tells the hook on standard input (https://git-scm.com/docs/githooks, pre-push)."""
    out = []
    for line in lines.split("\n"):
        parts = line.split(" ")
        if len(parts) == 4:
            out.append(
                Push(
                    parts[2],
                    None if set(parts[1]) == {"0"} else parts[1],
                    None if set(parts[3]) == {"0"} else parts[3],
                )
            )
    return out
