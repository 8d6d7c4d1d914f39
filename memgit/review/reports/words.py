"""What the text and the Markdown rendering say in the same words."""

from __future__ import annotations

from collections.abc import Mapping

from memgit.lint.rule import Finding
from memgit.lint.words import listed, plural
from memgit.model.record import Value
from memgit.review.masked import masked
from memgit.review.values import NOTHING, Other, Review, Reviewed
from memgit.review.words import SAME


def counts(review: Review) -> str:
    """`2 records added, 1 renamed`, or that no record changed; what else was done where nothing was compared."""
    if not review.compared:
        return "nothing to review" if review.verdict == NOTHING else "everything was checked"
    found = [f"{count:,} {word}" for word, count in review.counts().items()]
    if not found:
        return "no record changed"
    first, _, rest = found[0].partition(" ")
    noun = "record" if first == "1" else "records"
    return ", ".join([f"{first} {noun} {rest}", *found[1:]])


def findings(review: Review) -> str:
    """What stands above the findings."""
    return "New findings" if review.compared else "Findings"


def verdict(review: Review) -> str:
    """The verdict and what it rests on."""
    told = [
        plural(count, severity if severity != "info" else "note")
        for severity, count in review.severities().items()
        if count
    ]
    if review.conflicts:
        told.append(plural(len(review.conflicts), "conflict"))
    return f"{review.verdict}: {', '.join(told)}" if told else review.verdict


def asides(review: Review) -> list[str]:
    """What a review tells beside records and findings, one sentence each."""
    out = []
    if review.laid_out:
        out.append(
            f"{plural(review.laid_out, 'record file')} changed in layout alone: the records say what "
            "they said"
        )
    if review.derived:
        out.append(f"{plural(review.derived, 'derived file')} changed")
    if review.other:
        fate = "holds no record and was" if review.other == 1 else "hold no record and were"
        out.append(f"{plural(review.other, 'other file')} changed, which {fate} not reviewed")
    if review.preexisting:
        out.append(
            f"{plural(review.preexisting, 'finding')} on the same records "
            f"{'was' if review.preexisting == 1 else 'were'} there before"
        )
    most = review.site.annotations if review.site is not None else 0
    for severity, count in review.severities().items():
        if most and count > most:
            name = severity if severity != "info" else "note"
            out.append(
                f"{most - 1} of {plural(count, name)} are shown beside the lines: a forge takes no more"
            )
    return [*out, *review.notes]


def what(one: Reviewed) -> str:
    """What differs in a record that is neither new nor gone, but for its date and what the word for it says."""
    return "" if one.whole else ", ".join(name for name in one.names() if name not in ("updated", one.change))


def by(one: Reviewed) -> str:
    """Who changed a record: names without addresses, and the agents; empty where nobody is known."""
    names = [author.rpartition(" <")[0] or author for author in one.who.authors]
    if not names:
        return ""
    return ", ".join(dict.fromkeys(names)) + (f" with {', '.join(one.who.actors)}" if one.who.actors else "")


def runs(one: Reviewed) -> str:
    """In which runs of an agent it was changed; empty where none is known."""
    return f"run {listed(one.who.runs)}" if one.who.runs else ""


def reasons(one: Reviewed) -> str:
    """Why, in the words of the commits; empty where none says."""
    return masked("; ".join(" ".join(reason.split()) for reason in one.who.reasons))


def goes_back(one: Reviewed) -> str:
    """That an earlier text comes back; empty where it is a new one."""
    if one.goes_back is None:
        return ""
    commit, subject = one.goes_back
    return f"this goes back to what it was before {commit}" + (f" ({subject})" if subject else "")


def sources(one: Reviewed) -> list[str]:
    """Where the record says that it comes from, and what the commits say; of one whose fields are all told,
    what they do not say.
    """
    found = dict.fromkeys(masked(source) for source in (one.record.source, *one.who.sources) if source)
    return [source for source in found if not one.whole or source != one.record.source]


def beside(other: Other) -> str:
    """What stands beside a finding: another record, or what differs from it."""
    return (
        "the other record"
        if all(side == SAME for side, _ in other.text)
        else "from the other record to this one"
    )


def value(found: Value) -> str:
    """A field's value on one line; nothing for one that is not there."""
    return " ".join((", ".join(found) if isinstance(found, tuple) else found or "").split())


def about(one: Reviewed, by_address: Mapping[str, list[Finding]]) -> list[Finding]:
    """The findings about one record, under its name before and after."""
    names = dict.fromkeys(record.address for record in (one.new, one.old) if record is not None)
    return [finding for name in names for finding in by_address.get(name, ())]
