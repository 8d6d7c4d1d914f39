"""Full-text search: any text is a legal query, answered by BM25 over title, keywords, context, body and the
rest of a record.

A query in plain words is answered with every record that holds any of them, the best first: of all plain ways
this one ranks best on public test collections. Phrases in double quotes must be there, unless nothing has
them. English stop words are left out where enough other words are left.

An answer depends on the records of the snapshot alone, not on what else the cache holds (see `cache.scores`):
every clone gives the same one. Ranking one record costs much more than finding that it matches. So in a large
repository only the records that hold one of the rarer words are ranked; the common words then add to their
scores as they always do, but do not bring in records by themselves.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import groupby, islice
from operator import itemgetter

from memgit import TYPE_CHECKING
from memgit.cache import feedback
from memgit.cache.db import MAX_ROWS
from memgit.cache.lookup import NamesOf
from memgit.cache.records import Snapshot
from memgit.cache.rows import BATCH, FROM_RECORDS, FROM_WORDS, day_of, group_of, in_group, to_text, under
from memgit.cache.scores import ONE, Counted, Counts, Plan, Scored, Scores, count, settle
from memgit.cache.snippets import WIDTH, Snippet, Snippets, page, text_of
from memgit.cache.tokens import STOP_WORDS, Term, neighbours, phrase, telling, terms
from memgit.model.ids import is_id
from memgit.model.lazy_re import pattern
from memgit.model.link import normal
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from typing import Any

COMMON = 4_000
"""Matches from which on a word is common: it brings in no records where rarer words do."""
ENOUGH = 50
"""Matches of rarer words below which common words bring in records too."""
ENOUGH_COMMON = 1_000
"""The same where there are common words alone, for those that hold more of them."""
MOST_TERMS = 40
"""Terms of a long query that are looked for: the rarest."""
PAIR = 0.2
"""How much two words side by side count, beside what each of them counts."""
MAX_PAIRED = 4_000
"""Matches above which two words side by side say nothing more."""
CHUNK = 200
"""Results that are read at once where the caller filters them."""
LEAST = 20
"""The same at first."""
FIRST = 1_000
"""Results that are put in order at first where filters may leave out most of them."""
_HASH = pattern(r"@[0-9a-f]{16}$")
SPARE = 50
"""The same, over the limit, where filters leave out few: some of them are alike."""


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
        feedback: whether words of the best records may count too (see `cache.feedback`).
    """

    text: str
    kinds: tuple[str, ...] = ()
    group: str | None = None
    topic: str | None = None
    since: str | None = None
    until: str | None = None
    archived: bool | None = False
    limit: int = 10
    feedback: bool = True


class Hit(NamedTuple):
    """One result: the head of a record and its score, the higher the better; scores of different queries do
    not compare.

    `loose`: nothing has all the phrases of the query as they stand, and this has some of their words.
    """

    record: Record
    score: float
    loose: bool = False


def search(source: Snapshot, query: Query, accept: Callable[[Record], bool] | None = None) -> list[Hit]:
    """The best records for a query, the best first; alike ones in the order of their addresses.

    Args:
        source: a snapshot, or an overlay to count uncommitted edits in.
        accept: takes a record into the result; for what the rows do not tell, such as who wrote it. Called
            for the best first, perhaps more than once for one record; it must not write to the cache.
    """
    wanted = terms(query.text)
    query = query._replace(limit=min(query.limit, MAX_ROWS))
    if query.limit < 1:
        return []
    named = [
        Hit(record, float("inf"))
        for record in _exact(source, query)
        if fits(record, query) and (accept is None or accept(record))
    ]
    if not wanted:
        return named[: query.limit]
    places = {(hit.record.path, hit.record.ordinal) for hit in named}
    ranked = _ranked(source, query, wanted, accept)
    return [*named, *(hit for hit in ranked if (hit.record.path, hit.record.ordinal) not in places)][
        : query.limit
    ]


def snippets(source: Snapshot, query: Query, hits: Sequence[Hit]) -> list[Snippet]:
    """The best piece of each result, in the same order."""
    pages = [page(hit.record, source.data(hit.record.path)) for hit in hits]
    with Snippets(query.text) as maker:
        maker.learn(pages)
        return [maker.of(one, WIDTH) for one in pages]


def similar(
    source: Snapshot, words: Iterable[str], *, kind: str | None = None, limit: int = 50
) -> list[Record]:
    """Records in full that share words with a text, the closest first; archived ones left out."""
    query = Query(" ".join(words), (kind,) if kind is not None else (), limit=limit, feedback=False)
    return [source.load(hit.record) for hit in search(source, query)]


