"""`memgit mcp`."""

from __future__ import annotations

import os
from importlib import import_module

import click

from memgit.cli.options import root_folder
from memgit.errors import BadInput, Refused


@click.command("mcp")
@click.option(
    "--tools",
    type=click.Choice(["memgit", "mnema"]),
    default="memgit",
    show_default=True,
    help="The names of the tools.",
)
@click.option(
    "--http",
    "port",
    type=click.IntRange(min=1, max=65535),
    metavar="PORT",
    help="Serve streamable HTTP on loopback instead of standard input and output.",
)
@click.option(
    "--token",
    envvar="MEMGIT_MCP_TOKEN",
    metavar="TEXT",
    help="For --http: what clients must send as Authorization: Bearer.  [env: MEMGIT_MCP_TOKEN]",
)
@click.pass_context
def command(ctx: click.Context, tools: str, port: int | None, token: str | None) -> None:
    """Serve this knowledge root to agents by the Model Context Protocol.

    Needs the extra mcp: pip install 'memgit-kb[mcp]'. Agents start it themselves: memgit agent install.

    Examples:

    \b
      memgit mcp
      memgit -C ~/notes mcp --tools mnema
    """
    if port is not None and not token:
        raise BadInput(
            "--http needs a token", hint="MEMGIT_MCP_TOKEN=$(openssl rand -hex 16) memgit mcp --http PORT"
        )
    try:
        face = import_module("memgit.mcp.server")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("memgit"):
            raise
        raise Refused(f"{error.name} is not installed", hint="pip install 'memgit-kb[mcp]'") from None
    settings = ctx.find_root().obj
    served = face.Served(root_folder(ctx), os.environ, tools, settings["actor"], settings["run"])
    if port is None:
        face.serve_stdio(served)
    else:
        face.serve_http(served, port, token)
