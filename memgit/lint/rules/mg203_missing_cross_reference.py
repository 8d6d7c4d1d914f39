"""MG203: records about the same thing that do not know of each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memgit.lint.corpus import Corpus
from memgit.lint.facts import RecordFacts
from memgit.lint.index import Place, least, place
from memgit.lint.linking import with_link
from memgit.lint.resolve import facts_of, target
from memgit.lint.rule import CORPUS, Edits, Example, Finding, Found, Options, Related, Rule, number, whole
from memgit.lint.rules.mg301_duplicate_record import KEYWORDS_LEAST, KEYWORDS_SHARE
from memgit.lint.words import listed, named
from memgit.model.namedtuple import NamedTuple


class Pair(NamedTuple):
    one: RecordFacts
    other: RecordFacts
    shared: tuple[str, ...]


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    for one, other, shared in pairs(corpus, options):
        record, theirs = one.record, other.record
        words = (
            f"{named(record)} and {named(theirs)} ({theirs.path}:{theirs.line}) share {listed(shared)}, "
            "but do not link to each other"
        )
        yield Found(
            record.path,
            record.line,
            words,
            record.address,
            related=(Related(theirs.path, theirs.line, "about the same thing"),),
            fixable=True,
        )


def pairs(corpus: Corpus, options: Options) -> list[Pair]:
    """Pairs that share enough keywords and have no link either way, the closest few of each record, each pair
    once.
    """
    crowd, most, fewest = whole(options, "crowd"), whole(options, "most"), whole(options, "keywords")
    share = number(options, "share")
    out: dict[tuple[Place, Place], Pair] = {}
    for one in corpus.records():
        if len(one.keywords) < fewest or one.record.archived:
            continue
        near: list[tuple[float, str, int, RecordFacts, frozenset[str]]] = []
        for other in corpus.index.linked_keywords(one, crowd):
            shared = one.keywords & other.keywords
            smaller = min(len(one.keywords), len(other.keywords))
            if len(shared) < fewest or len(shared) < least(smaller, share) or other.record.archived:
                continue
            if smaller >= KEYWORDS_LEAST and len(shared) >= least(smaller, KEYWORDS_SHARE):
                continue  # a duplicate, which MG301 reports
            near.append((-len(shared) / smaller, other.record.path, other.record.line, other, shared))
        near.sort(key=lambda row: row[:3])
        for _, _, _, other, shared in near[:most]:
            first, second = sorted((one, other), key=lambda facts: place(facts.record))
            if not corpus.is_subject(first.record.path):
                first, second = second, first
            pair = (place(first.record), place(second.record))
            if pair not in out and (pair[1], pair[0]) not in out and not _linked(corpus, one, other):
                out[pair] = Pair(first, second, tuple(sorted(shared)))
    return [out[pair] for pair in sorted(out)]


def _linked(corpus: Corpus, one: RecordFacts, other: RecordFacts) -> bool:
    """Whether either of two records links to the other."""
    for origin, wanted in ((one, other), (other, one)):
        full = facts_of(corpus, origin.record)
        for link in full.links if full is not None else ():
            found = target(corpus, origin.record.path, origin.record, link).record
            if found is not None and place(found) == place(wanted.record):
                return True
    return False


def fix(corpus: Corpus, findings: Sequence[Finding], options: Options) -> Edits:
    wanted = {
        (finding.path, finding.line, finding.related[0].path, finding.related[0].line)
        for finding in findings
        if finding.related
    }
    edits: dict[str, bytes | None] = {}
    for one, other, _ in pairs(corpus, options):
        if (one.record.path, one.record.line, other.record.path, other.record.line) not in wanted:
            continue
        for origin, to in ((one.record, other.record), (other.record, one.record)):
            state = corpus.edited(edits) if edits else corpus
            data = with_link(state, state.parsed(origin.path).records[origin.ordinal], to)
            if data is not None:
                edits[origin.path] = data
    return edits


_ONE = (
    "## Retry only timeouts\n**Date:** 2026-03-02\n**Related:**{}\n**Keywords:** http, retry, timeout, "
    "client\n"
)
_TWO = (
    "\n## Back off before you ask again\n**Date:** 2026-03-02\n**Related:**{}\n**Keywords:** http, "
    "retry, jitter, queue\n"
)

_BOTH = _ONE.format(" [[http#Back off before you ask again]]") + _TWO.format(" [[http#Retry only timeouts]]")

RULE = Rule(
    code="MG203",
    name="missing-cross-reference",
    severity="info",
    summary="two records with keywords in common and no link between them",
    why="""Two records about one thing help more together than apart.
Only keywords that few records have count: everything in a workspace may be about `git`.""",
    scope=CORPUS,
    check=check,
    compares=True,
    good=(Example({"knowledge-base/http.md": _BOTH}),),
    bad=(
        Example(
            {"knowledge-base/http.md": _ONE.format("") + _TWO.format("")}, at=("knowledge-base/http.md:1",)
        ),
    ),
    options={"share": 0.5, "keywords": 2, "crowd": 12, "most": 3},
    options_help={
        "share": "the share of the smaller set of keywords that both must have",
        "keywords": "how many keywords both must have",
        "crowd": "one of these keywords must be on no more records than this",
        "most": "how many pairs are reported for one record",
    },
    fix=fix,
    fix_help="Links the two records with each other.",
)
