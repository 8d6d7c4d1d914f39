"""What a report is made of, and how its words are painted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
