"""`memgit blame`."""

from __future__ import annotations

import click

from memgit.app.read.blame import blame
from memgit.cli.options import address_argument, at_option, json_option, workspace_of
from memgit.cli.output import emit_json, faint
from memgit.model.printable import safe


@click.command("blame")
@address_argument
@at_option
@json_option
@click.pass_context
def command(ctx: click.Context, address: str, at: str | None, as_json: bool) -> None:
    """Show who last changed each line of the record at ADDRESS, and in which operation.

    Examples:

    \b
      memgit blame ops#drain
    """
    lines = blame(workspace_of(ctx), address, at)
    if as_json:
        emit_json([line.as_json() for line in lines])
        return
    for line in lines:
        who = line.author if line.actor is None else f"{line.author} ({line.actor})"
        commit = line.commit[:10] if line.commit is not None else "uncommitted"
        op = line.op or ""
        click.echo(f"{faint(f'{commit:<11} {line.date[:10]:<10} {who:<24.24} {op:<8}')} {safe(line.text)}")
