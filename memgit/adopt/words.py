"""The report in words: lines for a person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memgit.adopt.report import Located, Report
from memgit.adopt.systems.system import Candidate
from memgit.lint.words import plural

MAX_SHOWN = 8
"""Lines of one list that people are shown; the rest is counted."""


def title(found: Candidate) -> str:
    """What was found, on one line."""
    place = found.folder + found.base
    where = f" in {place}" if place else ""
    return f"{found.words}{f' {found.version}' if found.version else ''}{where}"


def counted(report: Report) -> str:
    """The records by kind: `12 knowledge, 8 experience`."""
    return ", ".join(f"{count:,} {kind}" for kind, count in report.by_kind.items()) or "no record"


def detection(found: Candidate, others: Sequence[Candidate]) -> Iterator[str]:
    yield title(found)
    yield f"  known by {', '.join(found.evidence)}"
    for other in others:
        where = f"memgit adopt {other.folder} --as {other.system}" if other.folder else f"--as {other.system}"
        yield f"  also here: {title(other)} ({plural(other.files, 'file')}; {where})"


def lines(report: Report, drifted: Sequence[str]) -> Iterator[str]:
    """The report, list by list; an empty list is left out."""
    yield f"{plural(report.records, 'record')}: {counted(report)}" if report.records else "no record"
    for count in report.counts:
        yield f"  {count.records:>6,} {count.kind:<11} {count.folder or './'} ({plural(count.files, 'file')})"
    yield from _fields(report)
    if len(report.variants) > 1 or any(
        name not in ("frontmatter", "no frontmatter") for name, _ in report.variants
    ):
        yield from _list("written as", (f"{count:>6,} {name}" for name, count in report.variants))
    yield from _list("no records", (_left(one.why, one.files, one.paths) for one in report.left))
    yield from _places("cannot be read, left alone", report.unreadable)
    yield from _places("headings without field or text, not counted", report.bare)
    yield from _places("remarks (memgit lint says more)", report.remarks)
    yield from _list("archived by a tombstone", report.tombstoned)
    yield from _list(
        "one key in several files: the newest counts, none is deleted",
        (
            (
                f"{one.key}: {one.path} ({one.updated or 'no date'}); also "
                f"{', '.join(f'{path} ({at or chr(0x2013)})' for path, at in one.others)}"
            )
            for one in report.doubled
        ),
    )
    yield from _list("indexes and files disagree", map(str, report.disagreements))
    if drifted:
        yield (
            "derived files stay as they are; memgit rebuild --commit brings them in order: "
            f"{', '.join(drifted)}"
        )
    for log in report.old_logs:
        yield (
            f"old log {log.path}: {plural(log.events, 'operation')} from {log.first} to {log.last}, part "
            "of memgit log from now on"
        )


def _fields(report: Report) -> Iterator[str]:
    known: dict[str, list[str]] = {}
    unknown: dict[str, list[str]] = {}
    for field in report.fields:
        if field.field is None:
            unknown.setdefault(field.kind, []).append(f"{field.key} ({field.records:,})")
        elif field.key.casefold() != field.field:
            known.setdefault(field.kind, []).append(f"{field.key} = {field.field} ({field.records:,})")
    yield from _list("fields", (f"{kind}: {', '.join(texts)}" for kind, texts in known.items()))
    yield from _list(
        "kept under their own names", (f"{kind}: {_some(texts)}" for kind, texts in unknown.items())
    )


def _some(texts: Sequence[str]) -> str:
    return ", ".join(texts[:20]) + (f" and {len(texts) - 20} more" if len(texts) > 20 else "")


def _left(why: str, files: int, paths: Sequence[str]) -> str:
    return f"{files:>6,} {why}: {', '.join(paths[:3])}{', …' if files > 3 else ''}"


def _places(heading: str, places: Sequence[Located]) -> Iterator[str]:
    return _list(
        heading,
        (
            f"{place.path}:{place.line}: {place.message}" if place.line else f"{place.path}: {place.message}"
            for place in places
        ),
    )


def _list(heading: str, texts: Iterable[str]) -> Iterator[str]:
    found = list(texts)
    if not found:
        return
    yield f"{heading}:"
    yield from (f"  {text}" for text in found[:MAX_SHOWN])
    if len(found) > MAX_SHOWN:
        yield f"  and {len(found) - MAX_SHOWN:,} more (--json names all)"
