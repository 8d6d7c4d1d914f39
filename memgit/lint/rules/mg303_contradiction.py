"""MG303: two records that advise the opposite."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator

from memgit import TYPE_CHECKING
from memgit.lint.corpus import Corpus
from memgit.lint.facts import RecordFacts
from memgit.lint.index import REPEATED, Place, place
from memgit.lint.rule import CORPUS, Example, Found, Options, Related, Rule
from memgit.lint.words import named
from memgit.model.lazy_re import pattern

if TYPE_CHECKING:
    from memgit.lint.alike.claims import Claim


_OF_A_PAGE = pattern(
    r"(?i)\b(?:the|this|these|its)\s+(?:member\s+|overloaded\s+|template\s+)?(?:function|method|property|properties|operator|class|"
    r"constructor|destructor|macro|command|cmdlet|parameter|argument|attribute|template|keyword|directive|warning|error)(?:s|es)?\b"
)


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    from memgit.lint.alike.duplicates import apart, own_codes
    from memgit.lint.alike.opposition import may_oppose, opposite

    told: dict[tuple[Place, Place], tuple[RecordFacts, Claim, RecordFacts, Claim, str]] = {}
    quoted: set[tuple[str, str]] = set()
    for one, claim, other, theirs in _candidates(corpus):
        if not may_oppose(claim, theirs):
            continue
        # Comparing two sentences is quicker than finding out whether their records belong together.
        how = opposite(claim, theirs)
        if (
            how is None
            or _replaced(one, other)
            or apart(corpus, one, other)
            or _of_their_own(one, claim, other, theirs)
            or (one.record.kind == other.record.kind == "note" and own_codes(corpus, one, other))
            or (
                not related(one, other, {*claim.core} & {*theirs.core})
                and opposite(claim, theirs, related=False) is None
            )
        ):
            continue
        here, there = place(one.record), place(other.record)
        if here == there or (here, there) in told or (there, here) in told:
            continue
        # Text that many records repeat is opposed once.
        words = (min(claim.text, theirs.text), max(claim.text, theirs.text))
        if words not in quoted:
            quoted.add(words)
            told[here, there] = (one, claim, other, theirs, how)
    for one, claim, other, theirs, how in told.values():
        yield _found(corpus, one, claim, other, theirs, how)


def _candidates(corpus: Corpus) -> Iterator[tuple[RecordFacts, Claim, RecordFacts, Claim]]:
    """Claims of two records that may be opposite."""
    peers = corpus.index.peers
    if peers is None:
        from memgit.lint.alike.joins import claim_pairs

        records = corpus.all_records()
        for number, claim, other, theirs in claim_pairs(records):
            if corpus.concerns(records[number], records[other]):
                yield records[number], claim, records[other], theirs
        return
    repeated: dict[str, int] = {}
    for one in corpus.records():
        for claim in one.claims:
            times = repeated[claim.text] = repeated.get(claim.text, 0) + 1
            if times <= REPEATED:
                for peer, theirs in peers.claim_peers(one, claim):
                    yield one, claim, peer, theirs


def related(one: RecordFacts, other: RecordFacts, spoken: Collection[str] = ()) -> bool:
    """Whether two records are about one topic: one file or scope, or a keyword, topic, tag or words of the
    title in common.

    Args:
        spoken: stems of what both advise about.
    """
    left, right = one.record, other.record
    if left.path == right.path or (
        left.kind == right.kind != "note" and _group(left.path) and _group(left.path) == _group(right.path)
    ):
        return True
    if one.keywords & other.keywords:
        return True
    for field in ("topics", "tags", "skill"):
        if {item.casefold() for item in left.items(field)} & {item.casefold() for item in right.items(field)}:
            return True
    # A word that two titles share says more about plain notes where their advice speaks of it, too.
    same = set(one.title) & set(other.title)
    return len(same) >= 2 if left.kind == right.kind != "note" else not same.isdisjoint(spoken)


def _of_their_own(one: RecordFacts, claim: Claim, other: RecordFacts, theirs: Claim) -> bool:
    """Whether two records are each about a thing of its own: the one about enabling, the other about disabling;
    or plain notes whose advice is not about the very same words.
    """
    from memgit.lint.alike.claims import POLES
    from memgit.lint.alike.likeness import words

    sides = [{POLES[word] for word in words(facts.record.title) if word in POLES} for facts in (one, other)]
    if any((family, -side) in sides[1] for family, side in sides[0]):
        return True
    if "note" not in (one.record.kind, other.record.kind):
        return False
    # In a reference, "the function" is the one that the page is about.
    if set(one.title) != set(other.title) and any(_OF_A_PAGE.search(each.text) for each in (claim, theirs)):
        return True
    # In a manual, a sentence that begins with "Enable" says what a command does.
    begins = [words(each.text)[:1] for each in (claim, theirs)]
    return all(first and first[0] in POLES for first in begins) or (
        {*claim.core} != {*theirs.core} and not (claim.order and theirs.order)
    )


def _group(path: str) -> str:
    """The folder below that of the kind: the scope of a memory, the topic of a note."""
    return path.rpartition("/")[0].partition("/")[2]


def _replaced(one: RecordFacts, other: RecordFacts) -> bool:
    """Whether one record says that it takes the place of the other, or came out of it."""
    for this, that in ((one.record, other.record), (other.record, one.record)):
        names = {that.address, that.id, that.stem}
        if names & {*this.items("supersedes"), *this.items("superseded_by"), *this.derived_from}:
            return True
    return False


def _found(
    corpus: Corpus, one: RecordFacts, claim: Claim, other: RecordFacts, theirs: Claim, how: str
) -> Found:
    if (other.record.path, theirs.line) > (one.record.path, claim.line) and corpus.is_subject(
        other.record.path
    ):
        one, claim, other, theirs = other, theirs, one, claim
    words = (
        f"{named(one.record)} says “{claim.text}”, but {named(other.record)} "
        f"({other.record.path}:{theirs.line}) says “{theirs.text}”: "
        f"{how}; memgit update {shlex.quote(one.record.address)} so that one holds, or say when each does"
    )
    return Found(
        one.record.path,
        claim.line,
        words,
        one.record.address,
        related=(Related(other.record.path, theirs.line, theirs.text),),
    )


_ENTRY = "## {}\n**Date:** 2026-03-02\n**Best Practice:**\n- {}\n**Keywords:** {}\n\n"

RULE = Rule(
    code="MG303",
    name="contradiction",
    severity="warning",
    summary="two records that give opposite advice on one topic",
    why="""Who finds one of the two does one thing, who finds the other does the opposite, and both can point to a record.
