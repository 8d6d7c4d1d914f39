"""For people at a terminal: the records with what changed in them, then what is wrong, then the verdict."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.reports import Paint
from memgit.lint.reports.text import MARKS as SIGNS
from memgit.lint.rule import SEVERITIES
from memgit.lint.words import cut, one_line
from memgit.review.reports import words
from memgit.review.values import FAIL, PASS, Review, Reviewed
from memgit.review.words import GONE, NEW, shown

MOST = 200
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
    yield paint(f"review {review.base.name}..{review.head.name}: {words.counts(review)}", "bold")
    for one in review.changes[:MOST]:
        yield ""
        yield from _record(one, paint)
    if len(review.changes) > MOST:
        yield ""
        yield f"… and {len(review.changes) - MOST:,} more records; --json has them all"
    if review.conflicts:
        yield ""
        yield paint(f"Would conflict ({len(review.conflicts):,})", "error")
        for place in review.conflicts[:MOST]:
            where = paint(f"{place.path}:{place.line}", "bold")
            yield f"  {SIGNS['error']} {where}: {place.message}" + (
                f" [{place.address}]" if place.address else ""
            )
        if len(review.conflicts) > MOST:
            yield f"  … and {len(review.conflicts) - MOST:,} more"
    if review.findings:
        yield ""
        yield paint(f"New findings ({len(review.findings):,})", "bold")
        graded = sorted(review.findings, key=lambda one: SEVERITIES.index(one.severity))
        for finding in graded[:MOST_FINDINGS]:
            where = paint(f"{finding.path}:{finding.line}", "bold")
            rule = paint(f"[{finding.rule} {finding.name}]", "faint")
            yield (
                f"  {SIGNS[finding.severity]} {where}: {paint(finding.severity, finding.severity)}: "
                f"{finding.message} {rule}"
            )
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
    origin = words.sources(one)
    if who or origin:
        told = [f"by {who}"] if who else []
        yield paint(
            "    " + ", ".join([*told, *(f"source {cut(source, WIDTH)}" for source in origin)]), "faint"
        )
    for field in one.fields:
        before, after = (cut(words.value(found), WIDTH) for found in (field.before, field.after))
        sides = [paint(f"[-{before}-]", "error")] if before else []
        sides += [paint(f"{{+{after}+}}", "good")] if after else []
        yield f"    {paint('│', 'faint')} {cut(field.name, WIDTH)}: {' '.join(sides)}"
    text = "".join(_piece(side, piece, paint) for side, piece in shown(one.body)).strip("\n")
    # Behind the bar no line can be taken for a command, as CI systems read them from what is printed.
    lines = [f"    {paint('│', 'faint')} {line}" for line in text.split("\n")] if text else []
    yield from lines[:MOST_LINES]
    if len(lines) > MOST_LINES:
        yield f"    … {len(lines) - MOST_LINES:,} lines more"
    for mark, links in (("+", one.linked), ("-", one.unlinked)):
        if links:
            yield f"    {mark} links: {cut(', '.join(links), 4 * WIDTH)}"


def _piece(side: str, text: str, paint: Paint) -> str:
    if side not in (GONE, NEW):
        return text
    first, last, colour = ("[-", "-]", "error") if side == GONE else ("{+", "+}", "good")
    # Marks stand on each line, so that every line can be read and coloured by itself.
    return "\n".join(paint(f"{first}{line}{last}", colour) if line else line for line in text.split("\n"))
