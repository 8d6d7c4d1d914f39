"""MG401: observations that were changed after the fact."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.history import changes
from memgit.lint.rule import HISTORY, Example, Found, Options, Rule
from memgit.lint.words import listed, named
from memgit.model.change import changed_fields

FREE = frozenset(["archived", "updated", "id", "related", "keywords", "tags", "topics"])
"""Fields that may change: they are about finding the observation, not about what was observed."""


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    for change in changes(corpus):
        old, new = change.old, change.new
        if old is None or new is None or new.kind != "observation":
            continue
        what = [name for name in changed_fields(old, new) if name not in FREE]
        if old.body != new.body or (old.title != new.title and "title" not in what and "content" not in what):
            what.append("text")
        if what:
            words = (
                f"{named(new)} was edited ({listed(what)}): an observation stays as it was made; take "
                "the edit back and record a new one"
            )
            yield Found(new.path, new.line, words, new.address)
        elif old.archived and not new.archived:
            words = (
                f"{named(new)} was archived and is back: archiving an observation goes one way; record a "
                "new one"
            )
            yield Found(new.path, new.line, words, new.address)


_OLD = "---\nat: 2026-03-02T10:00:00Z\ntopics: [ci]\n---\nThe build was red twice on Friday.\n"

RULE = Rule(
    code="MG401",
    name="observation-edited",
    severity="error",
    summary="an observation that says something else than when it was made",
    why="""An observation is what somebody saw at one moment; memories and decisions are drawn from it.
Edited later it is not evidence any more.
Topics, keywords and links may change, and it may be archived, once.""",
    scope=HISTORY,
    check=check,
    good=(
        Example(
            {"observations/2026/03/a.md": _OLD.replace("[ci]", "[ci, build]")},
            before={"observations/2026/03/a.md": _OLD},
        ),
    ),
    bad=(
        Example(
            {"observations/2026/03/a.md": _OLD.replace("twice", "three times")},
            at=("observations/2026/03/a.md:1",),
            before={"observations/2026/03/a.md": _OLD},
        ),
    ),
)
