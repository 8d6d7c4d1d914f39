"""What a review found, as values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import NamedTuple
from urllib.parse import quote

from memgit.lint.reports.report import from_top
from memgit.lint.rule import SEVERITIES, Finding, Rule
from memgit.lint.words import relocated
from memgit.model.change import Change, changed_fields
from memgit.model.kinds import KINDS
from memgit.model.record import Record, Value
from memgit.review.masked import masked_pieces, masked_value
from memgit.review.words import GONE, NEW, Piece, Pieces, difference

WORDS = ("added", "changed", "renamed", "moved", "archived", "restored", "removed", "promoted", "superseded")
"""What a review says of a record, in the order in which it counts them."""
_SAID = {
    "create": "added",
    "update": "changed",
    "extend": "changed",
    "link": "changed",
    "archive": "archived",
    "restore": "restored",
    "remove": "removed",
    "promote": "promoted",
    "rename": "renamed",
}

PASS, WARN, FAIL = "pass", "warn", "fail"
NOTHING = "none"
"""The verdict where there is nothing to review."""
THRESHOLDS = (*SEVERITIES, "never")
SHORT = 10
"""Digits of the short name of a commit."""
CONFLICT = "conflict"
"""Stands for a rule where a conflict is reported as a finding."""
CONFIGURATION = "config"
"""The same for a change of what decides what is checked, and how git merges it: the configuration,
`.gitattributes`.
"""
ALLOWANCE = "allow"
"""The same for a finding that the change brings together with the comment that allows it."""


class Settings(NamedTuple):
    """From which severity on a review fails or warns (`never` for not at all), and how grave a conflict is."""

    fail: str = "error"
    warn: str = "warning"
    conflicts: str = "error"


class Who(NamedTuple):
    """Who changed a record: authors as `Name <mail>`, agents, their runs, sources, the reasons given and
    hashes of commits, each once, oldest first.
    """

    authors: tuple[str, ...] = ()
    actors: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()


NOBODY = Who()


class FieldChange(NamedTuple):
    """One field before and after."""

    name: str
    before: Value
    after: Value


class Reviewed(NamedTuple):
    """One record that the change touches.

    Attributes:
        change: one of `WORDS`.
        old, new: the record before and after; None where it is not there.
        fields: the fields that differ, the title among them; of one that is new or gone, all that it has.
        body: the difference of its text in words; of one that is new or gone, all of it. Credentials in it
            and in fields are masked.
        linked, unlinked: links that it has now and had not before, and the reverse, as typed.
        who: who made the change.
        goes_back: the commit before which the record said what it says now, as short hash and subject; None
            where it says something new.
    """

    change: str
    old: Record | None
    new: Record | None
    fields: tuple[FieldChange, ...] = ()
    body: Pieces = ()
    linked: tuple[str, ...] = ()
    unlinked: tuple[str, ...] = ()
    who: Who = NOBODY
    goes_back: tuple[str, str] | None = None

    @property
    def record(self) -> Record:
        """The record as it is after the change, or was where it is gone."""
        found = self.new or self.old
        assert found is not None
        return found

    @property
    def was(self) -> str | None:
        """Its address before the change, where that is another."""
        if self.old is None or self.new is None or self.old.address == self.new.address:
            return None
        return self.old.address

    @property
    def whole(self) -> bool:
        """Whether all of the record is told, because it is new or gone."""
        return self.old is None or self.new is None

    def names(self) -> list[str]:
        """What is told of it, by name: fields, then `body`."""
        return [field.name for field in self.fields] + (["body"] if self.body else [])


class Place(NamedTuple):
    """Something that would conflict."""

    path: str
    line: int
    address: str | None
    message: str


class Other(NamedTuple):
    """A record beside the one that a finding is reported on: of one that is like it, the difference in words
    that leads from its text to the other's; else its text. Credentials are masked.
    """

    address: str
    title: str
    path: str
    line: int
    text: Pieces


class Detail(NamedTuple):
    """What is told of a finding beyond its message.

    Attributes:
        command: what settles it; empty where no command does.
        others: the other records that it is about.
        drift: of a derived file, the difference in words from what is in it to what the records give.
    """

    command: str = ""
    others: tuple[Other, ...] = ()
    drift: Pieces = ()


class Site(NamedTuple):
    """Where a forge shows what a review names.

    Attributes:
        file: the address of a file, with `{commit}`, `{path}` and `{line}` in it.
        commit: that of a commit, with `{commit}` in it.
        rules: of the folder that holds the pages of the rules; empty where it is not known.
        annotations: how many findings of one severity it shows beside the lines, where there are more; 0 for
            all.
    """

    file: str
    commit: str
    rules: str = ""
    annotations: int = 0


class Side(NamedTuple):
    """One side of a review: as it was named, and the full hash of the commit."""

    name: str
    commit: str

    @property
    def short(self) -> str:
        """Its name, that of a hash cut short."""
        return self.name[:SHORT] if self.name == self.commit else self.name


class Review(NamedTuple):
    """A whole review.

    Attributes:
        base, head: what was compared.
        merge_base: the commit where the two parted.
        verdict: `pass`, `warn` or `fail`; `none` where there is nothing to review.
        changes: the records that differ on the result of merging, in the order of their paths.
        findings: what is wrong on that result and was not wrong before.
        preexisting: how many findings on the same records the base has already.
        conflicts: what a person would have to settle to merge.
        commits: how many commits head has that base has not.
        other: how many files changed that hold no record and are not derived.
        laid_out: record files that changed without a change to what their records say.
        derived: derived files that the change brings.
        record_files: files in the places of records that the change touches.
        complete: false where the clone does not hold all of the history that was asked of.
        notes: what else a reviewer should know, in words.
        rules: the rules that ran.
        today, prefix, version: see `lint.reports.Report`.
        details: what is told of a finding beyond its message.
        at_head: the files that are the head's on the result of merging; all others are the base's.
        site: where a forge shows them; None outside of a forge.
        in_ci: whether a CI job prints it, where paths are told from the top of the repository.
    """

    base: Side
    head: Side
    merge_base: str
    verdict: str
    changes: tuple[Reviewed, ...] = ()
    findings: tuple[Finding, ...] = ()
    preexisting: int = 0
    conflicts: tuple[Place, ...] = ()
    commits: int = 0
    other: int = 0
    laid_out: int = 0
    derived: int = 0
    record_files: int = 0
    complete: bool = True
    notes: tuple[str, ...] = ()
    rules: Sequence[Rule] = ()
    today: str = ""
    prefix: str = ""
    version: str = ""
    details: Mapping[Finding, Detail] = {}
    at_head: frozenset[str] = frozenset()
    site: Site | None = None
    in_ci: bool = False

    @property
    def compared(self) -> bool:
        """Whether two states were compared: not where there is nothing to review, or everything was checked."""
        return self.verdict != NOTHING and self.base.commit != self.head.commit

    @property
    def concerned(self) -> bool:
        """Whether the change has to do with a record, a derived file, the configuration or a finding."""
        return bool(self.record_files or self.derived or self.findings or self.conflicts)

    def file_url(self, path: str, line: int) -> str | None:
        """Where the forge shows a line of a file; None outside of a forge."""
        if self.site is None:
            return None
        side = self.head if path in self.at_head else self.base
        where = quote((self.prefix + path).encode("utf-8", "surrogateescape"), safe="/")
        parts = (("{commit}", side.commit), ("{line}", str(line)), ("{path}", where))
        return reduce(lambda url, part: url.replace(*part), parts, self.site.file)

    def commit_url(self, commit: str) -> str | None:
        return None if self.site is None else self.site.commit.replace("{commit}", commit)

    def rule_url(self, rule: str) -> str | None:
        """The page of a rule; None where it is not known where they are."""
        known = self.site is not None and self.site.rules and rule.startswith("MG")
        return f"{self.site.rules}/{rule}.md" if known and self.site is not None else None

    def counts(self) -> dict[str, int]:
        """How many records there are of each word of `WORDS`, in that order; only those that there are."""
        found: dict[str, int] = {}
        for one in self.changes:
            found[one.change] = found.get(one.change, 0) + 1
        return {word: found[word] for word in WORDS if word in found}

    def severities(self) -> dict[str, int]:
        """How many findings there are of each severity."""
        return {severity: sum(one.severity == severity for one in self.findings) for severity in SEVERITIES}

    def by_address(self) -> dict[str, list[Finding]]:
        """The findings on records, by the address of each."""
        found: dict[str, list[Finding]] = {}
        for finding in self.findings:
            if finding.address is not None:
                found.setdefault(finding.address, []).append(finding)
        return found


def reviewed(change: Change, who: Who = NOBODY) -> Reviewed:
    """What a review says of one change, its links left out."""
    old, new = change.old, change.new
    if old is None or new is None:
        return _whole(change, who)
    fields = [
        FieldChange(name, masked_value(old.fields.get(name)), masked_value(new.fields.get(name)))
        for name in changed_fields(old, new)
        if name != "title"
    ]
    if old.title != new.title:
        fields.insert(0, FieldChange("title", old.title, new.title))
    return Reviewed(
        word_of(change), old, new, tuple(fields), masked_pieces(difference(old.body, new.body)), who=who
    )


def _whole(change: Change, who: Who) -> Reviewed:
    """A record that is new or gone, with all that it says."""
    record = change.new or change.old
    assert record is not None
    given = {
        name: masked_value(value)
        for name, value in record.fields.items()
        if value and name not in ("id", "title")
    }
    gone = change.new is None
    fields = [
        FieldChange(name, value if gone else None, None if gone else value) for name, value in given.items()
    ]
    body = masked_pieces((Piece(GONE if gone else NEW, record.body),)) if record.body else ()
    return Reviewed(word_of(change), change.old, change.new, tuple(fields), body, who=who)


def in_repository(review: Review) -> Review:
    """The same with every path as seen from the top of the repository, in messages and notes too."""
    if not review.prefix:
        return review
    prefix = review.prefix
    changes = tuple(
        one._replace(old=_placed(one.old, prefix), new=_placed(one.new, prefix)) for one in review.changes
    )
    known = {path for one in review.findings for path in (one.path, *(at.path for at in one.related))}
    known |= {record.path for one in review.changes for record in (one.old, one.new) if record is not None}
    known |= review.at_head | {place.path for place in review.conflicts}

    def words(text: str) -> str:
        return relocated(text, known, prefix)

    def found(one: Finding) -> Finding:
        return from_top(one, known, prefix)

    def detail(one: Detail) -> Detail:
        return one._replace(others=tuple(other._replace(path=prefix + other.path) for other in one.others))

    return review._replace(
        changes=changes,
        findings=tuple(map(found, review.findings)),
        conflicts=tuple(
            place._replace(path=prefix + place.path, message=words(place.message))
            for place in review.conflicts
        ),
        notes=tuple(map(words, review.notes)),
        details={found(one): detail(more) for one, more in review.details.items()},
        at_head=frozenset(prefix + path for path in review.at_head),
        prefix="",
    )


def _placed(record: Record | None, prefix: str) -> Record | None:
    return None if record is None else record._replace(path=prefix + record.path)


def word_of(change: Change) -> str:
    """The word for what happened to a record."""
    old, new = change.old, change.new
    if old is not None and new is not None:
        if new.kind == "decision" and _superseded(new) and not _superseded(old):
            return "superseded"
        if (
            change.action == "rename"
            and old.title == new.title
            and (old.path != new.path or old.kind != new.kind)
        ):
            entry = KINDS[new.kind].stored == "entry"
            # A document whose file has another name in the same folder was renamed; a record in another
            # folder or category was moved.
            return (
                "moved" if entry or old.path.rpartition("/")[0] != new.path.rpartition("/")[0] else "renamed"
            )
    return _SAID[change.action]


def _superseded(record: Record) -> bool:
    return (record.text("status") or "").strip().lower() == "superseded" or bool(
        record.items("superseded_by")
    )


def verdict(settings: Settings, findings: Sequence[Finding], conflicts: int) -> str:
    """Whether what was found passes, warns or fails."""
    ranks = [SEVERITIES.index(one.severity) for one in findings]
    if conflicts and settings.conflicts != "never":
        ranks.append(SEVERITIES.index(settings.conflicts))
    worst = min(ranks, default=len(THRESHOLDS))
    for word, threshold in ((FAIL, settings.fail), (WARN, settings.warn)):
        if threshold != "never" and worst <= SEVERITIES.index(threshold):
            return word
    return PASS


def allowance_findings(found: Iterable[Finding]) -> Iterator[Finding]:
    """What a change allows in place, each by a finding of its own: one graver than a note is a warning, so
    that somebody looks at it.
    """
    for one in found:
        severity = "warning" if one.severity == "error" else "info"
        words = f"the change brings this and allows it in place ({one.rule} {one.name}): {one.message}"
        yield Finding(
            ALLOWANCE, "allowed-in-place", severity, one.path, one.line, one.end_line, one.address, words
        )


def conflict_findings(review: Review) -> tuple[Finding, ...]:
    """The conflicts as findings, for reports that know nothing else."""
    return tuple(
        Finding(CONFLICT, "merge-conflict", "error", one.path, one.line, one.line, one.address, one.message)
        for one in review.conflicts
    )
