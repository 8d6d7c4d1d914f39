"""`memgit engine`."""

from __future__ import annotations

import click

from memgit.app.read import engines
from memgit.cli.options import json_option, workspace_of
from memgit.cli.output import echo, emit_json
from memgit.engines import ENGINES


@click.group("engine")
def command() -> None:
    """Show and test the search engines.

    The configuration chooses one for every search (`search: {engine: NAME}` in .memgit.yaml), `search --engine`
    for one. Where it is missing, fails or takes too long, the default answers and a line says so.
    """


@command.command("list")
@json_option
@click.pass_context
def list_(ctx: click.Context, /, as_json: bool) -> None:
    """List the engines; the one that is configured has a star.

    Examples:

    \b
      memgit engine list
    """
    configured = engines.choose(workspace_of(ctx)).name
    if as_json:
        emit_json(
            [
                {"name": name, "configured": name == configured, "help": words}
                for name, words in ENGINES.items()
            ]
        )
        return
    for name, words in ENGINES.items():
        echo(f"{'*' if name == configured else ' '} {name:<9} {words}")


@command.command("test")
@click.argument("name", required=False)
@json_option
@click.pass_context
def test(ctx: click.Context, /, name: str | None, as_json: bool) -> None:
    """Bring every engine, or one, up to date, and say whether it works and how fast.

    Exits with 1 where one that was named, or the configured one, does not work.

    Examples:

    \b
      memgit engine test semantic
    """
    found = engines.test(workspace_of(ctx), name)
    if as_json:
        emit_json([one._asdict() for one in found])
    else:
        for one in found:
            took = f", {one.milliseconds:.0f} ms a query" if one.milliseconds is not None else ""
            hint = f" ({one.hint})" if one.hint else ""
            echo(
                f"{'*' if one.configured else ' '} {one.name:<9} {'ok' if one.works else 'no'}: {one.words}{took}{hint}"
            )
    if any(not one.works and (one.configured or name is not None) for one in found):
        ctx.exit(1)
