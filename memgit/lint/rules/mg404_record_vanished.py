"""MG404: records that are gone."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.history import changes
from memgit.lint.rule import HISTORY, Example, Found, Options, Rule
from memgit.lint.words import named


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    done = changes(corpus)
    origins = {origin for change in done if change.new is not None for origin in change.new.derived_from}
    for change in done:
        old = change.old
        if change.action != "remove" or old is None or (not old.body and not set(old.fields) - {"title"}):
            continue
        if origins & {old.address, old.id}:
            continue  # joined into another record, which names it
        kept = corpus.files.mode(old.path) is not None
        if kept and corpus.page(old.path).unreadable is not None:
            continue  # MG001 says so
        line = min(old.line, max(1, len(corpus.page(old.path).lines))) if kept else 1
        where = f" from line {old.line} of {old.path}" if kept else ""
        words = (
            f"{named(old)} ({old.address}) is gone{where}: bring it back and archive it, merge it into another, "
            "or say why in the commit: memgit rm --reason"
        )
        yield Found(old.path, line, words, old.address)


_ONE = "## Grid\n**Date:** 2026-03-02\n**Keywords:** css\n"
_TWO = "\n## Flexbox\n**Date:** 2026-03-02\n**Keywords:** css\n"

RULE = Rule(
    code="MG404",
    name="record-vanished",
    severity="error",
    summary="a record that was there before and is nowhere now",
    why="""A record is archived, not deleted: then links to it still lead somewhere, and who needs it finds it.
A record that is gone without a word was often lost in a merge.
One that was moved, renamed, or joined into a record that names it as its origin is not gone.
A review fails where no commit that takes it away says why in its body; the other doors warn.""",
    scope=HISTORY,
    check=check,
    good=(
        Example(
            {"knowledge-base/css.md": _ONE, "knowledge-base/layout.md": _TWO.lstrip()},
            before={"knowledge-base/css.md": _ONE + _TWO},
        ),
    ),
    bad=(
        Example(
            {"knowledge-base/css.md": _ONE},
            at=("knowledge-base/css.md:4",),
            before={"knowledge-base/css.md": _ONE + _TWO},
        ),
    ),
)
