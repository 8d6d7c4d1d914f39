"""MG206: records that cite a decision which another has superseded."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.index import Place, place
from memgit.lint.resolve import Led, all_links, facts_of, links_of, target
from memgit.lint.rule import CORPUS, Example, Found, Options, Related, Rule
from memgit.lint.words import named
from memgit.model.link import file_names, parse
from memgit.model.record import Record


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    told: set[tuple[str, int, Place]] = set()
    for led in (*all_links(corpus), *_elsewhere(corpus)):
        old, origin = led.target.record, led.origin
        if old is None or origin is None or origin.record.archived or led.link.field == "supersedes":
            continue
        if _successor(corpus, origin.record) is not None:
            continue
        here, there = (led.path, origin.record.ordinal), place(old)
        if (*here, there) in told or here == there:
            continue
        new = _successor(corpus, old)
        if new is None or place(new) == here or _cites(corpus, led, new):
            continue
        told.add((*here, there))
        yield Found(
            led.path,
            led.link.line,
            f"{named(origin.record)} cites {named(old)}, which {new.address} supersedes: cite that as well",
            origin.record.address,
            related=(Related(new.path, new.line, "it supersedes what is cited"),),
        )


def _successor(corpus: Corpus, record: Record) -> Record | None:
    """The decision that supersedes another; None where it is in force."""
    by = record.text("superseded_by")
    if record.kind != "decision" or (record.text("status") or "").lower() != "superseded" or by is None:
        return None
    text = by.strip().removeprefix("[[").removesuffix("]]")
    found = corpus.index.resolve(parse(text), record.path)
    return found[0] if len(found) == 1 else None


def _cites(corpus: Corpus, led: Led, new: Record) -> bool:
    """Whether the record of a link also links to the decision that is in force."""
    facts = led.origin and facts_of(corpus, led.origin.record)
    if facts is None:
        return False
    found = (target(corpus, led.path, facts.record, link).record for link in facts.links)
    return any(one is not None and place(one) == place(new) for one in found)


def _elsewhere(corpus: Corpus) -> Iterator[Led]:
    """Links in files that did not change to decisions which the change superseded."""
    if corpus.changed is None:
        return
    records = [facts.record for facts in corpus.records()]
    old = [record for record in records if _successor(corpus, record) is not None]
    for path in corpus.mentioning({file_names(record.path)[0] for record in old}):
        yield from links_of(corpus, path)


_OLD = "---\ntitle: Old\nstatus: superseded\nsuperseded_by: decision/20260302-new\n---\nx\n"
_NEW = "---\ntitle: New\nstatus: accepted\nsupersedes: [decision/20260301-old]\n---\nx\n"
_MEMORY = "---\ntitle: M\ncreated: 2026-03-02\n---\n{}\n"


def _files(text: str) -> dict[str, str]:
    return {
        "decisions/20260301-old.md": _OLD,
        "decisions/20260302-new.md": _NEW,
        "memory/m.md": _MEMORY.format(text),
    }


RULE = Rule(
    code="MG206",
    name="superseded-citation",
    severity="warning",
    summary="a link to a decision that another one supersedes",
    why="""Who follows the link reads what no longer holds.
A record that names the decision in force as well knows what it says; the history of a decision may be told.""",
    scope=CORPUS,
    check=check,
    good=(Example(_files("See [[20260302-new]], before [[20260301-old]].")),),
    bad=(Example(_files("See [[20260301-old]]."), at=("memory/m.md:5",)),),
)
