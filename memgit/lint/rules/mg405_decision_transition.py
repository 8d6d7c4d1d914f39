"""MG405: decisions that changed their status in a way that decisions do not."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.history import changes
from memgit.lint.rule import HISTORY, Example, Found, Options, Rule, several
from memgit.lint.words import listed, named
from memgit.model.kinds import TRANSITIONS
from memgit.model.record import Record


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    allowed: dict[str, list[str]] = {}
    for step in several(options, "transitions"):
        before, _, after = (part.strip().lower() for part in step.partition(">"))
        allowed.setdefault(before, []).append(after)
    for change in changes(corpus):
        old, new = change.old, change.new
        if new is None or new.kind != "decision":
            continue
        now = (new.text("status") or "").lower()
        if old is None:
            continue
        was = (old.text("status") or "").lower()
        if was and was != now and now not in allowed.get(was, ()):
            may = f"it may become {listed(allowed[was])}" if allowed.get(was) else "it stays so"
            words = (
                f"{named(new)} went from {was} to {now or 'no status'}; of one that is {was}, {may}. "
                "Record a new one that supersedes it"
            )
            yield Found(new.path, _line(corpus, new), words, new.address)


def _line(corpus: Corpus, record: Record) -> int:
    """The line of the status, be it a key or a heading."""
    page, within = corpus.page(record.path), (record.line, record.end_line)
    return page.line_of("status", within) or page.line_of("Status", within) or record.line


_DECISION = "---\ntitle: One queue for all jobs\nstatus: {}\n---\n## Decision\n\nOne queue.\n"

RULE = Rule(
    code="MG405",
    name="decision-transition",
    severity="error",
    summary="a decision that went from one status to another that cannot follow it",
    why="""A decision is proposed, then accepted or rejected, and an accepted one holds until another supersedes it.
One that was accepted and is proposed again, or rejected, rewrites what the team acted on.""",
    scope=HISTORY,
    check=check,
    good=(
        Example(
            {"decisions/20260302-queue.md": _DECISION.format("accepted")},
            before={"decisions/20260302-queue.md": _DECISION.format("proposed")},
        ),
    ),
    bad=(
        Example(
            {"decisions/20260302-queue.md": _DECISION.format("rejected")},
            at=("decisions/20260302-queue.md:3",),
            before={"decisions/20260302-queue.md": _DECISION.format("accepted")},
        ),
    ),
    options={"transitions": TRANSITIONS},
    options_help={"transitions": "which status may follow which, as `before > after`"},
)
