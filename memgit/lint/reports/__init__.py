"""Reports: findings in the forms that people and programs read, one module each, one table.

A report takes what was found and gives text; it knows no terminal. `paint` colours words where somebody
looks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from memgit.lint.reports.report import Paint, Report, plain

__all__ = ["FORMATS", "Paint", "Report", "pieces", "plain", "render"]


def _text(report: Report, paint: Paint) -> Iterable[str]:
    from memgit.lint.reports.text import render

    return (render(report, paint),)


def _json(report: Report, paint: Paint) -> Iterable[str]:
    from memgit.lint.reports.json import pieces

    return pieces(report)


def _sarif(report: Report, paint: Paint) -> Iterable[str]:
    from memgit.lint.reports.sarif import render

    return (render(report),)


def _github(report: Report, paint: Paint) -> Iterable[str]:
    from memgit.lint.reports.github import render

    return (render(report),)


def _gitlab(report: Report, paint: Paint) -> Iterable[str]:
    from memgit.lint.reports.gitlab import render

    return (render(report),)


FORMATS: Mapping[str, Callable[[Report, Paint], Iterable[str]]] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
    "gitlab": _gitlab,
}


def pieces(name: str, report: Report, paint: Paint = plain) -> Iterable[str]:
    """A report in one of `FORMATS`, with a newline at its end where it is not empty, in pieces to be written
    one after the other.
    """
    return FORMATS[name](report, paint)


def render(name: str, report: Report, paint: Paint = plain) -> str:
    """The same in one."""
    return "".join(pieces(name, report, paint))
