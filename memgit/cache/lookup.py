"""Finding records by name without reading them all: addresses, ids, endings, wikilinks, titles, and what a
mistyped one may have meant.
"""

from __future__ import annotations

import re

from memgit import TYPE_CHECKING
from memgit.cache import scores
from memgit.cache.ids import seen
from memgit.cache.rows import FROM_FILES, FROM_RECORDS, FROM_WORDS, address_of, from_text
from memgit.cache.tokens import fold, is_unbroken, phrase, words_of
from memgit.model import link as links
from memgit.model.address import ends, loosely
from memgit.model.kinds import KINDS
from memgit.model.link import Wikilink, file_names, normal
from memgit.model.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from memgit.cache.scores import Source

MAX_GUESSES = 120
"""Addresses that are compared letter by letter for suggestions."""
MAX_NEIGHBOURS = 1_000
"""Names with the same first letters that are looked at for suggestions."""
MAX_WORDS = 20
"""Words of a mistyped title that are looked for."""
MAX_CANDIDATES = 500
"""Records whose title holds a phrase that are looked at for one that ends in it."""

_BY_NAME = f"select {{head}} {FROM_RECORDS} where record.name = ? and {{visible}}"
_BY_ID = f"select {{head}} {FROM_RECORDS} where record.id = ? and {{visible}}"
_BY_ENDING = (
    "select {head} from ending cross join record on record.n = ending.n cross join file on file.f = record.f"
    " where ending.name = ? and {visible}"
)
_BY_FILE = f"select {{head}} {FROM_FILES} where "
_BY_WORDS = f"select {{head}} {FROM_WORDS} where words match ? and {{visible}}"


def at(snapshot: Source, address: str) -> list[Record]:
    """The records at a full address, the first one of a file first."""
    kind, _, rest = address.partition("/")
    if kind not in KINDS:
        return []
    if KINDS[kind].stored == "entry":
        found: list[Record] = []
        sql = f"{_BY_FILE}file.kind = ? and file.key = ? collate nocase and record.title = ? and {{visible}}"
        for position in [position for position, char in enumerate(rest) if char == "#"]:
            found += snapshot.heads(sql, [kind, rest[:position], rest[position + 1 :]])
    else:
        found = snapshot.heads(
            f"{_BY_FILE}file.kind = ? and file.key = ? collate nocase and {{visible}}", [kind, rest]
        )
    return _sorted(record for record in found if record.address == address)


def lookup(snapshot: Source, text: str) -> list[Record]:
    """The records that a text may mean: the first of these that gives any.

    A wikilink in brackets; a full address; an id or a link target; an ending of an address that starts after
    a slash or a hash; a whole title; the last words of a title.
    """
    text = text.strip()
    if text.startswith("[[") and text.endswith("]]"):
        return named(snapshot, links.parse(text[2:-2]))
    wanted = normal(text)
    if not wanted:
        return []
    return (
        at(snapshot, text)
        or named(snapshot, links.parse(text))
        or _ending(snapshot, wanted)
        or _sorted(snapshot.heads(_BY_NAME, [wanted]))
        or _title_ending(snapshot, wanted)
        or _loosely(snapshot, wanted)
    )


def _loosely(snapshot: Source, wanted: str) -> list[Record]:
    """The records whose address ends so in another case, without its date, or from a hyphen on. It looks at
    all names, and is asked last.
    """
    last = wanted.rpartition("#")[2].rpartition("/")[2]
    if not last:
        return []
    like = re.sub(r"([%_\\])", r"\\\1", last)
    names = " or ".join(
        f"{column} like ? escape '\\'" for column in ("record.name", "file.stem", "file.tail")
    )
    sql = f"select {{head}} {FROM_FILES} where ({names} or file.stem like ? escape '\\') and {{visible}}"
    found = snapshot.heads(sql, [like, like, like, f"%-{like}"])
    return _sorted(loosely(((normal(one.address), normal(one.title), one) for one in found), wanted))


