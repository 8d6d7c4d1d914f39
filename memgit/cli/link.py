"""`memgit link`."""

from __future__ import annotations

from typing import Any

import click

from memgit.app.write.linking.link import link
from memgit.cli.options import address_argument, context_of, workspace_of, write_options
from memgit.cli.output import print_written


@click.command("link")
@address_argument
@click.argument("others", nargs=-1, required=True, metavar="OTHER...")
@write_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Link the record at ADDRESS with each OTHER, both ways.

    Examples:

    \b
      memgit link ops#drain decision/20260302-queue
    """
    done = link(
        workspace_of(ctx),
        context_of(ctx),
        options["address"],
        options["others"],
    )
    print_written(done, options["as_json"])
