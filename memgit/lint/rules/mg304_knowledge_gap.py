"""MG304: categories with hardly anything in them."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.rule import CORPUS, Example, Found, Options, Rule, whole
from memgit.lint.words import plural


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    # A gap shows in the whole; whoever records the first entry of a category is not told that it is the
    # first.
    fewest = whole(options, "entries")
    for path in corpus.pages if corpus.changed is None else ():
        place = corpus.layout.find(path)
        if place is None or place[0].kind != "knowledge" or place[0].form != "entries":
            continue
        count = sum(not one.record.archived for one in corpus.facts(path).records)
        if count < fewest:
            yield Found(
                path,
                1,
                (
                    f"the category {place[1]} has {plural(count, 'entry', 'entries')}: add what is "
                    "known, or join it with another"
                ),
            )


_ENTRY = "## {}\n**Date:** 2026-03-02\n**Keywords:** css\n\n"

RULE = Rule(
    code="MG304",
    name="knowledge-gap",
    severity="info",
    summary="a category with fewer than two entries",
    why="""A category with one entry is either a topic about which more is known than was written down, or too narrow a topic.
Each category costs a line in the index that every session reads.""",
    scope=CORPUS,
    check=check,
    ages=True,
    good=(Example({"knowledge-base/css.md": _ENTRY.format("Grid") + _ENTRY.format("Flexbox")}),),
    bad=(Example({"knowledge-base/css.md": _ENTRY.format("Grid")}, at=("knowledge-base/css.md:1",)),),
    options={"entries": 2},
    options_help={"entries": "how many entries a category should have"},
)
