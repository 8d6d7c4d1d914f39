"""`memgit merge-driver`: what git calls to merge one file (`merge.memgit.driver`; see gitattributes(5))."""

from __future__ import annotations

import os

from memgit.app.merge.driver import merge_paths
from memgit.cli.lean import click
from memgit.cli.output import echo
from memgit.git.setup import MARKED
from memgit.model.shell import memgit_in


@click.command("merge-driver")
@click.argument("base")
@click.argument("ours")
@click.argument("theirs")
@click.argument("path")
@click.option("--ours-name", default="", help="Name of our side, for conflict markers.")
@click.option("--theirs-name", default="", help="Name of their side.")
@click.pass_context
def command(
    _: click.Context, base: str, ours: str, theirs: str, path: str, ours_name: str, theirs_name: str
) -> int:
    """Merge OURS and THEIRS, which both come from BASE, into OURS; PATH is the file's name in the repository.

    Exit 10 where conflicts are marked in OURS. After any other failure OURS is what it was, and the command that
    memgit configures has git merge the file by lines.
    """
    # git before 2.42 does not know the names and passes the placeholders on.
    labels = (
        "ours" if ours_name.startswith("%") else ours_name or "ours",
        "theirs" if theirs_name.startswith("%") else theirs_name or "theirs",
    )
    try:
        done = merge_paths(base, ours, theirs, path, labels, os.environ, os.getcwd())
    except Exception as error:
        echo(f"memgit: {path}: merged by lines: {error}", err=True)
        return 3
    for conflict in done.conflicts:
        echo(f"memgit: {path}:{conflict.line}: {conflict.message}", err=True)
    if any(conflict.is_deletion for conflict in done.conflicts):
        echo(
            (
                f"memgit: next: {memgit_in(done.folder)} resolve, which follows a record that was moved "
                "to another file"
            ),
            err=True,
        )
    return MARKED if done.conflicts else 0
