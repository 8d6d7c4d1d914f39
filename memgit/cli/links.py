"""`memgit links`."""

from __future__ import annotations

import click

from memgit.app.read import graph
from memgit.cli.options import at_option, json_option, workspace_of
from memgit.cli.output import echo, emit_json

FORMATS = ("text", "json", "dot", "mermaid")


@click.command("links")
@click.argument("address", required=False)
@click.option("--depth", type=click.IntRange(1, 20), default=1, show_default=True, help="Links away at most.")
@click.option("--orphans", is_flag=True, help="List the records that no link leads to or from.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="For people, programs, Graphviz, or Markdown on a forge.",
)
@at_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    address: str | None,
    depth: int,
    orphans: bool,
    form: str,
    at: str | None,
    as_json: bool,
) -> None:
    """Show what links to the record at ADDRESS and what it links to, each with the line of the link.

    Examples:

    \b
      memgit links memory/api --depth 2 --format mermaid
      memgit links --orphans
    """
    if orphans == (address is not None):
        raise click.UsageError("give an ADDRESS, or --orphans alone")
    workspace = workspace_of(ctx)
    form = "json" if as_json else form
    if address is None:
        found = graph.Graph(None, tuple(graph.orphans(workspace, at=at)), ())
    else:
        found = graph.links_of(workspace, address, depth=depth, at=at)
    if form == "json":
        emit_json(graph.as_json(found))
    elif form == "dot":
        echo(graph.as_dot(found))
    elif form == "mermaid":
        echo(graph.as_mermaid(found))
    elif address is None:
        for record in found.records:
            echo(f"{record.address}  {record.title}")
    else:
        for line in graph.as_text(found):
            echo(line)
        if not found.edges:
            echo(f"memgit: no link leads to or from {found.start}", err=True)
