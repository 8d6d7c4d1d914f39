"""`memgit health`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from memgit.app.read.health import Group, Health, Rated, health
from memgit.app.read.reader import kinds_of
from memgit.cli.options import at_option, context_of, json_option, workspace_of
from memgit.cli.output import echo, emit_json, faint, heading
from memgit.cli.terminal import coloured, for_people
from memgit.errors import BadInput
from memgit.model.health import ACTIONS
from memgit.model.printable import safe

MAX_SHOWN = 10
"""Candidates of each sort, and groups of each grouping, that the text names; the rest is counted."""
CELLS = 10
TITLES = {"archive": "To archive", "merge": "To merge", "shorten": "To shorten", "look": "To look at"}
HEADINGS = {"kind": "By kind", "category": "By category", "topic": "By topic"}
NAMELESS = {"category": "(no category)", "topic": "(no topic)"}


@click.command("health")
@click.option("--kind", metavar="KIND", help="Score only records of this kind.")
@click.option(
    "--category", metavar="NAME", help="Score only this category, scope or folder, and those under it."
)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=0),
    help="Name at most so many candidates; of each sort in the text, 10 by default.",
)
@click.option(
    "--fail-under", type=click.IntRange(0, 100), metavar="N", help="Exit with 1 where the health is below N."
)
@at_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Score each record by age, use, size and likeness to another, and name those to archive, merge or
    shorten.

    A score is 0.3 of staleness, 0.25 where it was never used, 0.2 of size and 0.25 of the share of its
    keywords that another record has. From 0.7 on a record is one to archive, from 0.5 to merge or shorten,
    from 0.3 to look at; health is 100 less 3, 5 and 2 for each.

    Examples:

    \b
      memgit health
      memgit health --json
    """
    limit = options["limit"]
    found = health(
        workspace_of(ctx),
        context_of(ctx),
        kind=kinds_of(options["kind"]),
        category=_given(options["category"]),
        at=options["at"],
    )
    for text in found.unreadable:
        echo(f"memgit: {text}", err=True)
    if options["as_json"]:
        emit_json(found.as_json(limit))
    else:
        for line in _lines(found, MAX_SHOWN if limit is None else limit):
            click.echo(line)
    return 1 if options["fail_under"] is not None and found.points < options["fail_under"] else 0


def _given(category: str | None) -> str | None:
    if category is not None and not category.strip("/ "):
        raise BadInput("a category is empty", hint="memgit list")
    return category


def _lines(found: Health, limit: int) -> Iterator[str]:
    if not found.records:
        yield "no records in use"
        return
    yield heading(f"Health {found.points} of 100: {found.verdict}")
    calls = ", ".join(f"{found.actions[action]} {TITLES[action].lower()}" for action in ACTIONS)
    yield f"{found.records} record{'s' if found.records != 1 else ''} in use: {calls}"
    if found.undated:
        yield faint(f"{found.undated} without a date: they are not counted as stale")
    for name, groups in found.groups.items():
        if len(groups) > 1 or groups[0].name:
            yield ""
            yield from _table(name, groups, limit)
    for action in ACTIONS:
        chosen = [rated for rated in found.found if action in rated.score.actions]
        if chosen and limit:
            yield ""
            yield heading(f"{TITLES[action]} ({len(chosen)})")
            for rated in chosen[:limit]:
                yield from _candidate(rated)
            if len(chosen) > limit:
                yield faint(f"  and {len(chosen) - limit} more")


def _table(name: str, groups: tuple[Group, ...], limit: int) -> Iterator[str]:
    """The groups of one sort, the worst first, each with its mean score."""
    shown = groups[: max(limit, 1)]
    names = [safe(group.name or NAMELESS.get(name, "-")) for group in shown]
    width = min(40, max(map(len, names)))
    yield heading(f"{HEADINGS[name]:<{width + 2}}  records  score")
    for label, group in zip(names, shown, strict=True):
        yield f"  {_cut(label, width):<{width}}  {group.records:>7}   {group.score:.2f}{_bar(group.score)}".rstrip()
    if len(groups) > len(shown):
        yield faint(f"  and {len(groups) - len(shown)} more")


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _bar(share: float) -> str:
    """A bar for a share of 1, on a terminal alone."""
    if not for_people():
        return ""
    cells = min(1.0, max(0.0, share)) * CELLS
    if "utf" not in (sys.stdout.encoding or "").lower():
        text = "#" * round(cells)
    else:
        whole, rest = divmod(round(cells * 8), 8)
        text = "█" * whole + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[rest]
    colour = "red" if share >= 0.7 else "yellow" if share >= 0.3 else "green"
    return "  " + (click.style(text, fg=colour) if coloured() else text)


def _candidate(rated: Rated) -> Iterator[str]:
    score, facts = rated.score, rated.facts
    parts = []
    if score.staleness:
        since = facts.age if facts.idle is None else facts.idle
        parts.append(f"{'used' if facts.used else 'made'} {since} days ago")
    if score.never_used:
        parts.append("never used")
    if score.size:
        parts.append(f"{facts.tokens} tokens")
    if score.duplicate and rated.like is not None:
        parts.append(f"{score.duplicate:.0%} of its keywords are those of {rated.like.address}")
    yield (
        f"  {score.score:.2f}  {safe(rated.record.address)}{faint('  ' + ', '.join(parts)) if parts else ''}"
    )
    if rated.command is not None:
        yield f"        {safe(rated.command)}"
