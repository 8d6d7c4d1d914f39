"""The table of renderings."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memgit.lint.engine import Result
from memgit.lint.reports import github, gitlab, sarif
from memgit.lint.reports.report import Paint, Report, plain
from memgit.review.reports import json, markdown, text
from memgit.review.values import Review, conflict_findings, in_repository

FORMATS: Mapping[str, Callable[[Review, Paint], str]] = {
    "text": text.render,
    "markdown": lambda review, _: markdown.render(review),
    "json": lambda review, _: json.render(review),
    "sarif": lambda review, _: sarif.render(as_report(review)),
    "github": lambda review, _: github.render(as_report(review)),
    "gitlab": lambda review, _: gitlab.render(as_report(review)),
}


def render(name: str, review: Review, paint: Paint = plain) -> str:
    """A review in one of `FORMATS`, with a newline at its end where it is not empty."""
    return FORMATS[name](review, paint)


def as_report(review: Review) -> Report:
    """What a review found as lint reports it; conflicts are findings there."""
    review = in_repository(review)
    found = sorted(
        (*conflict_findings(review), *review.findings),
        key=lambda one: (one.path, one.line, one.rule, one.message),
    )
    return Report(
        Result(tuple(found), 0),
        review.rules,
        review.today,
        whole=False,
        prefix=review.prefix,
        version=review.version,
    )
