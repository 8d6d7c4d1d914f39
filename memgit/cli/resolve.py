"""`memgit resolve`."""

from __future__ import annotations

import os

import click

from memgit.app.hooks import roots as hook_roots
from memgit.app.merge.resolve import Left, Resolved, resolve
from memgit.cli.commit import inside
from memgit.cli.options import json_option, workspace_of
from memgit.cli.output import echo, emit_json, print_notes


@click.command("resolve")
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@click.option(
    "--force", is_flag=True, help="Merge anew also what was edited since git stopped; those edits are lost."
)
@json_option
@click.pass_context
def command(ctx: click.Context, paths: tuple[str, ...], force: bool, as_json: bool) -> int:
    """Merge records that git left in conflict, all of them or those under PATH, and stage what is whole.

    In a stopped merge, rebase, cherry-pick, revert or stash where no merge driver ran. Files that were edited
    to settle a conflict are left alone. Derived files follow from the records. Exits with 1 where something
    is left to settle by hand; it is named.

    Examples:

    \b
      memgit resolve
      memgit resolve knowledge-base/ops.md
    """
    workspace = workspace_of(ctx, lenient=True)
    # What it derives follows from what is staged, and an edit of the configuration may not be.
    hook_roots.as_staged(workspace, untracked=True)
    folder = ctx.find_root().obj["folder"]
    wanted = [inside(workspace.root or "", os.path.join(folder, path), path) for path in paths]
    done = resolve(workspace, wanted, force=force)
    print_notes(done.notes)
    if as_json:
        emit_json(done.as_json())
    else:
        _print(done)
    return 1 if done.left else 0


def _print(done: Resolved) -> None:
    for path in done.merged:
        echo(f"merged {path}")
    for path in done.derived:
        echo(f"derived {path}")
    print_left(done.left)
    for path in done.waiting:
        echo(f"waiting {path}: it is derived once the records are settled")
    if done.left:
        echo(f"{len(done.left)} to settle: {done.next}")
    elif done.next is not None:
        echo(f"nothing is left in conflict; next: {done.next}")
    elif done.merged or done.derived:
        echo("nothing is left in conflict; the changes are staged")
    else:
        echo("nothing is in conflict")


def print_left(left: tuple[Left, ...]) -> None:
    """What a person has to settle, one a line, in the form `path:line: record: what`."""
    for one in left:
        where = one.path if one.line is None else f"{one.path}:{one.line}"
        echo(f"conflict {where}: {f'{one.address}: ' if one.address else ''}{one.message}")
