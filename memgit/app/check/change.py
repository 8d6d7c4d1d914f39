"""What a change makes worse: its findings beside those of the state before it, and what a door does with them.

Findings are matched by rule, record and words, never by line alone. Every door uses this comparison: writes,
hooks, `memgit commit`, merges, pushes and `review`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from memgit import TYPE_CHECKING
from memgit.app.check import settings as lint_settings
from memgit.app.check.lint import corpus_at
from memgit.errors import MemgitError
from memgit.formats.merging.linediff import matching
from memgit.lint import gate
from memgit.lint.engine import run
from memgit.lint.rule import Finding
from memgit.lint.settings import configured
from memgit.lint.words import named
from memgit.model.change import Change
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Record

if TYPE_CHECKING:
    from memgit.app.workspace import Context, Workspace
    from memgit.lint.settings import Settings

OF_LINES = frozenset(["MG001", "MG002", "MG104", "MG501", "MG502"])
"""Rules about the text of a line: what such a rule finds on a line that did not change, it found there
before.
"""
MEASURED = frozenset(["MG301", "MG305"])
"""Rules that say by how much: as long as it is about the same records, another number is the same finding."""
_MEASURE = re.compile(r"[\d,.]*\d%?")
_GUESS = re.compile(r" (is unresolved|could mean)\b.*", re.DOTALL)
_PLACES = re.compile(r":\d+(?=[),\s]|$)|\blines? \d+(?:, \d+)*")

MAX_SHOWN = 20
"""Findings of one rule that are printed; the rest are counted."""
_VISIBLE = {number: f"\\x{number:02x}" for number in range(0x20)} | {0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"}
_LINK = re.compile(r"\[\[[^\[\]]+\]\]")

Data = Callable[[str], bytes | None]


class Lines:
    """Which line of the old version of a file a line of the new version is."""

    def __init__(self, before: Data, after: Data, came_from: Callable[[str], str] = str) -> None:
        self._before, self._after, self._came_from = before, after, came_from
        self._known: dict[str, dict[int, int]] = {}

    def old(self, path: str, line: int) -> int | None:
        """The line that it was, counted from 1; None for one that is new."""
        if path not in self._known:
            old, new = self._before(self._came_from(path)), self._after(path)
            pairs: dict[int, int] = {}
            if old is not None and new is not None:
                one, other = (data.decode("utf-8", "surrogateescape").splitlines() for data in (old, new))
                pairs = {j + n + 1: i + n + 1 for i, j, size in matching(one, other) for n in range(size)}
            self._known[path] = pairs
        return self._known[path].get(line)

    def had(self, path: str, text: str) -> bool:
        """Whether the old version of a file held a text."""
        old = self._before(self._came_from(path))
        return old is not None and text.encode("utf-8", "surrogateescape") in old


def came_from(changes: Sequence[Change]) -> Callable[[str], str]:
    """The path that a file had before some changes."""
    moved = {
        change.new.path: change.old.path
        for change in changes
        if change.new is not None and change.old is not None
    }
    return lambda path: moved.get(path, path)


def news(
    found: Sequence[Finding], before: Iterable[Finding], changes: Sequence[Change], lines: Lines
) -> tuple[list[Finding], int]:
    """The findings that were not there before, and how many were.

    Args:
        before: those of the same rules on the same records and files before the change.
        changes: what the change did to records, so that a renamed one is known by its old name.
    """
    olds = list(before)
    left: dict[tuple[str, str, str], int] = {}
    for one in olds:
        key = (one.rule, one.address or one.path, _words(one, one.message))
        left[key] = left.get(key, 0) + 1
    earlier = {
        change.new.address: change.old
        for change in changes
        if change.new is not None and change.old is not None
    }
    later = {change.new.address: change.new for change in changes if change.new is not None}
    back = came_from(changes)
    places = {
        (one.rule, one.path, line)
        for one in olds
        if one.rule in OF_LINES
        for line in range(one.line, one.end_line + 1)
    }
    fresh: set[int] = set()
    # Of two findings in the same words the one on a line that did not change is the old one.
    order = sorted(
        range(len(found)), key=lambda number: lines.old(found[number].path, found[number].line) is None
    )
    for number in order:
        one = found[number]
        address, message = one.address, one.message
        was = earlier.get(address) if address is not None else None
        if was is not None and address is not None:
            address, message = was.address, _renamed(message, later[address], was)
        key = (one.rule, address or back(one.path), _words(one, message))
        if left.get(key, 0) > 0:
            left[key] -= 1
        elif one.rule not in OF_LINES or not any(
            (one.rule, back(one.path), lines.old(one.path, line)) in places
            for line in range(one.line, one.end_line + 1)
        ):
            fresh.add(number)
    return [one for number, one in enumerate(found) if number in fresh], len(found) - len(fresh)


def _words(found: Finding, message: str) -> str:
    """What a finding says, but for the lines that it names and what changes with every edit."""
    if found.rule not in MEASURED:
        # What a link that is unresolved may have meant depends on all other records.
        return _PLACES.sub("", _GUESS.sub(r" \1", message))
    # Of two records that are alike, the other one is what matters, not in which ways and by how much.
    others = [f"{other.path} {other.message.partition(': ')[0]}" for other in found.related]
    return "\n".join(others) or _MEASURE.sub("", message)


def _renamed(message: str, new: Record, old: Record) -> str:
    """A message about a record as it would name the record before."""
    message = message.replace(named(new), named(old))
    return message.replace(new.address, old.address) if new.address != old.address else message


class Judged(NamedTuple):
    """What a door says of a change.

    Attributes:
        findings: what the change brings and the door reports, each with the severity that it has there.
        before: how many of the findings were there before the change.
    """

    findings: tuple[Finding, ...] = ()
    before: int = 0

    @property
    def stops(self) -> bool:
        """Whether one of them stops the change."""
        return any(one.severity == "error" for one in self.findings)


def judged(
    workspace: Workspace,
    context: Context,
    door: str,
    found: Sequence[Finding],
    after: Data,
    sides: Sequence[str],
    changes: Sequence[Change] = (),
    settings: Settings | None = None,
) -> Judged:
    """What a door does with the findings of a change.

    Args:
        door: one of `gate.DOORS`.
        found: the findings of the state after the change, of all files that it concerns.
        after: the files of that state.
        sides: the commits that the change starts from: HEAD, and with a merge those that are merged. Empty
            where there is no commit yet.
        changes: what the change did to records.
        settings: those that the findings were found by; by default those of the branch that is checked out.
    """
    if not found:
        return Judged()
    settings = settings or lint_settings.settings_of(workspace, lint_settings.known())
    left, before = list(found), 0
    written: list[Lines] = []
    for side in sides:
        try:
            lines = Lines(workspace.require_repository().tree(side).data, after, came_from(changes))
            held = held_at(workspace, context, settings, side, sides, left, changes)
        except MemgitError:
            continue
        left, number = news(left, held, changes, lines)
        before += number
        written.append(lines)
    return Judged(tuple(weighed(workspace, settings, door, left, written)), before)


def weighed(
    workspace: Workspace, settings: Settings, door: str, fresh: Iterable[Finding], sides: Sequence[Lines]
) -> Iterator[Finding]:
    """New findings with the severity that they have at a door; those that it lets go are left out.

    Args:
        sides: the files of each state that the change starts from.
    """
    known = {rule.code: rule for rule in lint_settings.known()}
    own = gate.is_own(workspace.layout.name)
    for one in fresh:
        broke = one.rule in gate.LINKS and any(_was_written(one, lines) for lines in sides)
        strict = one.rule in known and configured(settings, known[one.rule]) == "error"
        change = gate.BROKE if broke else gate.NEW
        severity = gate.severity_at(gate.judge(door, one.rule, one.severity, change, own=own, strict=strict))
        if severity:
            yield one._replace(severity=severity)


def _was_written(found: Finding, lines: Lines) -> bool:
    """Whether the link of a finding stood in the file before the change."""
    if lines.old(found.path, found.line) is not None:
        return True
    link = _LINK.search(found.message)
    return link is not None and lines.had(found.path, link[0])


def held_at(
    workspace: Workspace,
    context: Context,
    settings: Settings,
    side: str,
    sides: Sequence[str],
    found: Sequence[Finding],
    changes: Sequence[Change],
) -> Sequence[Finding]:
    """What the rules of some findings report of the same files at one side.

    Args:
        sides: that side, and another one which it is compared with.
    """
    tree, back = workspace.require_repository().tree(side), came_from(changes)
    paths = {path for path in (back(one.path) for one in found) if tree.get(path) is not None}
    if not paths:
        return ()
    codes = {one.rule for one in found}
    other = next((one for one in sides if one != side), None)
    corpus = corpus_at(workspace, context, side, paths, since=other)
    rules = lint_settings.loaded(codes)
    chosen = settings.narrowed(sorted(codes))
    return run(corpus, chosen, rules).findings


# Lines


def shown(prefix: str, findings: Sequence[Finding]) -> list[str]:
    """A line for each finding; where one rule has very many, those beyond the first are counted."""
    out: list[str] = []
    count: dict[str, int] = {}
    for found in findings:
        count[found.rule] = count.get(found.rule, 0) + 1
        if count[found.rule] <= MAX_SHOWN:
            severity = "hint" if found.severity == "info" else found.severity
            out.append(
                f"{visible(prefix + found.path)}:{found.line}: {severity} {found.rule} {found.name}: "
                f"{found.message}"
            )
    return out + [
        f"and {number - MAX_SHOWN:,} more of {rule}" for rule, number in count.items() if number > MAX_SHOWN
    ]


def visible(path: str) -> str:
    """A path on one line, control characters escaped."""
    return path.translate(_VISIBLE)
