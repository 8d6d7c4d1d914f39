"""MG005: two entries of one file under one title."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.rule import CORPUS, Example, Found, Options, Related, Rule
from memgit.lint.words import named
from memgit.model.link import normal
from memgit.model.record import Record


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    for path in corpus.pages:
        first: dict[str, Record] = {}
        for one in corpus.facts(path).records:
            record = one.record
            known = first.setdefault(normal(record.title), record)
            if known is not record and record.title.strip():
                words = (
                    f"{named(record)} is on line {known.line} already: no link can tell the two "
                    "apart; rename one, or join them"
                )
                yield Found(
                    path,
                    record.line,
                    words,
                    record.address,
                    related=(Related(path, known.line, "the first of that title"),),
                )


RULE = Rule(
    code="MG005",
    name="duplicate-title",
    severity="error",
    summary="two entries of one file under one title",
    why="""File and title are the address of an entry.
With two of one title, `[[file#title]]` is ambiguous, an update may hit the wrong one, and a merge cannot tell which was changed.""",
    scope=CORPUS,
    check=check,
    good=(
        Example(
            {"knowledge-base/css.md": "## Grid\n**Date:** 2026-03-02\n\n## Flexbox\n**Date:** 2026-03-02\n"}
        ),
    ),
    bad=(
        Example(
            {"knowledge-base/css.md": "## Grid\n**Date:** 2026-03-02\n\n## Grid\n**Date:** 2026-04-02\n"},
            at=("knowledge-base/css.md:4",),
        ),
    ),
)
