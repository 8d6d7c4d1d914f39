"""MG302: records that nobody touched for a long time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from memgit.derive.dates import day
from memgit.lint.corpus import Corpus
from memgit.lint.rule import CORPUS, Example, Found, Options, Rule, several, whole
from memgit.lint.words import named, plural


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    limit, kinds = whole(options, "months"), several(options, "kinds")
    today = date.fromisoformat(corpus.today)
    for one in corpus.records():
        record = one.record
        if record.archived or record.kind not in kinds or record.text("updated"):
            continue
        created = day(record.created)
        months = age(date.fromisoformat(created), today) if created is not None else 0
        if created is not None and months >= limit:
            words = (
                f"{named(record)} is of {created}, {plural(months, 'month')} old and never updated: "
                "check it, then update or archive it"
            )
            yield Found(record.path, record.line, words, record.address)


def age(created: date, today: date) -> int:
    """Whole months between two days."""
    months = (today.year - created.year) * 12 + today.month - created.month
    return months - (today.day < created.day)


_ENTRY = "## Pin the compiler\n**Date:** {}\n**Keywords:** build\n"

RULE = Rule(
    code="MG302",
    name="stale-record",
    severity="warning",
    summary="a record older than six months that was never updated",
    why="""What was right half a year ago may not be any more, and a record that nobody looked at since says so to nobody.
Looking at it and giving it a date of update is enough; what no longer holds is archived.
Observations and decisions stand as they were made and do not go stale.""",
    scope=CORPUS,
    check=check,
    ages=True,
    good=(
        Example({"knowledge-base/build.md": _ENTRY.format("2026-03-02")}),
        Example({"knowledge-base/build.md": _ENTRY.format("2024-03-02\n**Updated:** 2026-05-02")}),
    ),
    bad=(
        Example({"knowledge-base/build.md": _ENTRY.format("2025-03-02")}, at=("knowledge-base/build.md:1",)),
    ),
    options={"months": 6, "kinds": ("knowledge", "experience", "memory", "skill")},
    options_help={
        "months": "the age in months from which a record is stale",
        "kinds": "the kinds of record that can go stale",
    },
)
