"""MG201: wikilinks that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.resolve import all_links, links_of
from memgit.lint.rule import CORPUS, Example, Found, Options, Rule
from memgit.lint.words import named
from memgit.model.link import file_names
from memgit.model.record import Record


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    for led in (*all_links(corpus), *(led for path in abandoned(corpus) for led in links_of(corpus, path))):
        if led.target.fault is not None:
            record = led.origin.record if led.origin is not None else None
            where = f"{named(record)}: " if record is not None else ""
            field = f"{led.link.field} " if led.link.field not in ("", "related") else ""
            words = f"{where}{field}{led.link} leads nowhere: {led.target.fault}"
            address = record.address if record is not None else None
            yield Found(led.path, led.link.line, words, address, severity="warning" if led.target.near else None)


def abandoned(corpus: Corpus) -> list[str]:
    """Files that did not change but may link to a record which the change took away or gave another name."""
    if corpus.changed is None or corpus.before is None:
        return []
    names: set[str] = set()
    for path in corpus.before.paths():
        kept = {record.address for record in corpus.parsed(path).records} if corpus.source.mode(path) is not None else set()
        for record in corpus.before.parsed(path).records:
            if record.address not in kept:
                names |= called(record)
    if not names:
        return []
    return sorted(path for path in set(corpus.index.mentioning(sorted(names))) if not corpus.is_subject(path))


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
    why="""A link that leads nowhere is knowledge that somebody had and that is lost to the next reader.
Links must name a record in full: the beginning of a title is not enough, and a guess would be wrong sooner or later.
Text in code, in comments, shell tests and arrays are no links. A link may also lead to a heading, or to a file beside the records.
It is a warning where the heading alone is not there, or where the name differs in case alone.""",
    scope=CORPUS,
    check=check,
    good=(
        Example({"knowledge-base/http.md": _ONE.format("Back off") + _TWO}),
        Example({"notes/a.md": "# A\n\nSee [[#A]] and `[[not a link]]`; if [[ -n $x ]] is a test.\n"}),
    ),
    bad=(Example({"knowledge-base/http.md": _ONE.format("Back") + _TWO}, at=("knowledge-base/http.md:3",)),),
)
