"""MG201: wikilinks that are unresolved."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.resolve import Led, all_links, links_of
from memgit.lint.rule import CORPUS, Example, Found, Options, Rule
from memgit.lint.words import named
from memgit.model.link import file_names
from memgit.model.record import Record

MAX_LINK = 160
"""Characters of a link that are shown."""


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    elsewhere = abandoned(corpus)
    # A review may have put some of their links among those of the subjects already.
    links = (
        [led for led in all_links(corpus) if led.path not in elsewhere] if elsewhere else all_links(corpus)
    )
    for led in (*links, *(led for path in elsewhere for led in links_of(corpus, path))):
        if led.target.fault is not None:
            address = led.origin.record.address if led.origin is not None else None
            yield Found(
                led.path, led.link.line, said(led), address, severity="warning" if led.target.near else None
            )


def said(led: Led) -> str:
    """What is said of a link that is unresolved, by a writer as by the rule."""
    where = f"{named(led.origin.record)}: " if led.origin is not None else ""
    field = f"{led.link.field} " if led.link.field not in ("", "related") else ""
    return f"{where}{field}{_short(str(led.link))} is unresolved: {led.target.fault}"


def _short(link: str) -> str:
    return link if len(link) <= MAX_LINK else f"{link[: MAX_LINK - 3]}…]]"


def abandoned(corpus: Corpus) -> list[str]:
    """Files that did not change but may link to what the change took away: a record or its name or id, or a
    file of another sort.
    """
    if corpus.changed is None or corpus.before is None:
        return []
    names = {file_names(path)[0] for path in corpus.changed if corpus.files.mode(path) is None}
    for path in corpus.before.paths:
        there = corpus.parsed(path).records if corpus.files.mode(path) is not None else ()
        kept, ids = {record.address for record in there}, {record.id for record in there}
        for record in corpus.before.parsed(path).records:
            if record.address not in kept:
                names |= called(record)
            elif record.id is not None and record.id not in ids:
                names.add(record.id)
    return corpus.mentioning(names)


def called(record: Record) -> set[str]:
    """Texts of which one stands in every link to a record."""
    names = {file_names(record.path)[0]}
    if record.id:
        names.add(record.id)
    return names


_ONE = "## Retry only timeouts\n**Date:** 2026-03-02\n**Related:** [[http#{}]]\n**Keywords:** http\n"
_TWO = "\n## Back off\n**Date:** 2026-03-02\n**Keywords:** http\n"

RULE = Rule(
    code="MG201",
    name="broken-link",
    severity="error",
    summary="a wikilink that no record answers to",
    why="""A link that is unresolved is knowledge that somebody had and that is lost to the next reader.
Links must name a record in full: the beginning of a title is not enough, and a guess would be wrong sooner or later.
Text in code, in comments, shell tests and arrays are no links. A link may also lead to a heading, or to a file beside the records.
It is a warning where the heading alone is not there, or where the name differs in case alone.
In a vault or a folder of notes, where links to pages that are not written yet are common, a run over everything gives a hint.""",
    scope=CORPUS,
    check=check,
    elsewhere="info",
    good=(
        Example({"knowledge-base/http.md": _ONE.format("Back off") + _TWO}),
        Example({"notes/a.md": "# A\n\nSee [[#A]] and `[[not a link]]`; if [[ -n $x ]] is a test.\n"}),
    ),
    bad=(Example({"knowledge-base/http.md": _ONE.format("Back") + _TWO}, at=("knowledge-base/http.md:3",)),),
)
