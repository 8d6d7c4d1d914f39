"""`memgit recordnow`."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from memgit.app.ingest.source import Reading, conversation, read
from memgit.cli.ingest import stdin, taken, wishes_of
from memgit.cli.options import context_of, workspace_of, write_options
from memgit.errors import BadInput


@click.command("recordnow")
@click.argument("transcripts", nargs=-1, metavar="TRANSCRIPT...")
@click.option("--yes", is_flag=True, help="Record the proposals without asking.")
@click.option(
    "--plan", metavar="FILE", help="Write the proposals as YAML to be edited, for memgit ingest --apply."
)
@click.option("--dry-run", is_flag=True, help="Print what --yes would do and stop.")
@click.option("--kind", metavar="KIND", help="Kind of new records; by default knowledge.")
@click.option("--category", metavar="NAME", help="Category of new knowledge; by default by topic.")
@click.option("--scope", metavar="PATH", help="Scope of new memories.")
@click.option("--folder", metavar="PATH", help="Folder of new notes.")
@write_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Record what a session taught: propose records from each TRANSCRIPT (an agent's, or notes; - is standard input).

    What is worth recording is proposed as a new record, or as an update or extension of a close one, asked about one
    by one on a terminal, and written in one commit with the source `conversation`.

    Examples:

    \b
      memgit recordnow session.jsonl --yes
    """
    workspace, context = workspace_of(ctx), context_of(ctx)
    workspace.writable()
    names = options["transcripts"] or (() if sys.stdin.isatty() else ("-",))
    if not names:
        raise BadInput("recordnow needs a TRANSCRIPT", hint="a file, or - for standard input")
    reading = Reading(ctx.find_root().obj["folder"], os.environ, False, False, stdin, {})
    sources = [conversation(read(workspace, name, reading)) for name in names]
    options = {**options, "map_": False, "apply_": None, "everything": False}
    return taken(ctx, workspace, context, sources, wishes_of(options, context), options)
