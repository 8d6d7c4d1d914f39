"""`memgit doctor`."""

from __future__ import annotations

import os

import click

from memgit.app.doctor import Trouble, examine
from memgit.cli.options import json_option
from memgit.cli.output import echo, emit_json


@click.command("doctor")
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> int:
    """Say what is wrong with this clone, and the command that fixes each thing; exit with 1 when something
    is.

    Nothing is changed and nothing is fetched.
    """
    found = examine(ctx.find_root().obj["folder"], os.environ)
    if as_json:
        emit_json(found.as_json())
        return 1 if found.ill else 0
    for trouble in found.troubles:
        _print(trouble)
    if not found.ill:
        echo(f"nothing is wrong ({len(found.checked)} checks)")
    return 1 if found.ill else 0


def _print(trouble: Trouble) -> None:
    where = (
        ""
        if trouble.path is None
        else f"{trouble.path}:{trouble.line}: "
        if trouble.line
        else f"{trouble.path}: "
    )
    echo(f"{'advice ' if trouble.advice else ''}{trouble.check}: {where}{trouble.message}")
    if trouble.command:
        echo(f"  fix: {trouble.command}")