def from_source(source: Snapshot, value: str) -> list[Record]:
    """The heads of the records whose Source field is a value, archived ones too, in the order of paths and
    lines. Of a file outside the root the hash does not count, and the folders above it as far as both name them.
    """
    named = _HASH.sub("", value)
    wanted = phrase(named if named == value else named.rpartition("/")[2].removeprefix("file:"))
    if not wanted.words:
        return []
    sql = f"select {{head}} {FROM_WORDS} where words match ? and {{visible}} order by file.path, record.n"
    found = source.heads(sql, [f"{{rest}} : {wanted.match}"])
    return [record for record in found if _same_origin(record.source or "", value)]


def _same_origin(one: str, other: str) -> bool:
    """Whether two values of Source name the same file."""
    left, right = (_HASH.sub("", text).removeprefix("file:") for text in (one, other))
    hashed = left != one.removeprefix("file:") and right != other.removeprefix("file:")
    return left == right or (hashed and (left.endswith(f"/{right}") or right.endswith(f"/{left}")))


def holding(source: Snapshot, word: str) -> int:
    """How many records hold a word in any of its forms."""
    term = phrase(word)
    return count(source, term.match) if term.words else 0


def holders(
    source: Snapshot, words: Iterable[str], kind: str, limit: int
) -> dict[str, list[tuple[str, int]]]:
    """Which records of a kind hold each word in any of its forms: path and number, in order. A word that more
    records hold than a limit, of any kind, is left out.
    """
    matches = {word: term.match for word in words if (term := phrase(word)).words}

    def work(connection: sqlite3.Connection) -> dict[str, list[tuple[str, int]]]:
        counts = Counts(connection, source)
        sql = source.sql(
            f"select file.path, record.n {FROM_WORDS} where words match ? and file.kind = ? and {{visible}}"
            " order by file.path, record.n"
        )
        return {
            word: [(str(path), number) for path, number in connection.execute(sql, (match, kind))]
            for word, match in matches.items()
            if counts.at_most(match, limit) <= limit
        }

    return source.query(work)


def heads_of(source: Snapshot, numbers: Sequence[int]) -> dict[int, Record]:
    """The heads of some records that `holders` found, by number."""
    out: dict[int, Record] = {}
    for start in range(0, len(numbers), BATCH):
        some = numbers[start : start + BATCH]
        sql = source.sql(
            f"select {{head}} {FROM_RECORDS} where record.n in ({', '.join(map(str, some))}) and {{visible}}"
        )

        def work(connection: sqlite3.Connection, sql: str = sql) -> dict[int, Record]:
            return {row[0]: source.head(row) for row in connection.execute(sql)}

        out.update(source.query(work))
    return out


def closest(source: Snapshot, needed: str, held: Mapping[str, int], limit: int) -> list[Record]:
    """The heads of the records that an expression of FTS5 finds, those in front that hold more of some terms.

    The terms are expressions too, each with the number of records that hold it.
    """
    settle(source)

    def work(connection: sqlite3.Connection) -> list[Record]:
        plan = Plan((), tuple((Term(match, ()), holders) for match, holders in held.items()), needed)
        with closing(_ordered(Scores(connection, source, plan), source, limit + SPARE, "", [])) as ordered:
            return [hit.record for hit in islice(ordered, limit)]

    return source.query(work)


def _exact(source: Snapshot, query: Query) -> list[Record]:
    """The records that the whole query names: by id, else by address, else by title in any case or alias."""
    text = query.text.strip()
    if is_id(text):
        found = source.heads(f"select {{head}} {FROM_RECORDS} where record.id = ? and {{visible}}", [text])
        if found:
            return sorted(found, key=place)
    wanted = phrase(text)
    found = source.at(text)
    if not found and wanted.words:
        name = normal(text)
        titled = f"{FROM_WORDS} where words match ? and length(record.name) = ? and {{visible}}"
        heads = source.heads(f"select {{head}} {titled}", [f"{{title}} : {wanted.match}", len(name)])
        found = [record for record in heads if normal(record.title).casefold() == name.casefold()]
        found += NamesOf(source).called(name) if not found else []
    return sorted(found, key=place)


