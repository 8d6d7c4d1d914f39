"""Full-text search: any text is a legal query, answered by BM25 over title, keywords, context, body and the rest of a record.

A query in plain words is answered with every record that holds any of them, the best first: of all plain ways this one ranks best on public
test collections. Phrases in double quotes must be there. English stop words are left out where enough other words are left.

Ranking one record costs a microsecond, finding that it matches a fortieth of that. So in a large repository only the records that hold one
of the rarer words are ranked; the common words then add to their scores as they always do, but do not bring in records by themselves.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from memgit.cache.records import Snapshot
from memgit.cache.rows import FROM_RECORDS, FROM_WORDS, HEAD, day_of, group_of, in_group, to_text, under
from memgit.cache.snippets import WIDTH, Snippet, Snippets
from memgit.cache.tokens import STOP_WORDS, Term, phrase, telling, terms
from memgit.model.ids import is_id
from memgit.model.record import Record
from memgit.model.tuples import NamedTuple

COMMON = 4_000
"""Matches from which on a word is common: it brings in no records where rarer words do."""
ENOUGH = 50
"""Matches of rarer words below which common words bring in records too."""
ENOUGH_COMMON = 1_000
"""The same where there are common words alone, for those that hold more of them."""
MOST_TERMS = 40
"""Terms of a long query that are looked for: the rarest."""
CHUNK = 200
"""Results that are read at once where the caller filters them."""


Counted = tuple[Term, int]
"""A term and the number of rows of the index that match it."""


class Query(NamedTuple):
    """What to search for.

    Attributes:
        text: as typed; empty finds nothing.
        kinds: only these kinds; empty for all.
        group: only this category, skill, scope or folder and those under it, in any case.
        topic: only records of this topic or one under it, in any case.
        since: only records changed (or made) on this day or later, `YYYY-MM-DD`.
        until: the same, on this day or earlier.
        archived: False without archived records, None with them, True only them.
        limit: at most so many.
    """

    text: str
    kinds: tuple[str, ...] = ()
    group: str | None = None
    topic: str | None = None
    since: str | None = None
    until: str | None = None
    archived: bool | None = False
    limit: int = 10


class Hit(NamedTuple):
    """One result: the head of a record and its score, the higher the better; scores of different queries do not compare."""

    record: Record
    score: float


def search(source: Snapshot, query: Query, accept: Callable[[Record], bool] | None = None) -> list[Hit]:
    """The best records for a query, the best first; alike ones in the order of their addresses.

    Args:
        source: a snapshot, or an overlay to count uncommitted edits in.
        accept: takes a record into the result; for what the rows do not tell, such as who wrote it. Called for the best first, perhaps
            more than once for one record; it must not write to the cache.
    """
    wanted = terms(query.text)
    if query.limit < 1:
        return []
    named = [Hit(record, float("inf")) for record in _by_id(source, query) if _fits(record, query) and (accept is None or accept(record))]
    if not wanted:
        return named[: query.limit]
    places = {(hit.record.path, hit.record.ordinal) for hit in named}
    ranked = _ranked(source, query, wanted, accept)
    return [*named, *(hit for hit in ranked if (hit.record.path, hit.record.ordinal) not in places)][: query.limit]


def snippets(source: Snapshot, query: Query, hits: Sequence[Hit], width: int = WIDTH) -> list[Snippet]:
    """The best piece of each result, in the same order."""
    with Snippets(query.text) as maker:
        return [maker.of(hit.record, source.data(hit.record.path), width) for hit in hits]


def similar(source: Snapshot, words: Iterable[str], *, kind: str | None = None, limit: int = 50) -> list[Record]:
    """Records in full that share words with a text, the closest first; archived ones left out."""
    query = Query(" ".join(words), (kind,) if kind is not None else (), limit=limit)
    return [source.load(hit.record) for hit in search(source, query)]


def from_source(source: Snapshot, value: str) -> list[Record]:
    """The heads of the records whose Source field is a value, archived ones too, in the order of paths and lines."""
    wanted = phrase(value)
    if not wanted.words:
        return []
    sql = f"select {{head}} {FROM_WORDS} where words match ? and {{visible}} order by file.path, record.n"
    return [record for record in source.heads(sql, [f"{{rest}} : {wanted.match}"]) if record.source == value]


def holding(source: Snapshot, word: str) -> int:
    """How many records hold a word in any of its forms, those of other commits in the cache among them: no more than a measure."""
    match = phrase(word).match
    return source.query(lambda connection: _count(connection, match)) if phrase(word).words else 0


def _by_id(source: Snapshot, query: Query) -> list[Record]:
    text = query.text.strip()
    if not is_id(text):
        return []
    return source.heads(f"select {{head}} {FROM_RECORDS} where record.id = ? and {{visible}}", [text])


def _ranked(source: Snapshot, query: Query, wanted: list[Term], accept: Callable[[Record], bool] | None) -> list[Hit]:
    """Results by rank, of the first reading of the query that gives enough, else of the loosest that gives any."""
    found: list[Hit] = []
    tried: set[str] = set()
    for reading, narrow in ((_as_typed, True), (_as_typed, False), (_loosely, True), (_loosely, False)):
        if found and reading is _loosely:
            break
        match = source.query(partial(reading, wanted=wanted, narrow=narrow))
        if match is None or match in tried:
            continue
        tried.add(match)
        found = _select(source, query, match, accept) or found
        if len(found) == query.limit:
            break
    return found


def _select(source: Snapshot, query: Query, match: str, accept: Callable[[Record], bool] | None) -> list[Hit]:
    """The best records for an expression of FTS5 that pass the filters."""
    conditions, values = _conditions(query)
    sql = f"select -words.rank, {HEAD} {FROM_WORDS} where words match ? and {{visible}}{conditions} order by words.rank"
    filtered = accept is not None or query.group is not None or query.topic is not None

    def work(connection: sqlite3.Connection) -> list[Hit]:
        limit = "" if filtered else f" limit {query.limit}"
        cursor = connection.execute(sql.replace("{visible}", source.visible) + limit, [match, *values])
        out: list[Hit] = []
        try:
            while rows := cursor.fetchmany(CHUNK):
                for score, *row in rows:
                    record = source.head(row)
                    if not filtered or (_fits(record, query) and (accept is None or accept(record))):
                        out.append(Hit(record, score))
                        if len(out) == query.limit:
                            return out
        finally:
            cursor.close()
        return out

    # What differs in the last digits is alike: it depends on the order in which SQLite adds up.
    hits = [hit._replace(score=float(f"{hit.score:.9g}")) for hit in source.query(work)]
    return sorted(hits, key=lambda hit: (-hit.score, hit.record.address))


def _conditions(query: Query) -> tuple[str, list[Any]]:
    """The filters as SQL; those by group and topic leave a few more than they should."""
    out: list[str] = []
    values: list[Any] = []
    if query.kinds:
        out.append(f"record.kind in ({', '.join('?' * len(query.kinds))})")
        values += map(to_text, query.kinds)
    if query.archived is not None:
        out.append("record.archived" if query.archived else "not record.archived")
    if query.since is not None:
        out.append("record.day >= ?")
        values.append(to_text(query.since))
    if query.group is not None:
        condition, keys = in_group(query.group.strip("/"))
        out.append(condition)
        values += keys
    if query.topic is not None and phrase(query.topic).words:
        out.append("words.rowid in (select rowid from words where words match ?)")
        values.append(f"{{keywords}} : {phrase(query.topic).match}")
    if query.until is not None:
        out.append("record.day <= ? and record.day > ''")
        values.append(to_text(query.until))
    return "".join(f" and {condition}" for condition in out), values


def _fits(record: Record, query: Query) -> bool:
    """Whether a record passes every filter."""
    day = day_of(record)
    return (
        (not query.kinds or record.kind in query.kinds)
        and (query.archived is None or bool(record.archived) == query.archived)
        and (query.since is None or day >= query.since)
        and (query.until is None or "" < day <= query.until)
        and (query.group is None or under(group_of(record), query.group.strip("/")))
        and (query.topic is None or any(under(topic, query.topic) for topic in (*record.topics, *record.keywords, *record.items("tags"))))
    )


def _as_typed(connection: sqlite3.Connection, wanted: Sequence[Term], *, narrow: bool) -> str | None:
    """The query in the language of FTS5; None where nothing of it is in the index, or a phrase of it is not."""
    counting = telling(wanted)
    phrases = [term for term in counting if term.required]
    counted = _counted(connection, [term for term in counting if not term.required])
    if phrases:
        needed = " AND ".join(term.match for term in phrases)
        return _boosted([f"({needed})"], [term for term, _ in counted]) if _count(connection, needed) else None
    return _planned(connection, counted, narrow)


def _loosely(connection: sqlite3.Connection, wanted: Sequence[Term], *, narrow: bool) -> str | None:
    """A second reading, for what the first one did not find: phrases need not be whole, and words are beginnings of words."""
    parts: dict[str, Term] = {}
    for term in wanted:
        for word in term.words:
            if word.casefold() not in STOP_WORDS and (len(word) > 2 or not word.isascii()):
                match = f'"{word}"' + ("*" if len(word) > 2 else "")
                parts.setdefault(match, Term(match, (word,)))
    return _planned(connection, _counted(connection, list(parts.values())), narrow)


def _counted(connection: sqlite3.Connection, words: Sequence[Term]) -> list[Counted]:
    """The terms that are in the index, each with the number of rows that match, the rarest first."""
    found = [(term, _count(connection, term.match)) for term in words]
    return sorted((pair for pair in found if pair[1]), key=lambda pair: pair[1])[:MOST_TERMS]


def _count(connection: sqlite3.Connection, match: str) -> int:
    return int(connection.execute("select count(*) from words where words match ?", (match,)).fetchone()[0])


def _planned(connection: sqlite3.Connection, counted: Sequence[Counted], narrow: bool) -> str | None:
    """Any of some terms, the rarest first. Where it shall be narrow, common ones bring in no records by themselves."""
    if not counted:
        return None
    all_terms = [term for term, _ in counted]
    if not narrow:
        return " OR ".join(_repeated(all_terms))
    rare = [term for term, count in counted if count <= COMMON]
    common = all_terms[len(rare) :]
    if common and sum(count for _, count in counted[: len(rare)]) >= ENOUGH:
        return _boosted(_repeated(rare), common)
    if not rare and len(common) > 1:
        # Nothing but common words: those records come in that hold as many of the rarer ones as still gives enough of them.
        for last in range(len(common), 0, -1):
            needed = " AND ".join(term.match for term in common[:last])
            if last == 1 or _count(connection, needed) >= ENOUGH_COMMON:
                # Each of these stands there once to be needed and once to be ranked, as each of the others stands there twice.
                return _boosted([f"({needed})"], [*common[last:]])
    return " OR ".join(_repeated(all_terms))


def _repeated(words: Iterable[Term]) -> list[str]:
    """Each term as often as it counts: FTS5 adds up what each one gives."""
    return [term.match for term in words for _ in range(term.times)]


def _boosted(needed: Sequence[str], others: Sequence[Term]) -> str:
    """Matches where one of `needed` does; the others add to the score. What is needed stands there twice, so the others do too."""
    group = " OR ".join(needed)
    return f"({group}) AND ({group} OR {' OR '.join(_repeated(others) * 2)})" if others else group
