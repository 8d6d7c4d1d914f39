"""Searching records: ranked by BM25, filtered, each with a snippet; also as of a revision."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.read.engines import Asked, Chosen, ask, choose
from memgit.app.read.reader import CachedReader, Reader, open_searchable
from memgit.app.workspace import Workspace
from memgit.cache.search import snippets
from memgit.cache.tokens import phrases
from memgit.engines import DEFAULT
from memgit.model.namedtuple import NamedTuple
from memgit.model.printable import readable
from memgit.model.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memgit.cache.search import Hit, Query
    from memgit.cache.snippets import Snippet

CERTAIN = 1000.0
"""Score of a record that was asked for by its id."""


class Result(NamedTuple):
    """One result; `snippet.text` has the matches between `START` and `STOP` of `cache.snippets`."""

    record: Record
    score: float
    snippet: Snippet


class Answer(NamedTuple):
    """What was found, the commit that the answer is for (None before the first), and whether uncommitted
    edits are counted in.

    `missing` are the phrases in quotes that no record has together, each as it stands: the results have some
    of their words instead. `engine` answered; `note` says why it was not the one that was asked.
    """

    query: str
    revision: str | None
    fresh: bool
    results: tuple[Result, ...]
    reader: Reader
    missing: tuple[str, ...] = ()
    engine: str = DEFAULT
    note: str | None = None


def search(
    workspace: Workspace,
    query: Query,
    *,
    at: str | None = None,
    actors: Sequence[str] = (),
    engine: str | None = None,
    tag: str | None = None,
) -> Answer:
    """The best records for a query.

    Args:
        at: answer as of a revision.
        actors: only records that one of these agents had a hand in.
        engine: the name of the engine to ask, instead of the configured one.
        tag: only records with this tag, or one under it.

    Raises:
        BadInput: no such engine.
        NotFound: no such revision.
        Refused: the folder lies in no repository.
    """
    chosen = choose(workspace, engine)
    return _found(workspace, open_searchable(workspace, at), query, actors, chosen, tag)


def ranked(workspace: Workspace, query: Query, *, at: str | None = None) -> tuple[CachedReader, list[Hit]]:
    """The best records for a query by the default engine, as heads without snippets, and the reader that says
    what they answer for.

    Raises as `search` does.
    """
    reader = open_searchable(workspace, at)
    return reader, _hits(workspace, reader, query, (), choose(workspace, DEFAULT)).hits


def _hits(
    workspace: Workspace,
    reader: CachedReader,
    query: Query,
    actors: Sequence[str],
    chosen: Chosen,
    tag: str | None = None,
) -> Asked:
    touched = _touched(workspace, reader.revision, actors) if actors else set()
    tagged = reader.with_tag(tag) if tag is not None else frozenset()

    def accept(record: Record) -> bool:
        by = not actors or record.address in touched or (record.id or "") in touched
        return by and (tag is None or (record.path, record.ordinal) in tagged)

    wanted = accept if actors or tag is not None else None
    return ask(chosen, reader.snapshot, query, wanted, fresh=reader.fresh)


def _found(
    workspace: Workspace,
    reader: CachedReader,
    query: Query,
    actors: Sequence[str],
    chosen: Chosen,
    tag: str | None,
) -> Answer:
    hits, answering, note = _hits(workspace, reader, query, actors, chosen, tag)
    found = zip(hits, snippets(reader.snapshot, query, hits), strict=True)
    results = tuple(Result(hit.record, min(hit.score, CERTAIN), snippet) for hit, snippet in found)
    missing = (
        phrases(query.text)
        if '"' in query.text and not any(hit.score < CERTAIN and not hit.loose for hit in hits)
        else ()
    )
    return Answer(query.text, reader.revision, reader.fresh, results, reader, tuple(missing), answering, note)


def _touched(workspace: Workspace, at: str | None, actors: Sequence[str]) -> set[str]:
    """The addresses and ids of records in operations of some agents."""
    from memgit.app.read.log import filters, log

    out: set[str] = set()
    for event in log(workspace, at, cache=workspace.cache, wanted=filters(actors=actors)):
        for change in event.records:
            out.update(name for name in (change.id, change.address) if name)
    return out


def as_json(answer: Answer) -> dict[str, Any]:
    """`{query, missing_phrases, engine, note, revision, fresh, results[{address, title, kind, score, snippet, path, line,
    id}]}`; matches in a snippet stand in `**`."""
    return {
        "query": answer.query,
        "missing_phrases": list(answer.missing),
        "engine": answer.engine,
        "note": answer.note,
        "revision": answer.revision,
        "fresh": answer.fresh,
        "results": [
            {
                "address": result.record.address,
                "title": result.record.title,
                "kind": result.record.kind,
                "score": round(result.score, 4),
                "snippet": result.snippet.marked("**", "**"),
                "path": readable(result.record.path),
                "line": result.snippet.line or result.record.line,
                "id": result.record.id,
            }
            for result in answer.results
        ],
    }
