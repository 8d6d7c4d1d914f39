"""`memgit tags`."""

from __future__ import annotations

from collections import Counter

import click

from memgit.app.read.reader import open_reader
from memgit.cli.options import archived_option, at_option, json_option, workspace_of
from memgit.cli.output import echo, emit_json


@click.command("tags")
@archived_option
@at_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, archived: bool, at: str | None, as_json: bool) -> None:
    """List the tags of records with how many have each: those of the frontmatter and #tags in the text.

    Examples:

    \b
      memgit tags
      memgit tags --json
    """
    reader = open_reader(workspace_of(ctx), at)
    counts = Counter(tag for record, tags in reader.tags() if archived or not record.archived for tag in tags)
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    if as_json:
        emit_json([{"tag": tag, "records": count} for tag, count in rows])
        return
    for tag, count in rows:
        echo(f"{count:>6}  #{tag}")
