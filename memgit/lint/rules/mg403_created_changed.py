"""MG403: records whose day of recording changed."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.derive.dates import day
from memgit.lint.corpus import Corpus
from memgit.lint.history import changes, line_of
from memgit.lint.rule import HISTORY, Example, Found, Options, Rule
from memgit.lint.words import named
from memgit.model.record import Record


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    for change in changes(corpus):
        old, new = change.old, change.new
        if old is None or new is None or new.kind == "note":
            continue
        for field in ("created", "at"):
            before, after = day(old.text(field)), day(new.text(field))
            if after is None and _dated_in_text(corpus, new):
                continue
            if before is not None and before != after:
                now = after or "nothing that is a day"
                words = (
                    f"{named(new)} was made on {before} and now says {now}: put {before} back; a later "
                    "change belongs in the date of update"
                )
                line = (
                    line_of(corpus, new.path, new.text(field) or "", (new.line, new.end_line))
                    if new.text(field)
                    else new.line
                )
                yield Found(new.path, line, words, new.address)


def _dated_in_text(corpus: Corpus, record: Record) -> bool:
    """Whether a decision record of another tool has its day in its text, which may be replaced as a whole."""
    found = corpus.layout.find(record.path)
    return found is not None and found[0].form == "adr"


_ENTRY = "## Pin the compiler\n**Date:** {}\n**Keywords:** build\n"

RULE = Rule(
    code="MG403",
    name="created-changed",
    severity="error",
    summary="a record whose day of recording is another than before",
    why="""The day on which something was recorded does not change; what changes is the day of its last update.
A new date makes an old practice look fresh, and stale records are never found again.
A date that was no real day may be corrected, and so may every field of a plain note.""",
    scope=HISTORY,
    check=check,
    good=(
        Example(
            {"knowledge-base/build.md": _ENTRY.format("2026-03-02\n**Updated:** 2026-05-02")},
            before={"knowledge-base/build.md": _ENTRY.format("2026-03-02")},
        ),
    ),
    bad=(
        Example(
            {"knowledge-base/build.md": _ENTRY.format("2026-05-02")},
            at=("knowledge-base/build.md:2",),
            before={"knowledge-base/build.md": _ENTRY.format("2026-03-02")},
        ),
    ),
)
