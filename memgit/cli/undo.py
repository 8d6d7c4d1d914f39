"""`memgit undo`."""

from __future__ import annotations

from typing import Any

import click

from memgit.app.write.undo import undo
from memgit.cli.options import context_of, workspace_of, write_options
from memgit.cli.output import print_written
from memgit.errors import BadInput


@click.command("undo")
@click.argument("commit", required=False, metavar="[COMMIT]")
@click.option("--redo", is_flag=True, help="Take back the newest undo: what it took back is in force again.")
@write_options
@click.pass_context
def command(ctx: click.Context, /, commit: str | None, redo: bool, as_json: bool, **options: Any) -> None:
    """Take back what one commit did to records, by default the newest operation, in a new commit; what came
    after stays. Called again, it takes back the operation before.

    Examples:

    \b
      memgit undo
      memgit undo 3f9a1c2b --reason 'It broke the links'
      memgit undo --redo
    """
    if redo and commit is not None:
        raise BadInput("--redo takes no commit", hint="memgit undo COMMIT takes back any commit, an undo too")
    done = undo(workspace_of(ctx), context_of(ctx), commit, redo=redo)
    print_written(done, as_json, redone=redo)
