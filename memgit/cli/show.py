"""`memgit show`."""

from __future__ import annotations

from memgit.app.read.counts import uses, with_uses
from memgit.app.read.graph import incoming
from memgit.app.read.record_json import record_json
from memgit.app.read.show import show
from memgit.cli.lean import click
from memgit.cli.options import address_argument, at_option, json_option, workspace_of
from memgit.cli.output import echo, emit_json, print_record


@click.command("show")
@address_argument
@at_option
@json_option
@click.pass_context
def command(ctx: click.Context, address: str, at: str | None, as_json: bool) -> None:
    """Show the record at ADDRESS: a full address, any unique ending of one, an id, a wikilink, or
    skill/NAME@VERSION.

    Examples:

    \b
      memgit show ops#drain
      memgit show skill/release@2
      memgit show ops#drain --at '2 weeks ago'
    """
    workspace = workspace_of(ctx)
    record, reader = show(workspace, address, at)
    linked = list(dict.fromkeys(other.address for _, other in incoming(reader, record)))
    if as_json:
        state = {"revision": reader.revision, "fresh": reader.fresh, "linked_from": linked}
        emit_json({**record_json(record, uses(reader, record)), **state})
    else:
        print_record(
            with_uses(reader, record),
            None if reader.fresh or reader.revision is None else reader.revision[:10],
        )
        if linked:
            echo(f"\nLinked from: {', '.join(linked)}")
