"""`memgit promote`."""

from __future__ import annotations

from typing import Any

import click

from memgit.app.read.reader import kinds_of
from memgit.app.write.promote import promote
from memgit.app.write.record import Request
from memgit.cli.options import (
    address_argument,
    body_options,
    clean,
    context_of,
    field_options,
    fields_from,
    read_body,
    related_option,
    workspace_of,
    write_options,
)
from memgit.cli.output import print_written


@click.command("promote")
@address_argument
@click.argument("title", required=False)
@click.option("--to", "kind", metavar="KIND", help="memory or decision; by default the next step up.")
@body_options
@click.option("--scope", metavar="PATH", help="Scope of the new memory.")
@click.option("--slug", metavar="NAME", help="File name of the new record, without .md.")
@field_options("source", "keywords", "topics", "tags", "summary", "status", "deciders", "impacts")
@related_option
@write_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Make a memory out of an observation, or a decision out of a memory or note, with its provenance; the
    old record stays.

    Title and body are those of the record at ADDRESS unless others are given.

    Examples:

    \b
      memgit promote observation/k3m9q2 'Restarts need a drained queue'
    """
    request = Request(
        kinds_of(options["kind"]) or "",
        clean(options["title"] or "", "the title"),
        read_body(ctx, options["body"], options["body_file"]) or "",
        fields_from(options),
        options["scope"],
        options["slug"],
        options["related"],
    )
    done = promote(
        workspace_of(ctx),
        context_of(ctx),
        options["address"],
        request,
    )
    print_written(done, options["as_json"])
