"""Fixing what rules find and can fix: in the working tree, or in one commit."""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING
from memgit.app.check import settings as lint_settings
from memgit.app.check.lint import Checked, Request, corpus_of, lint, settings_for, under
from memgit.app.write.session import Plan
from memgit.app.write.write import execute
from memgit.errors import BadInput, Refused
from memgit.formats.messages import message as messages
from memgit.git.worktree.filetrees import CommitTree, read_plain
from memgit.git.write_all import replace_file
from memgit.lint.corpus import Corpus
from memgit.lint.engine import mend
from memgit.lint.words import plural
from memgit.model.change import diff_records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgit.app.workspace import Context, Workspace
    from memgit.app.write.session import OperationResult, Session
    from memgit.lint.engine import Mended
    from memgit.lint.rule import Finding, Rule
    from memgit.lint.settings import Settings


def fix(
    workspace: Workspace,
    context: Context,
    request: Request,
    *,
    commit: bool = False,
) -> Checked:
    """Fixes what can be fixed in the working tree (or, with `commit`, in one commit), then checks again.

    Raises:
        BadInput: asked of a commit or of what is staged: only a working tree can be fixed.
        Refused: there is no working tree.
    """
    if request.at is not None:
        raise BadInput("--fix fixes the working tree, --at looks at a commit: they exclude each other")
    known, notes = lint_settings.rules()
    if commit:
        mended, written = _fix_in_commit(
            workspace, context, request, settings_for(workspace, request, known), known
        )
        notes = (*notes, *written.notes)
        done = written.commit
    else:
        mended = mends(workspace, context, request)
        _write(workspace.root or "", mended.edits)
        done = None
    at = None if workspace.proposal is None else workspace.proposal.tip
    checked = lint(
        workspace, context, request._replace(staged=False, changed=request.changed or request.staged, at=at)
    )
    report = checked.report._replace(mended=[*_told(mended.findings), *checked.report.mended])
    return Checked(report, tuple(dict.fromkeys((*notes, *mended.failed, *checked.notes))), done)


def mends(workspace: Workspace, context: Context, request: Request) -> Mended:
    """What fixing the working tree amounts to; nothing is written.

    Raises:
        BadInput: as `lint`.
        Refused: there is no working tree.
    """
    known, _ = lint_settings.rules()
    settings = settings_for(workspace, request, known)
    if workspace.root is None:
        raise Refused(
            "this repository is bare: it has no working tree to fix", hint="clone it and work in the clone"
        )
    return mend(corpus_of(workspace, context, request, disk=True), settings, known)


def _told(findings: Sequence[Finding]) -> list[str]:
    """What was fixed, one line a rule."""
    names: dict[str, int] = {}
    for finding in findings:
        names[f"{finding.rule} {finding.name}"] = names.get(f"{finding.rule} {finding.name}", 0) + 1
    return [f"fixed {plural(count, 'finding')} of {name}" for name, count in names.items()]


def _write(root: str, edits: Mapping[str, bytes | None]) -> None:
    """Puts edits into the working tree, each file whole or not at all; links are never written through."""
    for path, data in edits.items():
        full = os.path.join(root, path)
        if os.path.islink(full) or (os.path.lexists(full) and not os.path.isfile(full)):
            raise Refused("not fixed: it is not a plain file", path=path)
        if data is None:
            if os.path.lexists(full):
                os.unlink(full)
            continue
        if read_plain(root, path) == data:
            continue
        replace_file(full, data, os.stat(full).st_mode & 0o7777 if os.path.lexists(full) else None)


def _fix_in_commit(
    workspace: Workspace,
    context: Context,
    request: Request,
    settings: Settings,
    rules: tuple[Rule, ...],
) -> tuple[Mended, OperationResult]:
    """Fixes the newest commit in a new one; uncommitted edits stay as they are, merged with it."""
    repo = workspace.writable()
    if request.staged or request.changed or request.since is not None:
        raise BadInput("--commit fixes the newest commit: it goes with no other state")
    done: list[Mended] = []

    def plan(session: Session) -> Plan | None:  # called again where somebody else's commit came first
        overlay = session.overlay
        source = CommitTree(repo, overlay.tree, session.reader.revision)
        changed = under(request.paths, None, source) if request.paths else None
        corpus = Corpus(workspace.layout, source, context.today, changed=changed)
        mended = mend(corpus, settings, rules)
        done[:] = [mended]
        if not mended.edits:
            return None
        old = [record for path in mended.edits for record in overlay.parsed(path).records]
        for path, data in mended.edits.items():
            overlay.put(path, data)
        new = [record for path in mended.edits for record in overlay.parsed(path).records]
        changes = tuple(change.named() for change in diff_records(old, new))
        codes = ", ".join(sorted({finding.rule for finding in mended.findings}))
        subject = messages.subject("fix", None, f"{plural(len(mended.findings), 'finding')} of {codes}")
        return Plan("fix", changes, subject, anyway=True)

    written = execute(workspace, context, plan)
    return done[-1], written
