"""What a rule is, and what it finds.

A rule is one plain value in one file: code, name, severity, why, check, fixing, and examples that are its
tests and its page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from memgit import TYPE_CHECKING
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from memgit.lint.corpus import Corpus
    from memgit.lint.page import Page

SEVERITIES = ("error", "warning", "info")
"""The gravest first."""
FILE, CORPUS, HISTORY = "file", "corpus", "history"
"""What a rule looks at: one file by itself, all records, or records before and after."""

Option: TypeAlias = str | int | float | bool | tuple[str, ...]
Options: TypeAlias = Mapping[str, Option]
Edits: TypeAlias = Mapping[str, bytes | None]


def whole(options: Options, name: str) -> int:
    """An option that is a whole number."""
    value = options[name]
    assert isinstance(value, int), f"{name} has the default of another type"
    return value


def number(options: Options, name: str) -> float:
    """An option that is a number."""
    value = options[name]
    assert isinstance(value, int | float), f"{name} has the default of another type"
    return value


def several(options: Options, name: str) -> tuple[str, ...]:
    """An option that is a list."""
    value = options[name]
    assert isinstance(value, tuple), f"{name} has the default of another type"
    return value


class Related(NamedTuple):
    """Another place that a finding is about."""

    path: str
    line: int
    message: str


class Found(NamedTuple):
    """What a check gives: a place, and words that name the record and say what to do.

    `severity` lowers that of the rule for this one finding; `end_line` is `line` where it is 0. `fixable`
    says that the rule's own fixing takes it away.
    """

    path: str
    line: int
    message: str
    address: str | None = None
    end_line: int = 0
    related: tuple[Related, ...] = ()
    fixable: bool = False
    severity: str | None = None


class Finding(NamedTuple):
    """One finding as it is reported. `line` to `end_line` count from 1, both included."""

    rule: str
    name: str
    severity: str
    path: str
    line: int
    end_line: int
    address: str | None
    message: str
    fixable: bool = False
    related: tuple[Related, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "name": self.name,
            "severity": self.severity,
            "path": self.path,
            "line": self.line,
            "end_line": self.end_line,
            "address": self.address,
            "message": self.message,
            "fixable": self.fixable,
            "related": [
                {"path": path, "line": line, "message": message} for path, line, message in self.related
            ],
        }


class Example(NamedTuple):
    """A small corpus: text (or bytes) by path, and where the rule must fire in it, as `path:line`.

    `before` are the same files before a change, for rules that compare; `layout` is the name of the layout
    that it lies in. `shown` is what the page shows of it instead, for text that cannot be shown as it is.
    `message` is that of the commit that made the change.
    """

    files: Mapping[str, str | bytes]
    at: tuple[str, ...] = ()
    before: Mapping[str, str | bytes] | None = None
    layout: str = "memgit"
    shown: str | None = None
    message: str = ""


FileCheck: TypeAlias = "Callable[[Page, Options], Iterable[Found]]"
CorpusCheck: TypeAlias = "Callable[[Corpus, Options], Iterable[Found]]"
Fix: TypeAlias = "Callable[[Corpus, Sequence[Finding], Options], Edits]"


class Rule(NamedTuple):
    """One rule.

    Attributes:
        code: `MG` and three digits; a retired one is never given out again.
        name: one to three words that read well after "allow".
        severity: one of `SEVERITIES`.
        summary: what it finds, half a sentence.
        why: why that is bad, some sentences.
        scope: `FILE` (`check` gets one page at a time), `CORPUS` or `HISTORY` (`check` gets everything at
            once).
        check: gives what is found; it may raise, and then only this rule is lost.
        good: examples that the rule says nothing about.
        bad: examples that it fires on.
        options: what configuration may set, with defaults.
        fix: the edits that take fixable findings away; the smallest there are, and none the second time.
        fix_help: what the fixing does, one sentence; empty where there is none.
        compares: whether it compares the content of records with each other, which takes longer than all the
            rest: a hook leaves it out unless it is selected.
        elsewhere: the severity that a run over everything gives it at most in a layout that memgit did not make,
            unless the configuration says otherwise.
        ages: whether it finds what no change brought about, such as age: a hook leaves it out as well.
    """

    code: str
    name: str
    severity: str
    summary: str
    why: str
    scope: str
    check: FileCheck | CorpusCheck
    good: tuple[Example, ...]
    bad: tuple[Example, ...]
    options: Mapping[str, Option] = {}
    options_help: Mapping[str, str] = {}
    fix: Fix | None = None
    fix_help: str = ""
    compares: bool = False
    ages: bool = False
    elsewhere: str | None = None
