"""`memgit open-requests`."""

from __future__ import annotations

import click

from memgit.app.review.requests import open_requests
from memgit.cli.options import context_of, json_option
from memgit.cli.output import emit_json
from memgit.forge.table import FORGES


@click.command("open-requests")
@click.option(
    "--forge",
    type=click.Choice([forge.name for forge in FORGES]),
    help="Which forge; by default the one whose CI runs this job.",
)
@click.option("--base", metavar="BRANCH", help="Only those that go into this branch.")
@json_option
@click.pass_context
def command(ctx: click.Context, forge: str | None, base: str | None, as_json: bool) -> None:
    """Print the branches of the open pull or merge requests of a repository, one a line, for the job that keeps them
    mergeable.

    Those from forks are left out: nothing here may write to them. The token is read from MEMGIT_FORGE_TOKEN, or from
    the forge's own variable (GITHUB_TOKEN, GITLAB_TOKEN).

    Examples:

    \b
      memgit open-requests --forge github
    """
    found = open_requests(context_of(ctx), forge, base or None)
    if as_json:
        emit_json([one.as_json() for one in found])
        return
    for head in dict.fromkeys(one.head for one in found):
        click.echo(head)
