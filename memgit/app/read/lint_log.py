"""Keeping the result of a check in the activity log: one commit that changes no file, made only where it is
asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgit.errors import BadInput, Refused
from memgit.formats.messages import message as messages
from memgit.git.commit.empty_commit import commit_empty
from memgit.lint.rule import SEVERITIES
from memgit.lint.words import plural

if TYPE_CHECKING:
    from memgit.app.check.lint import Checked, Request
    from memgit.app.workspace import Context, Workspace
    from memgit.git.commit.commit import Committed
    from memgit.lint.reports.report import Report

OP = "lint"


def allowed(workspace: Workspace, request: Request) -> None:
    """Raises where the log cannot hold the result of a request, so that nobody waits for a check first.

    Raises:
        BadInput: it is about another state than the one that the branch goes on from.
        Refused: the knowledge root is a folder of its repository, or lies in none: such a log shows commits
            that change the folder.
    """
    if request.staged or request.changed or request.at is not None:
        raise BadInput(
            "--log keeps the result of a check of the working tree: it goes with no other state",
            hint="--since REV is fine",
        )
    if workspace.proposal is not None:
        raise BadInput("--log and --propose exclude each other")
    if workspace.writable().prefix:
        raise Refused(
            "the log of a knowledge root in a folder shows the commits that change the folder; this "
            "one would change no file"
        )


def keep(workspace: Workspace, context: Context, request: Request, checked: Checked) -> Committed:
    """Commits the result; errors are those of `allowed` and of a commit."""
    allowed(workspace, request)
    return commit_empty(workspace.writable(), message(checked.report, context, request))


def message(report: Report, context: Context, request: Request) -> str:
    """The commit message: the counts in its subject, what each rule found below."""
    result = report.result
    counts = ", ".join(
        plural(result.count(severity), word)
        for severity, word in zip(SEVERITIES, ("error", "warning", "note"), strict=True)
    )
    rows: dict[str, int] = {}
    for finding in sorted(result.findings, key=lambda one: one.rule):
        rows[f"{finding.rule} {finding.name}"] = rows.get(f"{finding.rule} {finding.name}", 0) + 1
    what = (
        f"what changed since {request.since}"
        if request.since is not None
        else ", ".join(request.paths) or "everything"
    )
    lines = [f"Checked {plural(result.files, 'file')} ({messages.one_line(what)})."]
    lines += [f"- {rule}: {count}" for rule, count in rows.items()]
    text = "\n".join(lines) + (f"\n\n{context.reason}" if context.reason else "")
    return messages.build(
        messages.subject(OP, None, counts), OP, (), reason=text, actor=context.actor, run=context.run
    )
