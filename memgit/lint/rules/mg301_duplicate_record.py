"""MG301: records that say the same thing twice."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.facts import RecordFacts
from memgit.lint.index import Place, least, place
from memgit.lint.rule import CORPUS, Example, Found, Options, Related, Rule, number, whole
from memgit.lint.words import named
from memgit.model.pattern import pattern

KEYWORDS_SHARE, KEYWORDS_LEAST = 0.7, 3
CHAIN = 4
"""So many records that are like one by keywords alone, or have the very same text, are named; a crowd is not paired each with each."""
_NUMBER = pattern(r"\d+")


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    share, fewest = number(options, "keywords_share"), whole(options, "keywords_least")
    titles, texts = number(options, "title_likeness"), number(options, "text_likeness")
    reasons: dict[tuple[Place, Place], list[str]] = {}
    records: dict[Place, RecordFacts] = {}
    met: dict[object, int] = {}
    near: dict[Place, int] = {}
    everything = corpus.changed is None

    def pair(one: RecordFacts, other: RecordFacts, reason: str) -> None:
        if _version_of_one(one, other):
            return
        here, there = place(one.record), place(other.record)
        records[here], records[there] = one, other
        known = reasons.setdefault((min(here, there), max(here, there)), [])
        if reason not in known:
            known.append(reason)

    for one in corpus.records():
        if one.record.archived:
            continue
        size = len(one.keywords)
        if size >= fewest:
            needed = least(size, share)
            for other in corpus.index.keyword_peers(one, share, whole=everything):
                shared = len(one.keywords & other.keywords)
                if len(other.keywords) < size:
                    smaller = len(other.keywords)
                    close = smaller >= fewest and shared >= least(smaller, share)
                else:
                    smaller, close = size, shared >= needed
                if close and not other.record.archived and _has_room(near, one, other):
                    pair(one, other, f"keywords overlap {shared / smaller:.0%}")
        for other in corpus.index.text_peers(one, whole=everything) if one.sketch else ():
            same = one.digest == other.digest
            alike = 1.0 if same else _text(corpus, one, other, texts)
            if alike < texts or other.record.archived:
                continue
            if _near(one, other, same, met, one.digest):
                pair(one, other, "the same text" if same else f"text {alike:.0%} the same")
        if len(one.title) > 1:
            words, numbers = set(one.title), _NUMBER.findall(one.record.title)
            for other in corpus.index.title_peers(one, whole=everything):
                if _titles_alike(words, other, titles) and not other.record.archived and _NUMBER.findall(other.record.title) == numbers:
                    pair(one, other, "like titles")
    for (first, second), why in sorted(reasons.items()):
        yield _found(corpus, records[first], records[second], why)


def _has_room(near: dict[Place, int], one: RecordFacts, other: RecordFacts) -> bool:
    """Whether one of two records is paired by keywords with few others as yet; counts the pair."""
    here, there = place(one.record), place(other.record)
    before, after = near.get(here, 0), near.get(there, 0)
    if before >= CHAIN and after >= CHAIN:
        return False
    near[here], near[there] = before + 1, after + 1
    return True


def _near(one: RecordFacts, other: RecordFacts, same: bool, met: dict[object, int], key: object) -> bool:
    """Keeps a crowd of equal records from being paired each with each."""
    if not same:
        return True
    known = met.setdefault((key, place(one.record)), 0)
    met[key, place(one.record)] = known + 1
    return known < CHAIN


def _found(corpus: Corpus, one: RecordFacts, other: RecordFacts, why: list[str]) -> Found:
    # The later of the two is reported, unless only the earlier one is what the run is about.
    late, early = (other, one) if corpus.is_subject(other.record.path) else (one, other)
    words = f"{named(late.record)} is like {named(early.record)} ({early.record.path}:{early.record.line}): {', '.join(why)}; join them"
    return Found(
        late.record.path, late.record.line, words, late.record.address,
        related=(Related(early.record.path, early.record.line, f"{named(early.record)}: {', '.join(why)}"),),
    )  # fmt: skip


def _text(corpus: Corpus, one: RecordFacts, other: RecordFacts, wanted: float) -> float:
    """How much of two texts is the same, measured on all of them where their sketches are close."""
    from memgit.lint import likeness

    if likeness.sketched(one.sketch, other.sketch) < wanted - 0.25:
        return 0.0
    return likeness.resemblance(likeness.words(corpus.body(one.record)), likeness.words(corpus.body(other.record)))


def _version_of_one(one: RecordFacts, other: RecordFacts) -> bool:
    """Whether one record grew out of the other: then likeness is meant."""
    return any(
        this.record.address in that.record.derived_from or (this.record.id is not None and this.record.id in that.record.derived_from)
        for this, that in ((one, other), (other, one))
    )


def _titles_alike(left: set[str], other: RecordFacts, wanted: float) -> bool:
    """Whether the words of two titles are the same, in another order or form, or but for a slip of the pen."""
    right = set(other.title)
    if left == right:
        return len(left) > 1
    mine, theirs = left - right, right - left
    if len(mine) != 1 or len(theirs) != 1 or len(left) < 3:
        return False
    # One word of each stands for one of the other: only a misspelling of it keeps the sense.
    (one,), (two,) = mine, theirs
    if min(len(one), len(two)) < 5:
        return False
    from rapidfuzz import fuzz

    return fuzz.ratio(one, two) >= wanted


_ENTRY = "## {}\n**Date:** 2026-03-02\n**Best Practice:**\n- {}\n**Keywords:** {}\n\n"

RULE = Rule(
    code="MG301",
    name="duplicate-record",
    severity="warning",
    summary="two records with like titles, the same keywords, or nearly the same text",
    why="""Of two records about one thing one is updated and the other is not, and who finds the old one believes it.
Keywords count as the same where both records have 70 % or more of the smaller set, which must have three or more.
Whether the two belong together, a person decides; `memgit merge-records` joins them with both histories.""",
    scope=CORPUS,
    check=check,
    compares=True,
    good=(
        Example(
            {
                "knowledge-base/http.md": _ENTRY.format("Retry only timeouts", "A 4xx will not get better", "http, retry, timeout")
                + _ENTRY.format("Back off before asking again", "Double the pause", "http, jitter, pause")
            }
        ),
    ),
    bad=(
        Example(
            {
                "knowledge-base/http.md": _ENTRY.format("Retry only timeouts", "A 4xx will not get better", "http, retry, timeout")
                + _ENTRY.format("When to ask a server again", "Only after a timeout", "http, retry, timeout, client")
            },
            at=("knowledge-base/http.md:7",),
        ),
    ),
    options={"keywords_share": KEYWORDS_SHARE, "keywords_least": KEYWORDS_LEAST, "title_likeness": 85.0, "text_likeness": 0.8},
    options_help={
        "keywords_share": "the share of the smaller set of keywords from which two records are alike",
        "keywords_least": "how many keywords the smaller set must have",
        "title_likeness": "how alike the one word must be in which two titles differ, from 0 to 100",
        "text_likeness": "the share of runs of four words from which two texts are alike",
    },
)
