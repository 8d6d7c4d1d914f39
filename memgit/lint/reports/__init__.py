"""Reports: findings in the forms that people and programs read, one module each, one table.

A report takes what was found and gives text; it knows no terminal. `paint` colours words where somebody
looks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from memgit.lint.engine import Result
from memgit.lint.rule import Rule
from memgit.model.namedtuple import NamedTuple

Paint: TypeAlias = Callable[[str, str], str]
"""A text in a colour: "error", "warning", "info", "good", "bold" or "faint"."""


def plain(text: str, colour: str) -> str:
    """Paints nothing."""
    return text


class Report(NamedTuple):
    """What a report is made of.

    Attributes:
        result: the findings.
        rules: the rules that ran, in order.
        today: `YYYY-MM-DD`.
        counts: how many records of each kind there are in how many files or groups, in words, one line each.
        whole: whether everything was looked at, and not only what changed.
        prefix: what stands before a path as seen from the top of the repository; empty or ending in a slash.
        version: of memgit.
        mended: words about what was mended, one line each.
    """

    result: Result
    rules: Sequence[Rule]
    today: str
    counts: Sequence[str] = ()
    whole: bool = True
    prefix: str = ""
    version: str = ""
    mended: Sequence[str] = ()


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


FORMATS: Mapping[str, Callable[[Report, Paint], Iterable[str]]] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
}


def pieces(name: str, report: Report, paint: Paint = plain) -> Iterable[str]:
    """A report in one of `FORMATS`, with a newline at its end where it is not empty, in pieces to be written
    one after the other.
    """
    return FORMATS[name](report, paint)


def render(name: str, report: Report, paint: Paint = plain) -> str:
    """The same in one."""
    return "".join(pieces(name, report, paint))
