"""`memgit undo`."""

from __future__ import annotations

import click

from memgit.app.write.undo import undo
from memgit.cli.options import context_of, workspace_of, write_options
from memgit.cli.output import print_written


@click.command("undo")
@click.argument("commit", required=False, metavar="[COMMIT]")
@write_options
@click.pass_context
def command(ctx: click.Context, commit: str | None, reason: str | None, stage: bool, as_json: bool) -> None:
    """Take back what one commit did to records, by default the newest operation, in a new commit; what came
    after stays.
    """
    print_written(undo(workspace_of(ctx), context_of(ctx), commit, reason=reason, stage=stage), as_json)
