"""MG004: fields whose value cannot be right."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from memgit.derive.dates import day
from memgit.lint.corpus import Corpus
from memgit.lint.parse_findings import problems
from memgit.lint.rule import CORPUS, Example, Found, Options, Rule, several
from memgit.lint.words import cut, named
from memgit.model.kinds import STATUSES
from memgit.model.record import Record

DATES = {
    "created": "date",
    "updated": "date of the last change",
    "archived": "date of archiving",
    "at": "moment",
    "last_used": "last use",
}
_TRUE = frozenset(["true", "yes", "on", "1", "false", "no", "off", "null", "~"])


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    known = several(options, "statuses")
    for path in corpus.pages:
        facts = corpus.facts(path)
        place = corpus.layout.find(path)
        if place is not None and place[0].kind == "note":
            continue  # memgit reads no field of a plain note: it may hold any type
        statuses = (*known, "deprecated") if place is not None and place[0].form == "adr" else known
        seen = set()
        for problem in problems(facts, "MG004"):
            seen.add(problem.line)
            yield Found(path, problem.line, problem.message)
        for one in facts.records:
            for field, words in invalid(one.record, corpus.today, statuses):
                value = one.record.text(field) or ""
                line = (
                    corpus.page(path).line_of(value, (one.record.line, one.record.end_line))
                    or one.record.line
                )
                if line not in seen:
                    yield Found(path, line, f"{named(one.record)}: {words}", one.record.address)


def _tomorrow(today: str) -> str:
    """The last day that is not in the future anywhere on earth."""
    return (date.fromisoformat(today) + timedelta(days=1)).isoformat()


def invalid(record: Record, today: str, statuses: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Each field that cannot be right, with the reason."""
    for field, what in DATES.items():
        value = record.text(field)
        if value is None or (field == "archived" and value.lower() in _TRUE):
            continue
        found = day(value)
        if found is None:
            yield field, f"its {what} {cut(value, 40)!r} is not a real day; write YYYY-MM-DD"
        elif found > today and found > _tomorrow(today):
            yield field, f"its {what} {found} is in the future"
    created, updated = day(record.text("created")), day(record.text("updated"))
    # In another zone it is still the day before.
    if created and updated and updated < created and _tomorrow(updated) < created:
        yield "updated", f"it was last changed on {updated}, before it was made on {created}"
    if record.kind == "decision":
        status = record.text("status")
        if status is not None and status.lower() not in statuses:
            yield "status", f"its status {cut(status, 40)!r} is not one of {', '.join(statuses)}"
    if record.kind == "skill" and record.text("version") and record.version is None:
        yield "version", f"its version {cut(record.text('version') or '', 40)!r} is not a number"


RULE = Rule(
    code="MG004",
    name="invalid-field",
    severity="error",
    summary=(
        "a field that cannot be right: a day that does not exist or is still to come, an unknown status, "
        "a wrong type"
    ),
    why="""Dates decide what is stale, what is newest and what a list shows first; a day such as 30 February sorts anywhere.
A status that no tool knows drops a decision out of every filter.
One day ahead is not called the future: it is tomorrow already for somebody.
A plain note may hold anything in its fields.""",
    scope=CORPUS,
    check=check,
    good=(
        Example(
            {"knowledge-base/http.md": "## Retry only timeouts\n**Date:** 2024-02-29\n**Keywords:** http\n"}
        ),
        Example({"decisions/20260302-queue.md": "---\ntitle: One queue\nstatus: accepted\n---\nText.\n"}),
        Example({"notes/a.md": "---\nstatus: [open, late]\ncreated: some day\n---\nText.\n"}),
    ),
    bad=(
        Example(
            {"knowledge-base/http.md": "## Retry only timeouts\n**Date:** 2026-02-30\n**Keywords:** http\n"},
            at=("knowledge-base/http.md:2",),
        ),
        Example(
            {"decisions/20260302-queue.md": "---\ntitle: One queue\nstatus: agreed\n---\nText.\n"},
            at=("decisions/20260302-queue.md:3",),
        ),
    ),
    options={"statuses": STATUSES},
    options_help={
        "statuses": (
            "the statuses that a decision may have; one in the form of other tools may be deprecated as well"
        )
    },
)
