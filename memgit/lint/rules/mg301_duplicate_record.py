"""MG301: records that say the same thing twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from shlex import quote

from memgit.lint.corpus import Corpus
from memgit.lint.facts import RecordFacts
from memgit.lint.index import Peers, Place, least, place
from memgit.lint.rule import CORPUS, Example, Found, Options, Related, Rule, number, whole
from memgit.lint.words import listed, named

KEYWORDS_SHARE, KEYWORDS_LEAST = 0.7, 3
BY_KEYWORDS = "keywords overlap"
"""What a reason begins with that only keywords give."""
CHAIN = 4
"""So many records that are like one by keywords alone, or have the very same text, are named; a crowd is not
paired each with each.
"""


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    alike = _Alike(corpus, options)
    peers = corpus.index.peers
    if peers is None:
        alike.among(corpus.all_records())
    else:
        for one in corpus.records():
            if not one.record.archived:
                alike.like(one, peers)
    for one, other, why in alike.told():
        yield _found(corpus, one, other, why)


class _Alike:
    """The pairs of records that are alike, each with the reasons.

    Attributes:
        reasons: by the places of both, the first one first.
        records: by place.
        family: the records of other titles with nearly the same text, by place.
    """

    def __init__(self, corpus: Corpus, options: Options) -> None:
        from memgit.lint.alike import duplicates  # which a hook does without

        self._corpus, self._judge = corpus, duplicates
        self._share, self._fewest = number(options, "keywords_share"), whole(options, "keywords_least")
        self._title, self._text = number(options, "title_likeness"), number(options, "text_likeness")
        self._near: dict[Place, int] = {}
        self._counted: set[tuple[Place, Place]] = set()
        self._met: dict[tuple[int, Place], int] = {}
        self.reasons: dict[tuple[Place, Place], list[str]] = {}
        self.records: dict[Place, RecordFacts] = {}
        self.family: dict[Place, set[Place]] = {}

    def among(self, records: Sequence[RecordFacts]) -> None:
        """Finds the pairs among all records, as far as the run is about one of the two."""
        from memgit.lint.alike import joins

        def may_pair(one: RecordFacts, other: RecordFacts) -> bool:
            return _in_use(one, other) and self._corpus.concerns(one, other)

        for here, there, _ in joins.keyword_pairs(records, self._share, self._fewest, may_pair, CHAIN):
            self._by_keywords(records[here], records[there])
        for here, there in joins.text_pairs(records, CHAIN):
            if self._corpus.concerns(records[here], records[there]):
                self._by_text(records[here], records[there])
        for here, there in joins.title_pairs(records, self._is_slip):
            if self._corpus.concerns(records[here], records[there]):
                self._by_titles(records[here], records[there])

    def like(self, one: RecordFacts, peers: Peers) -> None:
        """Finds what is like one record."""
        size = len(one.keywords)
        for other in peers.keyword_peers(one, self._share) if size >= self._fewest else ():
            smaller, shared = min(size, len(other.keywords)), len(one.keywords & other.keywords)
            if (
                smaller >= self._fewest
                and shared >= least(smaller, self._share)
                and _in_use(one, other)
                and self._has_room(one, other)
            ):
                self._by_keywords(one, other)
        for other in peers.text_peers(one) if one.sketch else ():
            if one.digest != other.digest or self._is_near(one):
                self._by_text(one, other)
        for other in peers.title_peers(one) if len(one.title) > 1 else ():
            if _titles_alike(set(one.title), other, self._is_slip):
                self._by_titles(one, other)

    def _by_keywords(self, one: RecordFacts, other: RecordFacts) -> None:
        both = one.keywords & other.keywords
        if not self._judge.apart(self._corpus, one, other):
            share = len(both) / min(len(one.keywords), len(other.keywords))
            self._pair(one, other, f"{BY_KEYWORDS} {share:.0%}, {listed(sorted(both))}")

    def _by_text(self, one: RecordFacts, other: RecordFacts) -> None:
        if not self._judge.apart(self._corpus, one, other):
            reason = self._judge.same_text(self._corpus, one, other, self._text)
            if reason is not None and one.digest != other.digest and set(one.title) != set(other.title):
                self._family(one, other)
            self._pair(one, other, reason)

    def _family(self, one: RecordFacts, other: RecordFacts) -> None:
        """Counts two records of other titles whose texts are nearly the same."""
        here, there = place(one.record), place(other.record)
        self.family.setdefault(here, set()).add(there)
        self.family.setdefault(there, set()).add(here)

    def told(self) -> Iterator[tuple[RecordFacts, RecordFacts, list[str]]]:
        """The pairs with their reasons, but for those of which both are like many others: pages of one form."""
        for (first, second), why in sorted(self.reasons.items()):
            crowd = min(len(self.family.get(first, ())), len(self.family.get(second, ())))
            if crowd < CHAIN or second not in self.family[first]:
                yield self.records[first], self.records[second], why

    def _by_titles(self, one: RecordFacts, other: RecordFacts) -> None:
        if not self._judge.apart(self._corpus, one, other):
            self._pair(one, other, self._judge.like_titles(self._corpus, one, other))

    def _pair(self, one: RecordFacts, other: RecordFacts, reason: str | None) -> None:
        if reason is None:
            return
        here, there = place(one.record), place(other.record)
        self.records[here], self.records[there] = one, other
        known = self.reasons.setdefault((min(here, there), max(here, there)), [])
        if reason not in known:
            known.append(reason)

    def _is_slip(self, one: str, other: str) -> bool:
        """Whether a word is another one, misspelled; not where one only adds something to the other."""
        if min(len(one), len(other)) < 5 or one in other or other in one:
            return False
        from rapidfuzz import fuzz

        return fuzz.ratio(one, other) >= self._title

    def _has_room(self, one: RecordFacts, other: RecordFacts) -> bool:
        """Whether one of two records is paired by keywords with few others as yet; counts the pair, which
        either may have found first.
        """
        here, there = place(one.record), place(other.record)
        pair = (min(here, there), max(here, there))
        before, after = self._near.get(here, 0), self._near.get(there, 0)
        if pair in self._counted or (before >= CHAIN and after >= CHAIN):
            return False
        self._counted.add(pair)
        self._near[here], self._near[there] = before + 1, after + 1
        return True

    def _is_near(self, one: RecordFacts) -> bool:
        """Whether one of a crowd of records with the very same text is to be paired with one more of them;
        counts it.
        """
        key = (one.digest, place(one.record))
        known = self._met[key] = self._met.get(key, 0) + 1
        return known <= CHAIN


def _in_use(one: RecordFacts, other: RecordFacts) -> bool:
    """Whether neither of two records is archived."""
    return not one.record.archived and not other.record.archived


def _found(corpus: Corpus, one: RecordFacts, other: RecordFacts, why: list[str]) -> Found:
    # The later of the two is reported, unless only the earlier one is what the run is about.
    late, early = (other, one) if corpus.is_subject(other.record.path) else (one, other)
    reasons = "; ".join(why)
    words = (
        f"{named(late.record)} is like {named(early.record)} ({early.record.path}:{early.record.line}): "
        f"{reasons}; memgit merge-records {quote(early.record.address)} {quote(late.record.address)} joins "
        "them"
    )
    return Found(
        late.record.path,
        late.record.line,
        words,
        late.record.address,
        related=(Related(early.record.path, early.record.line, f"{named(early.record)}: {reasons}"),),
        severity="info" if _says_little(late, early, why) else None,
    )


def _says_little(one: RecordFacts, other: RecordFacts, why: list[str]) -> bool:
    """Whether keywords alone make two plain notes alike: there they are tags, and name a group of notes as well."""
    return one.record.kind == other.record.kind == "note" and all(
        reason.startswith(BY_KEYWORDS) for reason in why
    )


def _titles_alike(left: set[str], other: RecordFacts, is_slip: Callable[[str, str], bool]) -> bool:
    """Whether the words of two titles are the same, in another order or form, or but for a slip of the pen."""
    right = set(other.title)
    if left == right:
        return len(left) > 1
    mine, theirs = left - right, right - left
    # One word of each stands for one of the other: only a misspelling of it keeps the sense.
    return len(mine) == len(theirs) == 1 and len(left) > 2 and is_slip(*mine, *theirs)


_ENTRY = "## {}\n**Date:** 2026-03-02\n**Best Practice:**\n- {}\n**Keywords:** {}\n\n"

RULE = Rule(
    code="MG301",
    name="duplicate-record",
    severity="warning",
    summary="two records with nearly the same text, the same keywords, or like titles and texts",
    why="""Of two records about one thing one is updated and the other is not, and who finds the old one believes it.