Sentences are opposite where one says to do what the other says not to, where they stand on two sides of an antonym (enable and disable,
before and after), prefer each what the other passes over, or give different values to one thing, under the same condition.
Plain notes about two codes or names of a program, and what they say of "the function", are each about a thing of its own.
Only plain English sentences are compared, and rather too few are called opposite than too many.""",
    scope=CORPUS,
    check=check,
    compares=True,
    good=(
        Example(
            {
                "knowledge-base/http.md": _ENTRY.format(
                    "Reads", "Always retry a failed request when it only reads.", "http, retry"
                )
                + _ENTRY.format("Writes", "Never retry a failed request when it writes.", "http, retry")
            }
        ),
    ),
    bad=(
        Example(
            {
                "knowledge-base/http.md": _ENTRY.format(
                    "Be patient", "Always retry a failed upload.", "http, upload"
                )
                + _ENTRY.format("Fail fast", "Never retry a failed upload; report it.", "http, error")
            },
            at=("knowledge-base/http.md:10",),
        ),
        Example(
            {
                "knowledge-base/pool.md": _ENTRY.format("Pool", "Set `pool_size` to 10.", "database, pool")
                + _ENTRY.format("Connections", "Set `pool_size` to 50.", "database, limits")
            },
            at=("knowledge-base/pool.md:10",),
        ),
    ),
)