class NamesOf:
    """The names of the records of a snapshot, for `model.link.candidates`."""

    def __init__(self, snapshot: Source) -> None:
        self._snapshot = snapshot

    def full(self, name: str) -> list[Record]:
        return _full(self._snapshot, name)

    def in_files(self, name: str, heading: str | None) -> list[Record]:
        return _in_files(self._snapshot, _files(self._snapshot, name), heading)

    def called(self, name: str) -> list[Record]:
        found = self._snapshot.heads(f"{_BY_NAME} and file.kind = 'note'", [name])
        found += self._snapshot.heads(f"{_BY_ENDING} and file.kind = 'note'", [name])
        return _sorted(record for record in found if name in map(normal, links.own_names(record)))


def named(snapshot: Source, target: Wikilink, origin: str | None = None) -> list[Record]:
    """The records that a link may lead to: what `model.link.Names` of all records would give as candidates."""
    return links.candidates(NamesOf(snapshot), target, origin)


def with_id(snapshot: Source, record_id: str) -> list[Record]:
    """The records with an id, in the order of paths and lines."""
    return _sorted(snapshot.heads(_BY_ID, [record_id]))


def taken(snapshot: Source, record_id: str) -> bool:
    """Whether an id was ever seen by this cache, the records of the snapshot's commit among them."""
    return bool(snapshot.query(lambda _: seen(snapshot.cache, [record_id])))


def holding(snapshot: Source, names: Iterable[str]) -> list[str]:
    """The paths of files whose text may hold one of some names as a link target: all that do, and a few more."""
    wanted = [phrase(name) for name in names]
    if not all(term.words for term in wanted):
        return snapshot.paths()
    found = {
        from_text(path)
        for (path,) in snapshot.rows("select path from file where hidden_links is not null and {visible}")
    }
    if wanted:
        match = " OR ".join(term.match for term in wanted)
        found.update(
            from_text(path)
            for (path,) in snapshot.rows(
                f"select distinct file.path {FROM_WORDS} where words match ? and {{visible}}", [match]
            )
        )
    return sorted(found)


def suggest(snapshot: Source, text: str, limit: int = 3) -> list[str]:
    """Addresses that a mistyped one may have meant, the likeliest first.

    Looks only at records whose name begins alike or whose title shares the beginnings of some rarer words,
    never at all of them.
    """
    from difflib import get_close_matches

    text = normal(text).strip("[]")
    near: set[tuple[str, str]] = set()
    for beginning in _beginnings(text.rpartition("#")[2].rpartition("/")[2]):
        after = beginning[:-1] + chr(ord(beginning[-1]) + 1)
        for condition in ("record.name >= ? and record.name < ?", "file.stem >= ? and file.stem < ?"):
            source = FROM_RECORDS if condition.startswith("record") else FROM_FILES
            near |= _addresses(
                snapshot,
                f"{source} where {condition} and {{visible}} limit {MAX_NEIGHBOURS}",
                [beginning, after],
            )
    left = MAX_NEIGHBOURS
    for count, match in sorted((scores.count(snapshot, match), match) for match in _parts(text)):
        if count <= left:
            left -= count
            near |= _addresses(snapshot, f"{FROM_WORDS} where words match ? and {{visible}}", [match])
    pairs = _pairs(text)
    by_name: dict[str, str] = {}
    for address, title in sorted(
        near, key=lambda pair: (-max(_likeness(pairs, name) for name in pair), pair)
    )[:MAX_GUESSES]:
        for name in (address, address.rpartition("#")[2].rpartition("/")[2], title):
            by_name.setdefault(name.casefold(), address)
    close = get_close_matches(text.casefold(), by_name, n=limit * 3, cutoff=0.5)
    return list(dict.fromkeys(by_name[name] for name in close))[:limit]


def _addresses(snapshot: Source, sql: str, values: list[Any]) -> set[tuple[str, str]]:
    """Addresses and titles alone, without reading the fields of the records."""
    found = snapshot.rows(f"select file.kind, file.key, record.title, record.address {sql}", values)
    return {(address_of(*row), from_text(row[2])) for row in found}


def _parts(text: str) -> list[str]:
    """What a title may share with a mistyped one: beginnings of its words, and its pairs of characters in
    scripts without blanks.
    """
    out: dict[str, None] = {}
    for word in words_of(fold(text)):
        if is_unbroken(word):
            out[f'{{title rest}} : "{word}"'] = None
        elif len(word) > 2:
            out[f'{{title rest}} : "{word[: max(3, len(word) - 2)]}"*'] = None
    return list(out)[:MAX_WORDS]


