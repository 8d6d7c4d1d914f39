"""What a push would bring to the remote, for the pre-push hook."""

from __future__ import annotations

from memgit.app.workspace import Context, Workspace
from memgit.errors import Refused
from memgit.lint.rule import Finding
from memgit.review.values import FAIL


def pushed_findings(
    workspace: Workspace, context: Context, base: str | None, new: str
) -> tuple[list[Finding], bool]:
    """What is wrong with a commit that is pushed, and whether that stops the push.

    Args:
        base: the commit that the remote has; None where it has none, as is known here. Then, as where the two
            have nothing in common, the commit is checked as it is.
    """
    if base is not None:
        from memgit.app.review.review import Request, review

        try:
            found = review(workspace, context, Request(base, new))
        except Refused:
            pass  # what is there is replaced by another history
        else:
            return [one for one in found.findings if one.severity != "info"], found.verdict == FAIL
    from memgit.app.check.lint import Request as Asked
    from memgit.app.check.lint import lint

    findings = lint(workspace, context, Asked(at=new, since=base)).report.result.findings
    errors = [one for one in findings if one.severity == "error"]
    return errors, bool(errors)
