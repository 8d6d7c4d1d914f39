"""A check of everything in the form of a review: for a CI job that is about no change."""

from __future__ import annotations

from memgit import __version__
from memgit.app.check import lint
from memgit.app.derived.rebuild import check
from memgit.app.review.comment import site_of
from memgit.app.review.drift import RULE as DRIFT
from memgit.app.review.settings import settings_of
from memgit.app.workspace import Context, Workspace
from memgit.lint.rule import Finding
from memgit.review.values import Review, Side, verdict

MARKERS = "MG104"


def review_all(workspace: Workspace, context: Context, head: Side) -> Review:
    """What `lint` and `rebuild --check` find at a commit; base and head of the answer are that commit.

    Raises as they do.
    """
    report = lint.lint(workspace, context, lint.Request(at=head.commit)).report
    found = list(report.result.findings)
    told = {one.path for one in found if one.rule in (DRIFT, MARKERS)}
    derived = check(workspace, head.commit)
    found += [
        Finding(DRIFT, "index-drift", "error", one.path, one.line, one.line, None, one.message)
        for one in derived.differences
        if one.path not in told
    ]
    return Review(
        head,
        head,
        head.commit,
        verdict(settings_of(workspace.config), found, 0),
        findings=tuple(found),
        complete=derived.complete,
        notes=derived.notes,
        rules=report.rules,
        today=context.today,
        prefix=workspace.require_repository().prefix,
        version=__version__,
        site=site_of(context),
    )
