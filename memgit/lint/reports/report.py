"""What a report is made of, and how its words are painted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from memgit.lint.engine import Result
from memgit.lint.rule import Finding, Rule
from memgit.lint.words import located, relocated
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
        mended: words about what was fixed, one line each.
    """

    result: Result
    rules: Sequence[Rule]
    today: str
    counts: Sequence[str] = ()
    whole: bool = True
    prefix: str = ""
    version: str = ""
    mended: Sequence[str] = ()

    def at_top(self) -> Report:
        """The same with every path as seen from the top of the repository, in messages too."""
        found = self.result.findings
        known = {path for one in found for path in (one.path, *(place.path for place in one.related))}
        placed = tuple(from_top(one, known, self.prefix) for one in found)
        return self._replace(result=self.result._replace(findings=placed), prefix="")


def from_top(finding: Finding, known: Collection[str], prefix: str) -> Finding:
    """A finding whose paths are as seen from the top of the repository.

    Args:
        known: the paths from the knowledge root that its message may name.
    """
    if not prefix:
        return finding
    related = tuple(
        place._replace(path=located(prefix, place.path), message=relocated(place.message, known, prefix))
        for place in finding.related
    )
    message = relocated(finding.message, known, prefix)
    return finding._replace(path=located(prefix, finding.path), message=message, related=related)
