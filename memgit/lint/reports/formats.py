"""The table of reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from memgit.lint.reports import github, gitlab, json, sarif, text
from memgit.lint.reports.report import Paint, Report, plain

FORMATS: Mapping[str, Callable[[Report, Paint], Iterable[str]]] = {
    "text": lambda report, paint: (text.render(report, paint),),
    "json": lambda report, _: json.pieces(report),
    "sarif": lambda report, _: (sarif.render(report),),
    "github": lambda report, _: (github.render(report),),
    "gitlab": lambda report, _: (gitlab.render(report),),
}


def pieces(name: str, report: Report, paint: Paint = plain) -> Iterable[str]:
    """A report in one of `FORMATS`, with a newline at its end where it is not empty, in pieces to be written
    one after the other.
    """
    return FORMATS[name](report, paint)