def _full(snapshot: Source, name: str) -> list[Record]:
    """The records with an address or id, compared in normal form."""
    found = snapshot.heads(_BY_ID, [name])
    for record in _candidates(snapshot, name):
        if normal(record.address) == name:
            found.append(record)
    return _sorted(found)


def _ending(snapshot: Source, wanted: str) -> list[Record]:
    """The records whose address ends in a text, from a slash or hash on."""
    return _sorted(record for record in _candidates(snapshot, wanted) if ends(normal(record.address), wanted))


def _candidates(snapshot: Source, text: str) -> list[Record]:
    """All records whose address may end in a text, and a few more."""
    found: list[Record] = []
    names = {text} | {text[position + 1 :] for position, char in enumerate(text) if char == "#"}
    for name in names:
        found += snapshot.heads(_BY_NAME, [name])
    last = text.rpartition("/")[2]
    for column in ("stem", "tail"):
        # Only documents are named by their file, and they have one record.
        found += snapshot.heads(f"{_BY_FILE}file.{column} = ? and file.size = 1 and {{visible}}", [last])
    return found + snapshot.heads(_BY_ENDING, [text])


def _files(snapshot: Source, name: str) -> list[int]:
    """The rows of files with records that answer to a name (the path without `.md`, or a tail of it), in the
    order of paths.
    """
    found = snapshot.rows(
        "select path, f from file where stem = ? and size > 0 and {visible}", [name.rpartition("/")[2]]
    )
    named = sorted((from_text(path), f) for path, f in found)
    return [f for path, f in named if any(normal(tail) == name for tail in file_names(path))]


def _in_files(snapshot: Source, files: list[int], heading: str | None) -> list[Record]:
    """The records of some files, or those with a heading.

    In documents, headings are no records, and the document is meant.
    """
    if not files:
        return []
    some = f"file.f in ({', '.join(map(str, files))}) and {{visible}}"
    first = (
        snapshot.heads(f"{_BY_FILE}record.n = ? and {{visible}}", [files[0]]) if heading is not None else []
    )
    if heading is None or (first and "#" not in first[0].address):
        return _sorted(snapshot.heads(f"{_BY_FILE}{some}"))
    return _sorted(snapshot.heads(f"{_BY_FILE}{some} and record.name = ?", [normal(heading)]))


def _title_ending(snapshot: Source, wanted: str) -> list[Record]:
    """The records whose title ends in some words."""
    term = phrase(wanted)
    if not term.words:
        return []
    found = snapshot.heads(f"{_BY_WORDS} limit {MAX_CANDIDATES}", ["{title} : " + term.match])
    return _sorted(
        record
        for record in found
        if normal(record.title).endswith(wanted) and _starts_word(normal(record.title), len(wanted))
    )


def _starts_word(title: str, length: int) -> bool:
    before = title[: len(title) - length]
    return not before or not (before[-1].isalnum() and title[len(before)].isalnum())


def _sorted(records: Iterable[Record]) -> list[Record]:
    """Each record once, in the order of paths and lines."""
    found = {(record.path, record.ordinal): record for record in records}
    return [found[place] for place in sorted(found)]


def _beginnings(name: str) -> list[str]:
    """The first letters of a name, as a title and as a file name would have them."""
    start = name[:3]
    if len(start) < 2 or "\ud800" <= max(start) <= "\udfff" or ord(start[-1]) >= 0x10FFFF:
        return []
    return list(dict.fromkeys((start, start.lower(), start.capitalize())))


def _pairs(text: str) -> set[str]:
    folded = text.casefold()
    return {folded[i : i + 2] for i in range(len(folded) - 1)}


def _likeness(pairs: set[str], address: str) -> float:
    """How many pairs of letters two texts share, 0 to 1; the last part of an address alone counts too."""
    if not pairs:
        return 0.0
    best = 0.0
    for text in (address, address.rpartition("#")[2].rpartition("/")[2]):
        other = _pairs(text)
        best = max(best, 2 * len(pairs & other) / (len(pairs) + len(other)))
    return best
