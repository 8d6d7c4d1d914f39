"""`memgit diff`."""

from __future__ import annotations

import click

from memgit.app.read.diff import RecordDiff, diff, versions
from memgit.cli.lean import style
from memgit.cli.options import json_option, workspace_of
from memgit.cli.output import emit_json, heading
from memgit.errors import BadInput
from memgit.model.printable import safe

COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@click.command("diff")
@click.argument("names", nargs=-1, metavar="[ADDRESS [ADDRESS]]")
@click.option("--from", "base", metavar="REV", help="The older side, by default the newest commit.")
@click.option("--to", "--at", "head", metavar="REV", help="The newer side, by default the working tree.")
@json_option
@click.pass_context
def command(
    ctx: click.Context, names: tuple[str, ...], base: str | None, head: str | None, as_json: bool
) -> None:
    """Show what changed in records, by default what is not committed yet; with two addresses, how they differ
    (skill/x@1 skill/x@2).

    Examples:

    \b
      memgit diff
      memgit diff skill/release@1 skill/release@2
    """
    workspace = workspace_of(ctx)
    if len(names) > 2:
        raise BadInput("diff takes at most two addresses")
    if len(names) == 1 and ".." in names[0] and base is None and head is None:
        left, _, right = names[0].partition("..")
        names, base, head = (), left or "HEAD", right.lstrip(".") or "HEAD"
    found = (
        versions(workspace, names[0], names[1], head)
        if len(names) == 2
        else diff(workspace, names[0] if names else None, base, head)
    )
    if as_json:
        emit_json([change.as_json() for change in found])
        return
    for change in found:
        _print(change)


def _print(change: RecordDiff) -> None:
    old, new = change.change.old, change.change.new
    present = new or old
    if present is None:
        return
    was = f" <- {old.address}" if old is not None and new is not None and old.address != new.address else ""
    click.echo(
        heading(f"{change.change.action} {present.address}{was}") + safe(f"  {present.path}:{present.line}")
    )
    for line in change.lines:
        click.echo(style(safe(line), fg=COLOURS.get(line[:1])))
