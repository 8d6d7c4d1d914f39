"""MG305: records and categories too large to load."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.rule import CORPUS, Example, Found, Options, Rule, whole
from memgit.lint.words import named


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    record, file, title = whole(options, "record"), whole(options, "file"), whole(options, "title")
    for path in corpus.pages:
        facts = corpus.facts(path)
        for one in facts.records:
            if len(one.record.title) > title:
                words = (
                    f"{named(one.record)} has a title of {len(one.record.title)} characters; lists and "
                    f"subjects cut it: say it in {title}"
                )
                yield Found(path, one.record.line, words, one.record.address)
            if one.tokens > record and not one.record.archived:
                words = (
                    f"{named(one.record)} has about {one.tokens:,} tokens; more than {record:,} are "
                    "seldom read: split or shorten it"
                )
                yield Found(path, one.record.line, words, one.record.address, one.record.end_line)
        if len(facts.records) > 1:
            total = sum(one.tokens for one in facts.records)
            if total > file:
                words = (
                    f"its {len(facts.records)} records have about {total:,} tokens together: make two "
                    "categories of it"
                )
                yield Found(path, 1, words)


RULE = Rule(
    code="MG305",
    name="oversized",
    severity="warning",
    summary="a record or category too large to load, or a title too long to list",
    why="""A category is read as a whole by the agent that matched it, and so is a record.
Past a few thousand tokens what matters drowns, and other records find no room beside it.
Tokens are estimated as words times 1.3.""",
    scope=CORPUS,
    check=check,
    elsewhere="info",
    good=(Example({"notes/short.md": "# Short\n\n" + "word " * 200 + "\n"}),),
    bad=(
        Example(
            {"notes/long.md": "# Long\n\n" + "word " * 4000 + "\n"},
            at=("notes/long.md:1",),
            shown="A note of four thousand words in one file.",
        ),
    ),
    options={"record": 4000, "file": 20000, "title": 100},
    options_help={
        "record": "how many tokens a record may have",
        "file": "how many tokens the records of one file may have together",
        "title": "how many characters a title may have",
    },
)
