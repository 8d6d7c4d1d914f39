"""MG003: records without a field that their kind must have."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.parse_findings import address_at, problems
from memgit.lint.rule import CORPUS, Example, Found, Options, Rule
from memgit.lint.words import named
from memgit.model.kinds import KINDS
from memgit.model.record import Record

_LABELS = {"created": "a line **Date:** YYYY-MM-DD under its heading", "title": "a title after ##"}
_KEYS = {
    "created": "created: YYYY-MM-DD",
    "at": "at: with the moment, ISO 8601",
    "title": "title:",
    "version": "version: 1",
    "status": "status: proposed, accepted, rejected or superseded",
}


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    for path in corpus.pages:
        facts = corpus.facts(path)
        seen = set()
        for one in facts.records:
            record = one.record
            if any(problem.code == "MG002" for problem in facts.problems):
                continue
            for field in missing(record):
                seen.add(record.line)
                words = f"{named(record)} has no {_word(record, field)}: add {_advice(record, field)}"
                yield Found(
                    path,
                    record.line,
                    words,
                    record.address,
                    severity="warning" if _word(record, field) == "date" else None,
                )
            if (
                record.kind == "decision"
                and (record.text("status") or "").lower() == "superseded"
                and not record.text("superseded_by")
            ):
                words = f"{named(record)} is superseded, but does not say by what: add superseded_by"
                yield Found(path, record.line, words, record.address, severity="warning")
        for problem in problems(facts, "MG003"):
            if problem.line not in seen:
                yield Found(path, problem.line, problem.message, address_at(facts, problem.line))


def missing(record: Record) -> Iterator[str]:
    """The required fields that a record lacks; the title of a document may stand in its heading, but not in
    its file name alone.
    """
    if not record.title.strip():
        yield "title"
    for field in KINDS[record.kind].required:
        if not record.text(field) and (field != "title" or record.title.strip()):
            yield field


def _word(record: Record, field: str) -> str:
    return "date" if field in ("created", "at") else field


def _advice(record: Record, field: str) -> str:
    if KINDS[record.kind].stored == "entry":
        return _LABELS.get(field, f"a line **{field.capitalize()}:**")
    return f"{_KEYS.get(field, field)} to its frontmatter"


_DATED = (
    "## Retry only timeouts\n**Date:** 2026-03-02\n**Best Practice:**\n- Do not ask again after a "
    "4xx\n**Keywords:** http, retry\n"
)

RULE = Rule(
    code="MG003",
    name="missing-field",
    severity="error",
    summary="a record without a field that its kind must have",
    why="""Without a date nobody can tell whether a practice is still good, and without a title a record has no address.
What must be there depends on the kind: a date for entries, memories and observations, a status for decisions, a version for skills.
A missing date is a warning; without the others the record cannot be used. A plain note needs nothing.""",
    scope=CORPUS,
    check=check,
    good=(
        Example({"knowledge-base/http.md": _DATED}),
        Example({"memory/a.md": "---\ncreated: 2026-03-02\n---\n# The title is the heading\n"}),
        Example({"notes/a.md": "Only text.\n"}),
    ),
    bad=(
        Example(
            {"knowledge-base/http.md": _DATED.replace("**Date:** 2026-03-02\n", "")},
            at=("knowledge-base/http.md:1",),
        ),
        Example(
            {"decisions/20260302-queue.md": "---\ntitle: One queue\n---\nText.\n"},
            at=("decisions/20260302-queue.md:1",),
        ),
    ),
)
