"""`memgit rename`."""

from __future__ import annotations

from typing import Any

import click

from memgit.app.write.linking.rename import rename
from memgit.cli.options import address_argument, clean, context_of, workspace_of, write_options
from memgit.cli.output import print_written
from memgit.errors import BadInput


@click.command("rename")
@address_argument
@click.argument("title", required=False)
@click.option(
    "--to", "key", metavar="GROUP", help="Move to another category, skill, scope or folder; empty is the top."
)
@click.option("--slug", metavar="NAME", help="New file name of a document, without .md.")
@click.option("--keep-path", is_flag=True, help="Change the title alone; the file keeps its name.")
@write_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Give the record at ADDRESS another TITLE or place; every link to it is rewritten in the same commit.

    Examples:

    \b
      memgit rename ops#drain 'Drain the queue before a roll'
      memgit rename memory/ops/host --to hosts
    """
    if options["title"] is None and options["key"] is None and options["slug"] is None:
        raise BadInput("say what to rename it to", hint="a new title, --to or --slug")
    title = clean(options["title"], "the title") if options["title"] is not None else None
    done = rename(
        workspace_of(ctx),
        context_of(ctx),
        options["address"],
        title=title,
        key=options["key"],
        slug=options["slug"],
        keep_path=options["keep_path"],
    )
    print_written(done, options["as_json"])
