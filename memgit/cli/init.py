"""`memgit init`."""

from __future__ import annotations

import os
from typing import Any

import click

from memgit.app.adopt.init import init
from memgit.app.config import BASES
from memgit.cli.indexes import explains_indexes, indexes_option
from memgit.cli.mem_engine import mem_engine_options, settings_from
from memgit.cli.options import context_of, json_option
from memgit.cli.output import echo, emit_json, print_notes


@explains_indexes
@click.command("init")
@click.argument("directory", default="", metavar="[DIR]")
@click.option(
    "--layout",
    type=click.Choice(list(BASES)),
    help="The layout; by default what the folder looks like, else memgit.",
)
@click.option(
    "--notes",
    multiple=True,
    metavar="PATTERN",
    help="A pattern of plain notes, such as 'docs/**/*.md'; repeatable.",
)
@indexes_option
@click.option(
    "--log", is_flag=True, help="Keep a log.md in each clone, written from the log, never committed."
)
@mem_engine_options
@click.option("--no-hooks", is_flag=True, help="Leave the git hooks alone.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    directory: str,
    layout: str | None,
    notes: tuple[str, ...],
    indexes: str | None,
    log: bool,
    no_hooks: bool,
    as_json: bool,
    **engine: Any,
) -> None:
    """Make DIR (by default the current folder) a knowledge repository; what is there stays.

    Safe to repeat.

    Examples:

    \b
      memgit init notes
      memgit init --layout vault
      memgit init --indexes trunk docs/kb
    """
    folder = os.path.join(ctx.find_root().obj["folder"], directory)
    done = init(
        folder,
        context_of(ctx),
        layout=layout,
        notes=notes or None,
        indexes=indexes,
        hooks=not no_hooks,
        log=log,
        mem_skill=settings_from(engine, folder),
    )
    print_notes(done.notes)
    if as_json:
        emit_json(done.as_json())
    elif done.commit is None:
        what = "merge driver is" if no_hooks else "hooks and merge driver are"
        echo(
            f"this is a knowledge repository already: nothing to commit, and the {what} set up in this clone"
        )
    else:
        echo(f"knowledge repository ready in {os.path.abspath(folder)} [{done.commit[:10]}]")
