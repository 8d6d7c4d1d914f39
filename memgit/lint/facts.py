"""What rules on all records need to know of one file: small, without its text, so that it can be kept and
compared in thousands.

Everything here depends on the path and the bytes of the file alone; `dump` and `load` carry it through a
cache.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from sys import intern

from memgit import TYPE_CHECKING
from memgit.formats import markdown
from memgit.formats.blocks import outline
from memgit.lint import hidden, secrets
from memgit.lint.anchors import Places, places_of
from memgit.lint.page import Page
from memgit.lint.suppress import MARK
from memgit.model import link as links
from memgit.model.address import parse as parse_address
from memgit.model.ids import is_id
from memgit.model.lazy_re import pattern
from memgit.model.link import Wikilink
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Problem, Record, problem_of
from memgit.model.tokens import estimate

if TYPE_CHECKING:
    from typing import Any

    from memgit.lint.alike.claims import Claim

VERSION = 10
"""Goes up when the same bytes give other facts."""
SHORT = 32
"""Texts of a field up to so many characters are often those of other records too."""

FIELDS = ("related", "derived_from", "supersedes", "superseded_by")
"""Fields that name other records."""
_SPAN = pattern(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
_SECONDARY = ("## history", "### previous version")


class Link(NamedTuple):
    """A wikilink in a record or file: its line, where it leads, and the field that it stands in (empty for
    text).
    """

    line: int
    target: str
    heading: str | None
    field: str = ""

    @property
    def wikilink(self) -> Wikilink:
        return Wikilink(self.target, self.heading)

    def __str__(self) -> str:
        return f"[[{self.target}]]" if self.heading is None else f"[[{self.target}#{self.heading}]]"


class RecordFacts(NamedTuple):
    """One record without its body.

    Attributes:
        tokens: those of the body, see `model.tokens`.
        links: links in its fields and text, in order.
        title: stems of the title's words.
        keywords: keywords, folded.
        sketch, digest: see `likeness`, of context and body.
        claims: what it advises, see `claims`.
    """

    record: Record
    tokens: int
    links: tuple[Link, ...]
    title: tuple[str, ...]
    keywords: frozenset[str]
    sketch: Sequence[int]
    digest: int
    claims: tuple[Claim, ...]


class FileFacts(NamedTuple):
    """One file.

    Attributes:
        records: its records in order.
        loose: links outside any record.
        files: relative links as (line, path, what stands after `#`); the path of one to a place in the same
            file is empty.
        problems: what could not be understood.
        conflicts: lines of conflict markers.
        secrets, hidden: see the modules of these names.
        allows: whether it may allow a finding in place.
        places: what links may name in it; None where that was not worked out.
    """

    records: tuple[RecordFacts, ...] = ()
    loose: tuple[Link, ...] = ()
    files: tuple[tuple[int, str, str | None], ...] = ()
    problems: tuple[Problem, ...] = ()
    conflicts: tuple[int, ...] = ()
    secrets: tuple[secrets.Secret, ...] = ()
    hidden: tuple[hidden.Hidden, ...] = ()
    allows: bool = False
    places: Places | None = None

    def links(self) -> Iterable[tuple[RecordFacts | None, Link]]:
        """Every link with the record that it stands in."""
        for facts in self.records:
            for link in facts.links:
                yield facts, link
        for link in self.loose:
            yield None, link


def of_page(page: Page, compare: bool = True) -> FileFacts:
    """The facts of one file; without what only rules that compare records need where `compare` is false."""
    inside, loose = _text_links(page)
    return FileFacts(
        tuple(
            _facts(page, record, group, compare)
            for record, group in zip(page.parsed.records, inside, strict=True)
        ),
        loose,
        tuple((one.line, one.target, one.heading) for one in page.links if one.kind == "file"),
        _problems(page),
        tuple(markdown.conflict_markers(page.text)),
        tuple(secrets.find(page.text)),
        tuple(hidden.find(page.text, _code(page) if "<!--" in page.text or "[//]" in page.text else None)),
        MARK in page.text,
        places_of(page) if compare else None,
    )


def links_of_page(page: Page) -> FileFacts:
    """The facts of one file as far as its records and the links in it go: a fraction of the work."""
    inside, loose = _text_links(page)
    return FileFacts(
        tuple(
            _facts(page, record, group, False)
            for record, group in zip(page.parsed.records, inside, strict=True)
        ),
        loose,
    )


def _text_links(page: Page) -> tuple[list[list[Link]], tuple[Link, ...]]:
    """The links in the text of each record of a file, and those outside all."""
    records = page.parsed.records
    found = [Link(one.line, one.target, one.heading, one.field) for one in page.wikilinks]
    if len(records) == 1 and not page.place_is_entries:
        return [found], ()
    lines = [link.line for link in found]  # in order
    spans = [(bisect_left(lines, record.line), bisect_right(lines, record.end_line)) for record in records]
    held = {place for start, end in spans for place in range(start, end)}
    return [found[start:end] for start, end in spans], tuple(
        link for place, link in enumerate(found) if place not in held
    )


def _problems(page: Page) -> tuple[Problem, ...]:
    """What the parser found, and for a file that holds no record why it is not text."""
    error = page.unreadable
    if page.parsed.problems or error is None:
        return page.parsed.problems
    return (problem_of(error),)


def _code(page: Page) -> list[tuple[int, int]]:
    """Where a text is code: what looks like a comment there is none."""
    start, body = page.body_start, page.body
    fenced = [
        (start + one.start, start + one.end)
        for one in outline(body).hidden
        if body[one.start : one.end].lstrip()[:1] in "`~"
    ]
    return fenced + [match.span() for match in _SPAN.finditer(page.text)]


def unlinked(page: Page, record: Record) -> RecordFacts:
    """The facts of one record but for the links in its text: what comparing it with another takes."""
    return _facts(page, record, [])


def folded(keywords: Iterable[str]) -> frozenset[str]:
    """Keywords as they are compared: case and blanks do not count."""
    return frozenset(one for keyword in keywords if (one := " ".join(keyword.casefold().split())))


def _facts(page: Page, record: Record, inside: list[Link], compare: bool = True) -> RecordFacts:
    present = {(link.target, link.heading) for link in inside}
    linked = inside + [
        link for link in _field_links(page, record) if (link.target, link.heading) not in present
    ]
    facts = RecordFacts(
        record._replace(body=""), estimate(record.body), tuple(linked), (), folded(record.keywords), (), 0, ()
    )
    if not compare:
        return facts
    # Loaded here alone: a hook compares nothing, and these modules are a good part of what it would load.
    from array import array

    from memgit.lint.alike import claims, likeness

    body, context = _current(record.body), record.text("context") or ""
    found = likeness.words(f"{context}\n{body}" if context else body)
    return facts._replace(
        title=tuple(likeness.content(likeness.words(record.title))),
        sketch=array("I", likeness.sketch(found)),
        digest=likeness.digest(found),
        claims=claims.of_record(page, record),
    )


def _current(body: str) -> str:
    """The text without sections that hold earlier versions of it."""
    lowered = body.lower()
    ends = [position for mark in _SECONDARY if (position := lowered.find(f"\n{mark}")) >= 0]
    if not ends:
        return body
    start = min(ends)
    following = body.find("\n## ", start + 4)
    return body[:start] + (body[following:] if following >= 0 else "")


def _field_links(page: Page, record: Record) -> list[Link]:
    out = []
    for field in FIELDS:
        for item in record.items(field):
            inner = item.strip().removeprefix("[[").removesuffix("]]")
            # A source in words is not a link; a key or an address is one.
            if not inner or (
                field == "derived_from"
                and not item.startswith("[[")
                and not is_id(inner)
                and parse_address(inner) is None
            ):
                continue
            link = links.parse(inner)
            line = page.line_of(inner, (record.line, record.end_line)) or record.line
            out.append(Link(line, link.target, link.heading, field))
    return out


def dump(facts: FileFacts) -> bytes:
    """The facts as bytes that `load` reads in the same version of this module."""
    rows = [[*one[:4], sorted(one.keywords), list(one.sketch), *one[6:]] for one in facts.records]
    return json.dumps([VERSION, rows, *facts[1:]], ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def load(data: bytes) -> FileFacts | None:
    """Facts from bytes, None where another version wrote them."""
    from array import array

    from memgit.lint.alike.claims import Claim

    try:
        value = json.loads(data.decode("utf-8", "surrogatepass"))
        if value[0] != VERSION:
            return None
        _, rows, loose, files, problems, conflicts, found, unseen, allows, places = value
        return FileFacts(
            tuple(
                RecordFacts(
                    _record(row[0]),
                    row[1],
                    tuple(map(Link._make, row[2])),
                    _common(row[3]),
                    frozenset(_common(row[4])),
                    array("I", row[5]),
                    row[6],
                    tuple(Claim(*map(_tuples, claim)) for claim in row[7]),
                )
                for row in rows
            ),
            tuple(map(Link._make, loose)),
            tuple(map(tuple, files)),
            tuple(map(Problem._make, problems)),
            tuple(conflicts),
            tuple(map(secrets.Secret._make, found)),
            tuple(map(hidden.Hidden._make, unseen)),
            allows,
            None
            if places is None
            else Places(_common(places[0]), tuple(places[1]), tuple(places[2]), places[3]),
        )
    except (ValueError, TypeError, IndexError):
        return None


# Words that many records have are interned: they are then one text, and the facts of a hundred thousand
# records fit in memory.


def _common(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(intern, words))


def _tuples(value: Any) -> Any:
    """A value with tuples for lists and common words."""
    if isinstance(value, list):
        return tuple(map(_tuples, value))
    return intern(value) if isinstance(value, str) and len(value) <= SHORT else value


def _record(row: list[Any]) -> Record:
    fields = {intern(name): _tuples(value) for name, value in row[7].items()}
    problem = None if row[9] is None else Problem(*row[9])
    return Record._make((intern(row[0]), *row[1:7], fields, row[8], problem))
