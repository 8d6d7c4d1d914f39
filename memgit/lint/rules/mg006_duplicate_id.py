"""MG006: one id, two records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from functools import cache, partial

from memgit.lint.corpus import Corpus
from memgit.lint.index import identity, place
from memgit.lint.rule import CORPUS, Example, Found, Options, Related, Rule
from memgit.lint.words import named
from memgit.model.duplicate_id import is_twin, merging
from memgit.model.record import Record


def _brought(corpus: Corpus, path: str) -> Container[str] | None:
    """The ids that a file holds more often than before the change that a run is about; None where the run is
    about no change, or the file was not there.
    """
    if corpus.changed is None or corpus.before is None or path not in corpus.before.paths:
        return None
    old, new = (
        Counter(filter(None, (identity(record, corpus.layout) for record in state.parsed(path).records)))
        for state in (corpus.before, corpus)
    )
    return new - old


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    brought = cache(partial(_brought, corpus))
    for one in corpus.records():
        record = one.record
        id_ = identity(record, corpus.layout)
        if id_ is None or ((some := brought(record.path)) is not None and id_ not in some):
            continue
        holders = sorted(corpus.index.holders(id_), key=lambda other: (other.path, other.line))
        others = [other for other in holders if place(other) != place(record)]
        # One of the holders is the first; in a run over everything that one is not reported beside the
        # others.
        if not others or (corpus.changed is None and place(holders[0]) == place(record)):
            continue
        line = corpus.page(record.path).line_of(id_, (record.line, record.end_line)) or record.line
        other = f"{named(others[0])} ({others[0].path}:{others[0].line})"
        newest = _newest([*others, record]) if record.id is None else None
        advice = _advice(record, others[0]) if newest is None else f"the newest is {newest}"
        yield Found(
            record.path,
            line,
            f"{named(record)} has the id {id_}, and so has {other}: {advice}",
            record.address,
            related=tuple(Related(other.path, other.line, f"also {id_}") for other in others[:5]),
        )


def _advice(record: Record, other: Record) -> str:
    """What to do about two records of one id of memgit's: of one title they are one record, which a merge has
    left in two places.
    """
    if is_twin(record, other):
        return (
            f"delete one of them; where both are committed, {merging(other.address, record.address)} "
            "makes one of them"
        )
    return "remove the id from the copy; memgit gives it a new one"


def _newest(records: list[Record]) -> str:
    return max(records, key=lambda record: (record.text("updated") or "", record.path)).path


_RECORD = "---\nid: k7m2q9x4dz\ntitle: {}\ncreated: 2026-03-02\n---\nText.\n"

RULE = Rule(
    code="MG006",
    name="duplicate-id",
    severity="error",
    summary="one id on two records",
    why="""An id follows its record through rename, move and merge, and is never used twice.
A copied file carries the id of the original with it: history, links and usage of the two can then no longer be told apart.""",
    scope=CORPUS,
    check=check,
    good=(
        Example(
            {
                "memory/a.md": _RECORD.format("A"),
                "memory/b.md": _RECORD.format("B").replace("k7m2q9x4dz", "v3m2q9x4dz"),
            }
        ),
    ),
    bad=(
        Example(
            {"memory/a.md": _RECORD.format("A"), "memory/b.md": _RECORD.format("B")}, at=("memory/b.md:2",)
        ),
    ),
)
