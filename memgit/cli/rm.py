"""`memgit rm`."""

from __future__ import annotations

from typing import Any

import click

from memgit.app.write.remove import LinksBreak, remove
from memgit.cli.options import address_argument, context_of, workspace_of, write_options
from memgit.cli.output import echo, print_written
from memgit.cli.terminal import on_terminal
from memgit.model.printable import safe


@click.command("rm")
@address_argument
@click.argument("others", nargs=-1, metavar="[OTHER...]")
@click.option("-f", "--force", is_flag=True, help="Delete it though links in other records break.")
@write_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Delete the record at ADDRESS, and each OTHER, in one commit, which memgit undo takes back. --reason
    says why.

    Related fields of other records drop their links to it. Other links to it are named: on a terminal you
    are asked whether to break them, elsewhere --force breaks them. memgit archive hides a record and keeps
    its file.

    Examples:

    \b
      memgit rm memory/ops/draft --reason 'It never held'
    """
    workspace, context = workspace_of(ctx), context_of(ctx)
    names = [options["address"], *options["others"]]
    try:
        done = remove(workspace, context, names, force=options["force"])
    except LinksBreak as error:
        if options["as_json"] or not on_terminal():
            raise
        echo(f"memgit: {error}", err=True)
        click.confirm(safe("delete it and break these links?"), abort=True)
        done = remove(workspace, context, names, force=True)
    print_written(done, options["as_json"])
