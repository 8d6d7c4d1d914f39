"""`memgit update-branch`."""

from __future__ import annotations

import click

from memgit.app.merge.sync import TIMEOUT
from memgit.app.merge.update_branch import update_branch
from memgit.cli.options import json_option, timeout_option, workspace_of
from memgit.cli.output import emit_json, print_notes
from memgit.cli.sync import access_of, print_updated


@click.command("update-branch")
@click.argument("base", required=False)
@click.option("--no-fetch", is_flag=True, help="Take a branch of a remote as it was last fetched.")
@timeout_option(TIMEOUT, "the fetch")
@json_option
@click.pass_context
def command(ctx: click.Context, base: str | None, no_fetch: bool, timeout: float, as_json: bool) -> int:
    """Merge BASE into the branch that is checked out, record by record, as one commit with its derived files.

    For a pull request that can no longer be merged: git push sends the branch afterwards. BASE is the default branch
    as the remote has it, unless another branch or revision is named; a branch of a remote (origin/main, or main where
    that is not here) is fetched first. Edits that are not committed stay as they are. Exits with 1 where records
    conflict: they are named, and an ordinary merge is under way.

    Examples:

    \b
      memgit update-branch && git push
      memgit update-branch origin/main
    """
    access = None if no_fetch else access_of(timeout, as_json=as_json)
    done = update_branch(workspace_of(ctx), base, access)
    print_notes(done.notes)
    if as_json:
        emit_json(done.as_json())
    else:
        print_updated(done)
    return 1 if done.status == "conflict" else 0
