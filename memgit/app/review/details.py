"""What a review tells of findings and records beyond what was found: the other record with its text, what an
index differs in, and an earlier text that comes back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from memgit.app.review.drift import RULE as DRIFT
from memgit.formats.codecs import parse_file
from memgit.git.history.history import listed, touching
from memgit.git.objects.promisor import obtain
from memgit.git.repository import Repository
from memgit.lint.corpus import Corpus
from memgit.lint.rule import Finding, Related
from memgit.model.change import identity
from memgit.model.layout import Layout
from memgit.model.record import Record
from memgit.review.masked import masked_pieces
from memgit.review.settle import command
from memgit.review.values import NOBODY, SHORT, Detail, Other, Reviewed
from memgit.review.words import SAME, Piece, Pieces, difference

LIKE, OPPOSITE = "MG301", "MG303"
"""The rules whose other record stands beside the finding; two that are alike are compared word by word."""
MAX_OTHERS = 5
"""Records told beside one finding."""
LOOKED_BACK = 50
"""Earlier versions of a file that are compared with what a record says now."""
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
    back = _GoingBack(repo, layout, base)
    looked = 0
    for one in changes:
        found = None
        if one.old is not None and one.new is not None and one.body and looked < MAX_RECORDS:
            looked += 1
            found = back.before(one.old, one.new)
        yield one._replace(goes_back=found)


class _Version(NamedTuple):
    """A file before a commit that changed it."""

    commit: str
    subject: str
    path: str
    data: bytes


class _GoingBack:
    def __init__(self, repo: Repository, layout: Layout, base: str) -> None:
        self._repo, self._layout, self._base = repo, layout, base
        self._versions: dict[str, list[_Version]] = {}
        self._parsed: dict[_Version, tuple[Record, ...]] = {}

    def before(self, old: Record, new: Record) -> tuple[str, str] | None:
        """The commit before which a record said what it says now: short hash and subject."""
        said = _said(new)
        # Most versions never held the longest line of the text, and need not be parsed.
        line = max(new.body.split("\n"), key=len).strip().encode("utf-8", "surrogateescape")
        for version in self._of(old.path):
            if line not in version.data:
                continue
            then = next((one for one in self._records(version) if _is_one(one, old)), None)
            if then is not None and _said(then) == said:
                return version.commit[:SHORT], version.subject
        return None

    def _records(self, version: _Version) -> tuple[Record, ...]:
        if version not in self._parsed:
            self._parsed[version] = parse_file(self._layout, version.path, version.data).records
        return self._parsed[version]

    def _of(self, path: str) -> list[_Version]:
        """The newest versions of a file that commits took the place of, the newest first."""
        if path not in self._versions:
            ids = list(touching(self._repo, self._base, [path], LOOKED_BACK))
            self._versions[path] = list(self._read(ids, path))
        return self._versions[path]

    def _read(self, ids: Sequence[str], path: str) -> Iterator[_Version]:
        found = [one for one in listed(self._repo, ids) if len(one.parents) == 1]
        blobs = [self._repo.tree(one.parents[0]).file(path) for one in found]
        obtain(self._repo, (blob for blob in blobs if blob is not None))
        for one, blob in zip(found, blobs, strict=True):
            if blob is not None:
                subject = one.message.strip().partition("\n")[0]
                yield _Version(one.commit, subject, path, self._repo.blob(blob))


def _is_one(one: Record, other: Record) -> bool:
    """Whether two are one record, by id, else by address."""
    mine, theirs = identity(one), identity(other)
    return mine == theirs if mine is not None and theirs is not None else one.address == other.address


def _said(record: Record) -> tuple[object, ...]:
    fields = {name: value for name, value in record.fields.items() if value and name not in _DATES}
    return record.title, fields, record.body
