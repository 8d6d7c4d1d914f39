"""For people at a terminal: the records with what changed in them, then what is wrong, then the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memgit.lint.reports.report import Paint
from memgit.lint.reports.text import MARKS as SIGNS
from memgit.lint.rule import SEVERITIES, Finding
from memgit.lint.words import cut, listed, one_line
from memgit.review.reports import words
from memgit.review.settle import MERGE
from memgit.review.values import FAIL, PASS, Detail, Review, Reviewed, in_repository
from memgit.review.words import GONE, NEW, SAME, Piece, shown

MAX_RECORDS = 200
"""So many records are told one by one; the rest is counted, and `--json` has them all."""
MOST_FINDINGS = 400
MOST_LINES = 40
"""Lines of one text difference."""
WIDTH = 120
MARKS = {
    "added": "+",
    "promoted": "+",
    "restored": "+",
    "removed": "-",
    "archived": "-",
    "renamed": ">",
    "moved": ">",
}
VERDICTS = {PASS: "good", FAIL: "error"}


def render(review: Review, paint: Paint) -> str:
    """The review."""
    return "\n".join(one_line(line) for line in _lines(review, paint)) + "\n"


def _lines(review: Review, paint: Paint) -> Iterator[str]:
    review = in_repository(review) if review.in_ci else review
    yield paint(f"review {review.base.short}..{review.head.short}: {words.counts(review)}", "bold")
    for one in review.changes[:MAX_RECORDS]:
        yield ""
        yield from _record(one, paint)
    if len(review.changes) > MAX_RECORDS:
        yield ""
        yield f"… and {len(review.changes) - MAX_RECORDS:,} more records; --json has them all"
    if review.conflicts:
        yield ""
        yield paint(f"Would conflict ({len(review.conflicts):,})", "error")
        for place in review.conflicts[:MAX_RECORDS]:
            where = paint(f"{place.path}:{place.line}", "bold")
            yield f"  {SIGNS['error']} {where}: {place.message}" + (
                f" [{place.address}]" if place.address else ""
            )
        if len(review.conflicts) > MAX_RECORDS:
            yield f"  … and {len(review.conflicts) - MAX_RECORDS:,} more"
        yield f"    settle it: {MERGE}"
    if review.findings:
        yield ""
        yield paint(f"{words.findings(review)} ({len(review.findings):,})", "bold")
        graded = sorted(review.findings, key=lambda one: SEVERITIES.index(one.severity))
        for finding in graded[:MOST_FINDINGS]:
            where = paint(f"{finding.path}:{finding.line}", "bold")
            rule = paint(f"[{finding.rule} {finding.name}]", "faint")
            yield (
                f"  {SIGNS[finding.severity]} {where}: {paint(finding.severity, finding.severity)}: "
                f"{finding.message} {rule}"
            )
            yield from _detail(finding, review.details.get(finding, Detail()), paint)
        if len(graded) > MOST_FINDINGS:
            yield f"  … and {len(graded) - MOST_FINDINGS:,} more; --json has them all"
    asides = words.asides(review)
    if asides:
        yield ""
        yield from (paint(f"note: {aside}", "faint") for aside in asides)
    yield ""
    yield paint(f"verdict: {words.verdict(review)}", VERDICTS.get(review.verdict, "warning"))


def _record(one: Reviewed, paint: Paint) -> Iterator[str]:
    record = one.record
    was = f" <- {one.was}" if one.was is not None else ""
    yield paint(f"{MARKS.get(one.change, '~')} {one.change} {record.address}{was}", "bold") + paint(
        f"  {record.path}:{record.line}", "faint"
    )
    who = words.by(one)
    told = [f"by {who}"] if who else []
    told += [words.runs(one)] if words.runs(one) else []
    told += [f"in {listed(one.who.commits)}"] if one.who.commits else []
    told += [f"source {cut(source, WIDTH)}" for source in words.sources(one)]
    if told:
        yield paint("    " + ", ".join(told), "faint")
    if words.reasons(one):
        yield f"    why: {cut(words.reasons(one), 4 * WIDTH)}"
    if words.goes_back(one):
        yield paint(f"    {words.goes_back(one)}", "warning")
    for field in one.fields:
        before, after = (cut(words.value(found), WIDTH) for found in (field.before, field.after))
        if one.whole:
            yield f"    {paint('│', 'faint')} {cut(field.name, WIDTH)}: {before or after}"
            continue
        sides = [paint(f"[-{before}-]", "error")] if before else []
        sides += [paint(f"{{+{after}+}}", "good")] if after else []
        yield f"    {paint('│', 'faint')} {cut(field.name, WIDTH)}: {' '.join(sides)}"
    yield from _barred([Piece(SAME, part) for _, part in one.body] if one.whole else shown(one.body), paint)
    for mark, links in (("+", one.linked), ("-", one.unlinked)):
        if links and not one.whole:
            yield f"    {mark} links: {cut(', '.join(links), 4 * WIDTH)}"


def _detail(finding: Finding, detail: Detail, paint: Paint) -> Iterator[str]:
    """What is told of a finding beyond its message."""
    for other in detail.others:
        yield f"    {words.beside(other)}: {cut(other.title or other.address, WIDTH)}, {other.path}:{other.line}"
        yield from _barred(other.text, paint)
    if detail.drift:
        yield "    what memgit rebuild would change in it"
        yield from _barred(detail.drift, paint)
    if detail.command and detail.command not in finding.message:
        yield f"    settle it: {detail.command}"


def _barred(pieces: Sequence[Piece], paint: Paint) -> Iterator[str]:
    """A text difference, line by line."""
    text = "".join(_piece(side, piece, paint) for side, piece in pieces).strip("\n")
    # Behind the bar no line can be taken for a command, as CI systems read them from what is printed.
    lines = [f"    {paint('│', 'faint')} {line}" for line in text.split("\n")] if text else []
    yield from lines[:MOST_LINES]
    if len(lines) > MOST_LINES:
        yield f"    … {len(lines) - MOST_LINES:,} lines more"


def _piece(side: str, text: str, paint: Paint) -> str:
    if side not in (GONE, NEW):
        return text
    first, last, colour = ("[-", "-]", "error") if side == GONE else ("{+", "+}", "good")
    # Marks stand on each line, so that every line can be read and coloured by itself.
    return "\n".join(paint(f"{first}{line}{last}", colour) if line else line for line in text.split("\n"))
