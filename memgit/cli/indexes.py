"""The option `--indexes`, and what it chooses between, for the commands that make a knowledge root."""

from __future__ import annotations

import inspect

import click

from memgit.app.config import INDEXES

indexes_option = click.option(
    "--indexes", type=click.Choice(list(INDEXES)), help="Where derived files belong: see above."
)


def explains_indexes(command: click.Command) -> click.Command:
    """A command whose help says what `--indexes` chooses between."""
    told = "\n".join(f"  {name:11}{first}\n  {'':11}{second}" for name, (first, second) in INDEXES.items())
    command.help = f"{inspect.cleandoc(command.help or '')}\n\nWhere derived files belong:\n\n\b\n{told}"
    return command
