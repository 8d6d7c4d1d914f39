"""`memgit restore`."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.write.archive import restore
from memgit.cli.lean import click
from memgit.cli.options import address_argument, context_of, workspace_of, write_options
from memgit.cli.output import print_written

if TYPE_CHECKING:
    from typing import Any


@click.command("restore")
@address_argument
@write_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Bring the archived record at ADDRESS back; an observation stays archived.

    Examples:

    \b
      memgit restore memory/ops/old-host
    """
    done = restore(
        workspace_of(ctx),
        context_of(ctx),
        options["address"],
    )
    print_written(done, options["as_json"])