def _ranked(
    source: Snapshot, query: Query, wanted: list[Term], accept: Callable[[Record], bool] | None
) -> list[Hit]:
    """Results by rank, of the first reading of the query that gives enough, else of the loosest that gives
    any.
    """
    settle(source)
    conditions, values = _conditions(query)
    choosy = accept is not None or query._replace(
        text="", archived=query.archived or False, limit=1, feedback=True
    ) != Query("", limit=1)
    most = FIRST if choosy else query.limit + SPARE

    def taken(hit: Hit) -> bool:
        return not choosy or (fits(hit.record, query) and (accept is None or accept(hit.record)))

    def best(scores: Scores, limit: int) -> list[Hit]:
        with closing(_ordered(scores, source, most, conditions, values)) as ordered:
            return list(islice(filter(taken, ordered), limit))

    def work(connection: sqlite3.Connection) -> list[Hit]:
        counts = Counts(connection, source)
        tried: set[Plan] = set()
        found: list[Hit] = []
        for reading, narrow in ((_as_typed, True), (_as_typed, False), (_loosely, True), (_loosely, False)):
            if found and reading is _loosely:
                break
            plan = reading(counts, wanted, narrow=narrow)
            if plan is None or plan in tried:
                continue
            tried.add(plan)
            expanding = query.feedback and reading is _as_typed and query.limit > feedback.RECORDS
            expanding = expanding and feedback.eligible(telling(wanted))
            scores = Scores(connection, source, plan, least=feedback.POOL if expanding else 0)
            hits = best(scores, max(query.limit, feedback.RECORDS))
            if expanding and len(hits) >= feedback.RECORDS:
                extra = _expansion(source, counts, telling(wanted), hits[: feedback.RECORDS])
                if extra:
                    scores.expand(extra, feedback.POOL)
                    hits = _reordered(hits, best(scores, query.limit))
            loose = reading is _loosely and any(term.required for term in wanted)
            found = [hit._replace(loose=loose) for hit in hits[: query.limit]] or found
            if len(found) == query.limit:
                break
        return found

    return source.query(work)


def _expansion(
    source: Snapshot, counts: Counts, wanted: Sequence[Term], hits: Sequence[Hit]
) -> list[Counted]:
    """The words that feedback adds to a query."""
    texts = [(text_of(hit.record, source.data(hit.record.path)), hit.score) for hit in hits]
    return feedback.expansion(counts, counts.records, wanted, texts)


def _reordered(before: Sequence[Hit], after: Sequence[Hit]) -> list[Hit]:
    """The first results as they were, then the others in their new order, all with the new scores; none of
    them is above the one before.
    """
    new = {place(hit.record): hit.score for hit in after}
    head = before[: feedback.KEPT]
    first = {place(hit.record) for hit in head}
    out = [hit for hit in after if place(hit.record) not in first]
    known = first.union(new)
    out += [hit for hit in before if place(hit.record) not in known]
    for hit in reversed(head):
        score = max(new.get(place(hit.record), hit.score), out[0].score if out else 0.0)
        out.insert(0, hit._replace(score=score))
    return out


def _ordered(
    scores: Scores, source: Snapshot, most: int, conditions: str, values: Sequence[Any]
) -> Generator[Hit, None, None]:
    """All that fit some conditions, by score, alike ones by address.

    The first `most` of all are found with less work.
    """
    found = scores.best(most)
    last = found[-1][0] if len(found) == most else None
    if last is not None:
        found = [pair for pair in found if pair[0] > last]
    for chunk in _chunks(found):
        yield from _alike(scores.heads(chunk, conditions, values), source)
    if last is None:
        return
    # Of those that just so are among the first there may be any number more.
    with closing(scores.alike(last, conditions, values)) as cursor:
        yield from (Hit(source.head(head), score / ONE) for score, *head in cursor)
    with closing(scores.below(last, conditions, values)) as cursor:
        for _, rows in groupby(cursor, itemgetter(0)):
            yield from _alike(rows, source)


def _chunks(found: Sequence[Scored]) -> Iterator[Sequence[Scored]]:
    """Parts of what was found, the first one small, that leave alike ones together."""
    start, size = 0, LEAST
    while start < len(found):
        end = min(start + size, len(found))
        while end < len(found) and found[end][0] == found[end - 1][0]:
            end += 1
        yield found[start:end]
        start, size = end, CHUNK


def _alike(rows: Iterable[Sequence[Any]], source: Snapshot) -> list[Hit]:
    """Results in order, from score and head of each."""
    hits = [Hit(source.head(head), score / ONE) for score, *head in rows]
    return sorted(hits, key=lambda hit: (-hit.score, *place(hit.record)))


