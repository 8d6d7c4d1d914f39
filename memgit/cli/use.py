"""`memgit use`."""

from __future__ import annotations

from typing import Any

from memgit.app.read.usage import use
from memgit.cli.lean import click
from memgit.cli.options import (
    acting_options,
    address_argument,
    context_of,
    json_option,
    reason_option,
    workspace_of,
)
from memgit.cli.output import echo, emit_json


@click.command("use")
@address_argument
@reason_option
@json_option
@acting_options
@click.pass_context
def command(ctx: click.Context, /, address: str, as_json: bool, **options: Any) -> None:
    """Count one use of the record at ADDRESS.

    Counts lie on a ref of this clone and are summed over all clones; no file changes.

    Examples:

    \b
      memgit use skill/release
    """
    done = use(workspace_of(ctx), context_of(ctx), address)
    if as_json:
        emit_json(done.as_json())
    else:
        echo(f"used {done.record.address} ({done.uses} time{'' if done.uses == 1 else 's'})")