Keywords count as the same where both records have 70 % or more of the smaller set, which must have three or more.
Plain notes that have nothing else in common are a hint, for there keywords name groups of notes as well.
A like title alone says nothing: translations, versions of a manual, one page a product and the days of a journal have it too.
Whether the two belong together, a person decides; `memgit merge-records` joins them with both histories.""",
    scope=CORPUS,
    check=check,
    compares=True,
    good=(
        Example(
            {
                "knowledge-base/http.md": _ENTRY.format(
                    "Retry only timeouts", "A 4xx will not get better", "http, retry, timeout"
                )
                + _ENTRY.format("Back off before asking again", "Double the pause", "http, jitter, pause")
            }
        ),
    ),
    bad=(
        Example(
            {
                "knowledge-base/http.md": _ENTRY.format(
                    "Retry only timeouts", "A 4xx will not get better", "http, retry, timeout"
                )
                + _ENTRY.format(
                    "When to ask a server again", "Only after a timeout", "http, retry, timeout, client"
                )
            },
            at=("knowledge-base/http.md:7",),
        ),
    ),
    options={
        "keywords_share": KEYWORDS_SHARE,
        "keywords_least": KEYWORDS_LEAST,
        "title_likeness": 85.0,
        "text_likeness": 0.8,
    },
    options_help={
        "keywords_share": "the share of the smaller set of keywords from which two records are alike",
        "keywords_least": "how many keywords the smaller set must have",
        "title_likeness": "how alike the one word must be in which two titles differ, from 0 to 100",
        "text_likeness": "the share of runs of four words from which two texts are alike",
    },
)