def place(record: Record) -> tuple[bytes, bytes, int]:
    """Where a record stands among those that are alike, as `scores` orders them."""
    return (
        record.address.encode("utf-8", "surrogateescape"),
        record.path.encode("utf-8", "surrogateescape"),
        record.ordinal,
    )


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
        out.append("+record.n in (select rowid from words where words match ?)")
        values.append(f"{{keywords}} : {phrase(query.topic).match}")
    if query.until is not None:
        out.append("record.day <= ? and record.day > ''")
        values.append(to_text(query.until))
    return "".join(f" and {condition}" for condition in out), values


def fits(record: Record, query: Query) -> bool:
    """Whether a record passes every filter."""
    day = day_of(record)
    return (
        (not query.kinds or record.kind in query.kinds)
        and (query.archived is None or bool(record.archived) == query.archived)
        and (query.since is None or day >= query.since)
        and (query.until is None or "" < day <= query.until)
        and (query.group is None or under(group_of(record), query.group.strip("/")))
        and (
            query.topic is None
            or any(
                under(topic, query.topic)
                for topic in (*record.topics, *record.keywords, *record.items("tags"))
            )
        )
    )


def _held(counts: Counts, words: Iterable[Term]) -> list[Counted]:
    """The terms that any record holds, the rarest first."""
    found = [(term, counts.of(term.match)) for term in words]
    return sorted((pair for pair in found if pair[1]), key=itemgetter(1))[:MOST_TERMS]


def _as_typed(counts: Counts, wanted: Sequence[Term], *, narrow: bool) -> Plan | None:
    """What a query means; None where nothing of it is in the snapshot, or a phrase of it is not."""
    counting = telling(wanted)
    phrases = [term for term in counting if term.required]
    held = _held(counts, (term for term in counting if not term.required))
    if phrases:
        quoted = tuple((term, counts.of(term.match)) for term in phrases)
        needed = " AND ".join(term.match for term in phrases)
        if not counts.of(needed):
            return None
        return Plan(quoted, tuple(held)) if len(quoted) == 1 else Plan((), (*quoted, *held), needed)
    plan = _planned(counts, held, narrow)
    return plan and _with_pairs(counts, plan, wanted)


def _with_pairs(counts: Counts, plan: Plan, wanted: Sequence[Term]) -> Plan:
    """A plan in which words that stand side by side, as they do in the query, count a little more."""
    known = {word for term, _ in (*plan.bringing, *plan.adding) for word in term.words}
    near = (term for term in neighbours(wanted) if known.issuperset(term.words))
    pairs = [(term._replace(weight=PAIR), counts.at_most(term.match, MAX_PAIRED)) for term in near]
    some = tuple(pair for pair in pairs if 0 < pair[1] <= MAX_PAIRED)
    if plan.needed is None:
        return plan._replace(bringing=(*plan.bringing, *some))
    return plan._replace(adding=(*plan.adding, *some))


def _loosely(counts: Counts, wanted: Sequence[Term], *, narrow: bool) -> Plan | None:
    """A second reading, for what the first one did not find: phrases need not be whole, and words are
    beginnings of words.
    """
    parts: dict[str, Term] = {}
    for term in wanted:
        for word in term.words:
            if word.casefold() not in STOP_WORDS and (len(word) > 2 or not word.isascii()):
                match = f'"{word}"' + ("*" if len(word) > 2 else "")
                parts.setdefault(match, Term(match, (word,), len(word) > 2))
    return _planned(counts, _held(counts, parts.values()), narrow)


def _planned(counts: Counts, held: Sequence[Counted], narrow: bool) -> Plan | None:
    """Any of some terms, the rarest first.

    Where it shall be narrow, common ones bring in no records by themselves.
    """
    if not held:
        return None
    rare = tuple(pair for pair in held if pair[1] <= COMMON)
    common = held[len(rare) :]
    if narrow and common and sum(holders for _, holders in rare) >= ENOUGH:
        return Plan(rare, tuple(common))
    if narrow and not rare and len(common) > 1:
        # Nothing but common words: those records come in that hold as many of the rarer ones as still gives
        # enough of them.
        for last in range(len(common), 1, -1):
            needed = " AND ".join(term.match for term, _ in common[:last])
            if counts.of(needed) >= ENOUGH_COMMON:
                return Plan((), tuple(common), needed)
        return Plan(tuple(common[:1]), tuple(common[1:]))
    return Plan(tuple(held))
