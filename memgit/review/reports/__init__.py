"""Renderings of a review, one module each, one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from memgit.lint.engine import Result
from memgit.lint.reports import Paint, Report, plain
from memgit.review.values import Review, conflict_findings, in_repository

Render: TypeAlias = Callable[[Review, Paint], str]


def _text(review: Review, paint: Paint) -> str:
    from memgit.review.reports.text import render

    return render(review, paint)


def _markdown(review: Review, paint: Paint) -> str:
    from memgit.review.reports.markdown import render

    return render(review)


def _json(review: Review, paint: Paint) -> str:
    from memgit.review.reports.json import render

    return render(review)


def _sarif(review: Review, paint: Paint) -> str:
    from memgit.lint.reports.sarif import render

    return render(as_report(review))


def _github(review: Review, paint: Paint) -> str:
    from memgit.lint.reports.github import render

    return render(as_report(review))


def _gitlab(review: Review, paint: Paint) -> str:
    from memgit.lint.reports.gitlab import render

    return render(as_report(review))


FORMATS: Mapping[str, Render] = {
    "text": _text,
    "markdown": _markdown,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
    "gitlab": _gitlab,
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
