"""`memgit doctor`."""

from __future__ import annotations

import os

import click

from memgit.app.doctor import Examined, Trouble, examine
from memgit.app.repair import repair, repairs_for
from memgit.cli.options import context_of, json_option
from memgit.cli.output import echo, emit_json


@click.command("doctor")
@click.option(
    "--fix",
    is_flag=True,
    help="Carry out the commands that need no decision: memgit init, hooks install, rebuild.",
)
@json_option
@click.pass_context
def command(ctx: click.Context, fix: bool, as_json: bool) -> int:
    """Say what is wrong with this clone, and the command that fixes each thing; exit with 1 when something
    is.

    Nothing is changed without --fix, and nothing is fetched.

    Examples:

    \b
      memgit doctor
      memgit doctor --fix
    """
    folder = ctx.find_root().obj["folder"]
    if not fix:
        found = examine(folder, os.environ)
        if as_json:
            emit_json(found.as_json())
        else:
            _print(found)
            if commands := [one.command for one in repairs_for(found)]:
                echo(f"memgit doctor --fix runs {', '.join(commands)}")
        return 1 if found.ill else 0
    repaired = repair(folder, context_of(ctx))
    if as_json:
        emit_json(repaired.as_json())
    else:
        for done in repaired.done:
            echo(f"done: {done}")
        for failed, why in repaired.failed.items():
            echo(f"memgit: {failed}: {why.message}", err=True)
        _print(repaired.examined)
    return 1 if repaired.examined.ill else 0


def _print(found: Examined) -> None:
    for trouble in found.troubles:
        _print_trouble(trouble)
    if not found.ill:
        echo(f"nothing is wrong ({len(found.checked)} checks)")


def _print_trouble(trouble: Trouble) -> None:
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
