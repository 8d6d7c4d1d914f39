"""`memgit history`."""

from __future__ import annotations

from memgit.app.read import log as activity
from memgit.app.read import span
from memgit.app.read.reader import open_reader
from memgit.app.write.tombstones import Merged
from memgit.cli.lean import click
from memgit.cli.options import address_argument, at_option, json_option, workspace_of
from memgit.cli.output import echo, emit_json, write_utf8
from memgit.errors import BadInput, NotFound
from memgit.model import address as addresses
from memgit.model.ids import is_id
from memgit.model.record import Record


@click.command("history")
@address_argument
@at_option
@click.option("-n", "--limit", type=click.IntRange(min=0), help="At most so many commits.")
@click.option(
    "--until-changed", is_flag=True, help="Only since when and until when it said what it says at --at."
)
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    address: str,
    at: str | None,
    limit: int | None,
    until_changed: bool,
    as_json: bool,
) -> None:
    """Show the operations on the record at ADDRESS, newest first, through renames, moves and merges, with
    those on records that were merged into it; also of one that is gone, by its whole address or its id.

    Examples:

    \b
      memgit history memory/api --at '2 months ago' --until-changed   when did this stop being true?
    """
    workspace = workspace_of(ctx)
    missing = activity.incomplete(workspace.require_repository())
    if missing:
        echo(f"memgit: {missing}", err=True)
    if until_changed:
        if limit is not None:
            raise BadInput("--until-changed gives one answer: it takes no --limit")
        _span(span.span(workspace, address, at), as_json)
        return
    record: Record | str
    merged: list[Record] = []
    gone: NotFound | None = None
    try:
        reader = open_reader(workspace, at)
        record = reader.find(address)
        merged = Merged(workspace, reader).into(record)
    except NotFound as error:
        if addresses.parse(address) is None and not is_id(address):
            raise
        record, gone = address, error
    found = list(
        activity.entries(workspace, at, cache=workspace.cache, record=record, merged=merged, limit=limit)
    )
    if not found and gone is not None:
        raise gone
    if as_json:
        for piece in activity.as_json(found):
            write_utf8(piece)
        return
    for line in activity.as_text(entry.event for entry in found):
        echo(line)


def _span(found: span.Span, as_json: bool) -> None:
    if as_json:
        emit_json(found.as_json())
        return
    for line in span.as_text(found):
        echo(line)
