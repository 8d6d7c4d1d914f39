"""`memgit hooks`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import click

from memgit.app.hooks import install as hooks
from memgit.app.hooks.install import Hook
from memgit.cli.options import json_option
from memgit.cli.output import echo, emit_json
from memgit.git.repository import Repository


@click.group("hooks")
def command() -> None:
    """Install memgit's git hooks in this clone, take them out, or show which are there."""


@command.command("install")
@json_option
@click.pass_context
def install(ctx: click.Context, as_json: bool) -> int:
    """Put memgit's lines into the hooks of this clone, beside what is there; exit with 1 where a hook has to
    be changed by hand.

    The hooks go where git looks for them; core.hooksPath is never set. Safe to repeat.

    Examples:

    \b
      memgit hooks install
    """
    return _done(_over(ctx, hooks.install), as_json, "installed")


@command.command("uninstall")
@json_option
@click.pass_context
def uninstall(ctx: click.Context, as_json: bool) -> int:
    """Take memgit's lines out of the hooks; every file is then what it was without them.

    Examples:

    \b
      memgit hooks uninstall
    """
    found = _over(ctx, hooks.uninstall)
    if as_json:
        emit_json([hook.as_json() for hook in found])
    elif not any(hook.changed for hook in found):
        echo("nothing to take out")
    else:
        for hook in found:
            if hook.changed:
                echo(f"took out {hook.name}")
    return 0


@command.command("status")
@json_option
@click.pass_context
def status(ctx: click.Context, as_json: bool) -> int:
    """Show which hooks run memgit; exit with 1 where one does not.

    Examples:

    \b
      memgit hooks status
    """
    return _done(_over(ctx, hooks.status), as_json, "there already")


def _over(ctx: click.Context, what: Callable[[Repository], list[Hook]]) -> list[Hook]:
    return what(Repository.open(ctx.find_root().obj["folder"], os.environ))


def _done(found: Sequence[Hook], as_json: bool, word: str) -> int:
    if as_json:
        emit_json([hook.as_json() for hook in found])
    else:
        for hook in found:
            state = word if hook.changed else hook.state
            echo(f"{hook.name}: {state}{f': {hook.words}' if hook.words else ''}")
            if hook.add and not hook.works:
                echo("  to do by hand: " + hook.add.replace("\n", "\n    "))
    return 0 if all(hook.works for hook in found) else 1
