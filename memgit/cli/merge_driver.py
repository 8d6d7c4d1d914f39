"""`memgit merge-driver`: what git calls to merge one file (`merge.memgit.driver`; see gitattributes(5))."""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING
from memgit.app.config import NAME
from memgit.app.merge_driver import merge_paths
from memgit.cli.output import echo
from memgit.errors import MemgitError

if TYPE_CHECKING:
    import click
else:
    from memgit.cli import lean as click


@click.command("merge-driver")
@click.argument("base")
@click.argument("ours")
@click.argument("theirs")
@click.argument("path")
@click.option("--ours-name", default="", help="Name of our side, for conflict markers.")
@click.option("--theirs-name", default="", help="Name of their side.")
@click.pass_context
def command(_: click.Context, base: str, ours: str, theirs: str, path: str, ours_name: str, theirs_name: str) -> int:
    """Merge OURS and THEIRS, which both come from BASE, into OURS; PATH is the file's name in the repository. Exit 1 on a conflict."""
    # git before 2.42 does not know the names and passes the placeholders on.
    labels = (
        "ours" if ours_name.startswith("%") else ours_name or "ours",
        "theirs" if theirs_name.startswith("%") else theirs_name or "theirs",
    )
    try:
        conflicts = merge_paths(base, ours, theirs, path, labels, os.environ, os.getcwd())
    except MemgitError as error:
        echo(f"memgit: {error}", err=True)
        return 1  # a conflict for git, which goes on with the other files; above 128 it would give up the whole merge
    for conflict in conflicts:
        echo(f"memgit: {path}:{conflict.line}: {conflict.message}", err=True)
    if any(conflict.message.startswith("deleted by ") for conflict in conflicts):
        import shlex

        folder = _root(path)
        command = f"memgit -C {shlex.quote(folder)} resolve" if folder else "memgit resolve"
        echo(f"memgit: next: {command}, which follows a record that was moved to another file", err=True)
    return 1 if conflicts else 0


def _root(path: str) -> str:
    """The folder of the knowledge root that a file lies in, from the top of the working tree, where git starts a driver."""
    folder = os.path.dirname(path)
    while folder and not os.path.isfile(os.path.join(folder, NAME)):
        folder = os.path.dirname(folder)
    return folder
