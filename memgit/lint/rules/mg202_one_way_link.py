"""MG202: records that name a related one, which does not name them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memgit.lint.corpus import Corpus
from memgit.lint.index import place
from memgit.lint.linking import with_link
from memgit.lint.resolve import all_links, facts_of, is_related, target
from memgit.lint.rule import CORPUS, Edits, Example, Finding, Found, Options, Related, Rule
from memgit.lint.words import named
from memgit.model.record import Record


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    for one, line, other in one_way(corpus):
        words = (
            f"{named(one)} is related to {named(other)} ({other.path}:{other.line}), which has no link "
            "back: memgit link writes it"
        )
        # What an archived record was related to leads to the one that it was merged into, if to any.
        moot = other.archived or one.text("merged_into") is not None
        lowered = "info" if moot else None
        yield Found(
            one.path,
            line,
            words,
            one.address,
            related=(Related(other.path, other.line, "no link back"),),
            fixable=not moot,
            severity=lowered,
        )


def one_way(corpus: Corpus) -> Iterator[tuple[Record, int, Record]]:
    """Each link that does not come back: the record, the line of the link, the record that it leads to."""
    told = set()
    for path, origin, link, found in all_links(corpus):
        other = found.record
        if (
            origin is None
            or other is None
            or not is_related(origin, link)
            or place(other) == place(origin.record)
        ):
            continue
        pair = (path, origin.record.ordinal, place(other))
        if pair not in told and not comes_back(corpus, other, origin.record):
            told.add(pair)
            yield origin.record, link.line, other


def comes_back(corpus: Corpus, origin: Record, wanted: Record) -> bool:
    """Whether a record links to another, anywhere in its fields or text."""
    facts = facts_of(corpus, origin)
    if facts is None:
        return True
    return any(
        (found := target(corpus, origin.path, facts.record, link).record) is not None
        and place(found) == place(wanted)
        for link in facts.links
    )


def fix(corpus: Corpus, findings: Sequence[Finding], options: Options) -> Edits:
    wanted = {(finding.path, finding.line) for finding in findings if finding.fixable}
    edits: dict[str, bytes | None] = {}
    for one, line, other in list(one_way(corpus)):
        if (one.path, line) in wanted and not other.archived:
            state = corpus.edited(edits) if edits else corpus
            current = state.parsed(other.path).records[other.ordinal]
            data = with_link(state, current, one)
            if data is not None:
                edits[other.path] = data
    return edits


_ONE = "## Retry only timeouts\n**Date:** 2026-03-02\n**Related:** [[http#Back off]]\n**Keywords:** http\n"
_TWO = "\n## Back off\n**Date:** 2026-03-02\n**Related:**{}\n**Keywords:** http\n"

RULE = Rule(
    code="MG202",
    name="one-way-link",
    severity="warning",
    summary="a related record that does not link back",
    why="""A reader comes to a topic from either side.
Where only one record names the other, whoever finds the other one first never learns of the first.
Links in the text may go one way; only the field of related records is meant.""",
    scope=CORPUS,
    check=check,
    good=(Example({"knowledge-base/http.md": _ONE + _TWO.format(" [[http#Retry only timeouts]]")}),),
    bad=(Example({"knowledge-base/http.md": _ONE + _TWO.format("")}, at=("knowledge-base/http.md:3",)),),
    fix=fix,
    fix_help="Adds the link back to the Related field of the other record.",
)
