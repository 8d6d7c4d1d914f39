"""What a review tells of findings and records beyond what was found: the other record with its text, what an
index differs in, and an earlier text that comes back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from memgit.app.review.drift import RULE as DRIFT
from memgit.errors import NotFound
from memgit.formats.codecs import parse_file
from memgit.git.history.history import listed, touching
from memgit.git.objects.promisor import obtain
from memgit.git.repository import Repository
from memgit.lint.corpus import Corpus
from memgit.lint.rule import Finding, Related
from memgit.model.change import identity
from memgit.model.layout import Layout
from memgit.model.record import Record
from memgit.review.masked import masked, masked_pieces
from memgit.review.settle import command
from memgit.review.values import NOBODY, SHORT, Detail, Other, Reviewed
from memgit.review.words import SAME, Piece, Pieces, difference

LIKE, OPPOSITE = "MG301", "MG303"
"""The rules whose other record stands beside the finding; two that are alike are compared word by word."""
VANISHED = "MG404"
MAX_OTHERS = 5
"""Records told beside one finding."""
LOOKED_BACK, MAX_COMMITS = 200, 300
"""Commits that changed one of the files whose earlier versions are compared with what records say now, among so
many of the main line.
"""
MAX_RECORDS = 20
"""Changed records of which earlier versions are looked for."""
_DATES = frozenset(["updated", "created"])


def details(
    findings: Iterable[Finding], after: Corpus, changes: Sequence[Reviewed], drift: Mapping[str, Pieces]
) -> dict[Finding, Detail]:
    """What is told of each finding.

    Args:
        after: the result of merging.
        drift: what derived files differ in, by path.
    """
    by_address = {record.address: one for one in changes for record in (one.old, one.new) if record}
    found = {}
    for one in findings:
        others = tuple(_others(one, after))[:MAX_OTHERS] if one.rule in (LIKE, OPPOSITE) else ()
        about = by_address.get(one.address or "")
        who = NOBODY if about is None else about.who
        told = command(one, [other.address for other in others], who.commits)
        differs = drift.get(one.path, ()) if one.rule == DRIFT else ()
        if told or others or differs:
            found[one] = Detail(told, others, differs)
    return found


def explained(found: Finding, changes: Sequence[Reviewed]) -> bool:
    """Whether a record that is gone went with a word of why."""
    return found.rule == VANISHED and any(
        one.new is None and one.record.address == found.address and one.who.reasons for one in changes
    )


def _others(finding: Finding, after: Corpus) -> Iterator[Other]:
    here = _holder(after, Related(finding.path, finding.line, ""))
    told = {(here.path, here.ordinal)} if here is not None else set()
    for place in finding.related:
        record = _holder(after, place)
        if record is None or (record.path, record.ordinal) in told:
            continue
        told.add((record.path, record.ordinal))
        like = difference(record.body, here.body) if finding.rule == LIKE and here is not None else ()
        if not any(side == SAME and text.strip() for side, text in like):
            like = (Piece(SAME, record.body),)
        yield Other(record.address, record.title, record.path, record.line, masked_pieces(like))


def _holder(corpus: Corpus, place: Related) -> Record | None:
    """The record that holds a line."""
    records = corpus.parsed(place.path).records
    return next((one for one in records if one.line <= place.line <= one.end_line), None)


def going_back(
    repo: Repository, layout: Layout, base: str, changes: Sequence[Reviewed]
) -> Iterator[Reviewed]:
    """The changes, those that bring an earlier text back told so.

    Args:
        base: the commit from which history is looked at.
    """
    asked = [place for place, one in enumerate(changes) if one.body and not one.whole][:MAX_RECORDS]
    back = _GoingBack(repo, layout, base, {one.old.path for place in asked if (one := changes[place]).old})
    for place, one in enumerate(changes):
        if place in asked and one.old is not None and one.new is not None:
            yield one._replace(goes_back=back.before(one.old, one.new))
        else:
            yield one


class _Version(NamedTuple):
    """A file before a commit that changed it."""

    commit: str
    subject: str
    path: str
    blob: str


class _GoingBack:
    def __init__(self, repo: Repository, layout: Layout, base: str, paths: Collection[str]) -> None:
        self._repo, self._layout = repo, layout
        self._versions = list(_versions(repo, base, paths)) if paths else []
        obtain(repo, (one.blob for one in self._versions))
        self._parsed: dict[_Version, tuple[Record, ...]] = {}

    def before(self, old: Record, new: Record) -> tuple[str, str] | None:
        """The commit before which a record said what it says now: short hash and subject."""
        said = _said(new)
        # Most versions never held the longest line of the text, and need not be parsed.
        line = max(new.body.split("\n"), key=len).strip().encode("utf-8", "surrogateescape")
        for version in self._versions:
            if version.path != old.path or line not in self._repo.blob(version.blob):
                continue
            then = next((one for one in self._records(version) if _is_one(one, old)), None)
            if then is not None and _said(then) == said:
                return version.commit[:SHORT], masked(version.subject)
        return None

    def _records(self, version: _Version) -> tuple[Record, ...]:
        if version not in self._parsed:
            data = self._repo.blob(version.blob)
            self._parsed[version] = parse_file(self._layout, version.path, data).records
        return self._parsed[version]


def _versions(repo: Repository, base: str, paths: Collection[str]) -> Iterator[_Version]:
    """What some files held before the newest commits that changed them, the newest first."""
    try:
        start = f"{repo.resolve(f'{base}~{MAX_COMMITS}')}..{base}"
    except NotFound:
        start = base
    for one in listed(repo, touching(repo, start, sorted(paths), LOOKED_BACK)):
        for change in one.changes:
            if len(one.parents) == 1 and change.old is not None and change.old.path in paths:
                yield _Version(
                    one.commit, one.message.strip().partition("\n")[0], change.old.path, change.old.oid
                )


def _is_one(one: Record, other: Record) -> bool:
    """Whether two are one record, by id, else by address."""
    mine, theirs = identity(one), identity(other)
    return mine == theirs if mine is not None and theirs is not None else one.address == other.address


def _said(record: Record) -> tuple[object, ...]:
    fields = {name: value for name, value in record.fields.items() if value and name not in _DATES}
    return record.title, fields, record.body
