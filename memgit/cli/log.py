"""`memgit log`."""

from __future__ import annotations

import time

from memgit import TYPE_CHECKING
from memgit.app.read import log as activity
from memgit.app.read.reader import kinds_of, open_reader
from memgit.app.read.usage_log import with_usage
from memgit.cli.lean import click
from memgit.cli.options import json_option, workspace_of
from memgit.cli.output import echo, write_utf8
from memgit.errors import NotFound
from memgit.model import address as addresses
from memgit.model.ids import is_id
from memgit.model.operation import OPS

if TYPE_CHECKING:
    from typing import Any


FORMATS = ("text", "markdown", "json")


@click.command("log")
@click.argument("revisions", required=False, metavar="[REV|A..B]")
@click.option("--at", "at", metavar="REV", help="Look back from a commit, branch or tag.")
@click.option("-n", "--limit", type=click.IntRange(min=0), help="At most so many commits.")
@click.option("--since", metavar="DATE", help="Only from this day on: 2026-03-01, or '2 weeks ago'.")
@click.option("--until", metavar="DATE", help="Only up to this day.")
@click.option(
    "--op",
    "ops",
    multiple=True,
    metavar="OP",
    help=f"Only this operation; repeatable: {', '.join(OPS)}; or use and read, which are counted apart.",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    help="Only operations on records of this kind; repeatable.",
)
@click.option("--actor", "actors", multiple=True, metavar="NAME", help="Only by this agent; repeatable.")
@click.option("--run", "runs", multiple=True, metavar="NAME", help="Only in this run; repeatable.")
@click.option("--record", "record", metavar="ADDRESS", help="Only operations on this record.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    help="How to print; markdown is a Mem Skill log.md, oldest first.",
)
@json_option
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Show the activity log: what each commit did to records, newest first.

    Examples:

    \b
      memgit log -n 10
      memgit log --op record --actor claude-code --since yesterday
      memgit log --format markdown > log.md
    """
    workspace = workspace_of(ctx)
    repo = workspace.require_repository()
    wanted = activity.filters(
        since=options["since"],
        until=options["until"],
        ops=options["ops"],
        kinds=[kinds_of(kind) or kind for kind in options["kinds"]],
        actors=options["actors"],
        runs=options["runs"],
        now=int(time.time()),
    )
    missing = activity.incomplete(repo)
    if missing:
        echo(f"memgit: {missing}", err=True)
    record = options["record"]
    exact = None if record is None else addresses.parse(record)
    if record is not None and not is_id(record) and (exact is None or exact.version is not None):
        try:
            record = open_reader(workspace, options["at"]).find(record)
        except NotFound:
            if exact is None:  # else it may be gone
                raise
    if options["at"] is not None:
        options["at"] = repo.resolve(options["at"])
    found = activity.entries(
        workspace,
        options["revisions"] or options["at"],
        cache=workspace.cache,
        record=record,
        limit=options["limit"],
        wanted=wanted,
    )
    found = with_usage(
        workspace,
        found,
        wanted,
        revisions=options["revisions"] or options["at"],
        record=record,
        limit=options["limit"],
    )
    form = "json" if options["as_json"] else options["form"]
    if form == "json":
        for piece in activity.as_json(found):
            write_utf8(piece)
        return
    events = (entry.event for entry in found)
    if form == "text":
        for line in activity.as_text(events):
            echo(line)
        return
    # A log.md, which is read from its top: what was done first comes first.
    for line in (*activity.HEADER, *activity.as_markdown(reversed(list(events)), workspace.layout)):
        echo(line)
