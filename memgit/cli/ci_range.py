"""`memgit review-range`."""

from __future__ import annotations

import click

from memgit.app.review.comment import job_of
from memgit.cli.options import context_of, json_option
from memgit.cli.output import echo, emit_json
from memgit.forge.table import FORGES


@click.command("review-range")
@click.option(
    "--forge",
    type=click.Choice([forge.name for forge in FORGES]),
    help="Which forge; by default the one whose CI runs this job.",
)
@click.option("--base", metavar="REV", help="Compare with this, whatever the forge says.")
@json_option
@click.pass_context
def command(ctx: click.Context, forge: str | None, base: str | None, as_json: bool) -> None:
    """Print what a CI job has to review, as BASE...HEAD for `memgit review`: from what the forge tells its
    job.
    """
    job = job_of(context_of(ctx), forge, base or None)
    if as_json:
        emit_json(job._asdict())
    else:
        echo(f"{job.base}...{job.head or 'HEAD'}")
