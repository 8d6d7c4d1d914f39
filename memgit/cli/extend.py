"""`memgit extend`."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.write.update import extend
from memgit.cli.editor import edited_body
from memgit.cli.lean import click
from memgit.cli.options import (
    address_argument,
    body_options,
    context_of,
    field_options,
    fields_from,
    read_body,
    related_option,
    workspace_of,
    write_options,
)
from memgit.cli.output import print_written

if TYPE_CHECKING:
    from typing import Any


@click.command("extend")
@address_argument
@body_options
@field_options("source", "keywords", "topics", "tags", "files", "tools_used", "impacts")
@related_option
@click.option("--if-version", metavar="ID", help="Refuse (exit 1) unless the record is still this version.")
@write_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Append a dated section to the record at ADDRESS; lists given as options are added to.

    Examples:

    \b
      memgit extend ops#drain -m 'Also true of workers.' --keywords worker
    """
    workspace = workspace_of(ctx)
    body = read_body(ctx, options["body"], options["body_file"])
    if body is None:
        body = edited_body(workspace, f"addition to {options['address']}")
    done = extend(
        workspace,
        context_of(ctx),
        options["address"],
        body or "",
        fields=fields_from(options),
        related=options["related"],
        if_version=options["if_version"],
    )
    print_written(done, options["as_json"])
