"""`memgit commit`."""

from __future__ import annotations

import os
from typing import Any

import click

from memgit.app.hooks.hand_edits import commit_edits
from memgit.cli.options import (
    acting_options,
    allow_secret_option,
    context_of,
    json_option,
    reason_option,
    stage_option,
    workspace_of,
)
from memgit.cli.output import print_written
from memgit.errors import NotFound


@click.command("commit")
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@click.option("-m", "--message", "message", metavar="TEXT", help="The reason, as --reason.")
@reason_option
@stage_option
@click.option("--no-verify", is_flag=True, help="Look for no errors first, as git commit --no-verify.")
@allow_secret_option
@json_option
@acting_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[str, ...],
    message: str | None,
    no_verify: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Commit uncommitted edits of record files as one operation, all of them or those under PATH; the message
    says what they did.

    Errors that the pre-commit hook would stop are looked for first.

    Examples:

    \b
      memgit commit
      memgit commit -m 'After the incident' memory/ops
    """
    workspace = workspace_of(ctx)
    wanted = [
        inside(workspace.root or "", os.path.join(ctx.find_root().obj["folder"], path), path)
        for path in paths
    ]
    context = context_of(ctx)
    context = context._replace(reason=message or context.reason)
    done = commit_edits(workspace, context, wanted, verify=not no_verify)
    print_written(done, as_json)


def inside(root: str, path: str, given: str) -> str:
    """A path as memgit names it, relative to the knowledge root; links on the way to it are not followed."""
    parent = os.path.realpath(os.path.dirname(os.path.abspath(path)))
    relative = os.path.relpath(os.path.join(parent, os.path.basename(os.path.abspath(path))), root).replace(
        os.sep, "/"
    )
    if os.path.realpath(path) == root:
        return "."
    if relative == ".." or relative.startswith("../"):
        raise NotFound("this is outside the knowledge root", path=given)
    return relative
