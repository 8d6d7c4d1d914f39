"""The gate: what a finding does at each door.

One table, and every door asks it: a write by memgit, `git commit` and `memgit commit`, a merge, a push, `sync`
and `review`. A door asks only about what a change makes worse. Findings that the old side has too are counted
and stop nothing (`app.check.change` compares the two).
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

WRITE, COMMIT, MERGE, PUSH, SYNC, REVIEW = DOORS = ("write", "commit", "merge", "push", "sync", "review")
"""`commit` is `git commit` with the hooks and `memgit commit`; `propose` asks as a write and as a review."""

GO, DERIVE, HINT, WARN, REFUSE, FAIL, CONFIGURED = (
    "go",
    "derive",
    "hint",
    "warn",
    "refuse",
    "fail",
    "as configured",
)
"""What a door does with a finding.

`go` says nothing. `derive` puts the file right in the same commit. `hint` and `warn` print it. `refuse` and
`fail` stop the change. `as configured` takes the severity that the rule has.
"""

NEW, BROKE, BEFORE = "new", "broke", "before"
"""What a change did: it brought the finding, it broke what was right and is still written as it was (a link
that resolved), or the finding was there before it.
"""

_SEVERITY = {REFUSE: "error", FAIL: "error", WARN: "warning", HINT: "info"}
_CAPPED = {"warning": WARN, "info": HINT}
_RANK = {HINT: 0, WARN: 1, REFUSE: 2, FAIL: 2}


class Row(NamedTuple):
    """One kind of finding: what it is called, the rules that report it, what a change must have done for the
    row to apply (None: anything), and the verdict by door.
    """

    name: str
    what: str
    rules: tuple[str, ...]
    verdicts: Mapping[str, str]
    change: str | None = None


def _row(commit: str, push: str, review: str) -> Mapping[str, str]:
    """Verdicts by door: a write, a commit and a merge are alike, and so are a push and `sync`."""
    return dict(zip(DOORS, (commit, commit, commit, push, push, review), strict=True))


SOUND = ("MG001", "MG002", "MG104", "MG401", "MG402", "MG403", "MG405", "MG501")
"""Rules whose new findings no door lets pass, as far as their severity is `error`."""
FIELDS = ("MG003", "MG004", "MG005", "MG006")
LINKS = ("MG201", "MG205")
DERIVED = "MG101"
INDEXES = (DERIVED, "MG102", "MG103")
"""Rules about what an index lists."""

TABLE = (
    Row("derived", "a derived file is not what the records give", (DERIVED,), _row(DERIVE, WARN, FAIL)),
    Row(
        "unsound",
        "an unreadable file, broken frontmatter, a conflict marker, a secret, what history forbids",
        SOUND,
        _row(REFUSE, REFUSE, FAIL),
    ),
    Row(
        "vanished",
        "a record is gone: neither archived nor merged, and no commit says why",
        ("MG404",),
        _row(WARN, WARN, FAIL),
    ),
    Row(
        "field",
        "a missing or invalid field that memgit reads, in memgit's own layout",
        FIELDS,
        _row(REFUSE, GO, CONFIGURED),
    ),
    Row("field-elsewhere", "the same in any other layout", FIELDS, _row(WARN, GO, CONFIGURED)),
    Row("broken-link", "a link that resolved before and no longer does", LINKS, _row(WARN, GO, FAIL), BROKE),
    Row("new-link", "a new link to nothing, in memgit's own layout", LINKS, _row(WARN, GO, WARN)),
    Row("new-link-elsewhere", "the same in any other layout", LINKS, _row(HINT, GO, WARN)),
    Row("other", "anything else", (), _row(CONFIGURED, GO, CONFIGURED)),
)
"""The gate. `field-elsewhere` and `new-link-elsewhere` are the rows of layouts that memgit did not make."""

_ROWS = {row.name: row for row in TABLE}


def is_own(layout: str) -> bool:
    """Whether a layout is memgit's own: there memgit writes every record, so a field that is wrong is a fault."""
    return layout == "memgit"


def row_of(rule: str, change: str, own: bool) -> Row:
    """The row of the table for a finding of a rule.

    Args:
        change: `NEW` or `BROKE`.
        own: what `is_own` says of the layout.
    """
    if rule in LINKS:
        return _ROWS["broken-link" if change == BROKE else "new-link" if own else "new-link-elsewhere"]
    if rule in FIELDS:
        return _ROWS["field" if own else "field-elsewhere"]
    return next((row for row in TABLE if rule in row.rules), _ROWS["other"])


def judge(door: str, rule: str, severity: str, change: str = NEW, *, own: bool, strict: bool = False) -> str:
    """What a door does with one finding: one of the verdicts, `as configured` resolved.

    Args:
        door: one of `DOORS`.
        severity: of the finding, by its rule and the configuration. It lowers what the table says: a warning
            never stops anything.
        change: `NEW`, `BROKE` or `BEFORE`.
        own: what `is_own` says of the layout.
        strict: the configuration itself calls the rule an error, so commits and reviews stop at it.
    """
    if change == BEFORE:
        return GO
    verdict = row_of(rule, change, own).verdicts[door]
    if verdict in (GO, DERIVE):
        return verdict
    most = FAIL if door == REVIEW else REFUSE
    if strict:
        return most
    if verdict == CONFIGURED:
        verdict = FAIL if door == REVIEW else WARN
    return min(verdict, _CAPPED.get(severity, most), key=_RANK.__getitem__)


def severity_at(verdict: str) -> str:
    """The severity with which a door reports a finding; empty where it does not."""
    return _SEVERITY.get(verdict, "")
