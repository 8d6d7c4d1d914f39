"""`memgit serve`."""

from __future__ import annotations

import os
from typing import Any

import click

from memgit.app.workspace import open_workspace
from memgit.cli.extras import need
from memgit.cli.options import context_of
from memgit.errors import Refused


@click.command("serve")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes a free one."
)
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Show the records as web pages on this machine, as they are in the working tree.

    Pages reload when a record changes, search is answered by the engine, and /review?range=BASE..HEAD shows a
    review. Read-only; answers loopback alone. Ctrl-C ends it.

    Examples:

    \b
      memgit serve
      memgit serve --port 0
    """
    need("jinja2", "mistune", "nh3", extra="site")
    from memgit.site.serve import serve

    try:
        serve(
            lambda: open_workspace(ctx.find_root().obj["folder"], os.environ),
            context_of(ctx),
            options["port"],
            lambda url: click.echo(f"serving {url} (Ctrl-C ends it)"),
        )
    except OSError as error:
        raise Refused(
            f"port {options['port']} cannot be used: {error.strerror}", hint="memgit serve --port 0"
        ) from error
