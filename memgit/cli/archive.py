"""`memgit archive`."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.write.archive import archive
from memgit.cli.lean import click
from memgit.cli.options import address_argument, context_of, workspace_of, write_options
from memgit.cli.output import print_written

if TYPE_CHECKING:
    from typing import Any


@click.command("archive")
@address_argument
@write_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Hide the record at ADDRESS from lists, search and context; its file stays.

    Examples:

    \b
      memgit archive memory/ops/old-host --reason 'The host is gone'
    """
    done = archive(
        workspace_of(ctx),
        context_of(ctx),
        options["address"],
    )
    print_written(done, options["as_json"])
