"""`memgit review-comment`."""

from __future__ import annotations

import click

from memgit.app.review.comment import post_review
from memgit.cli.options import context_of, json_option, read_body
from memgit.cli.output import echo, emit_json
from memgit.errors import BadInput, Refused
from memgit.forge.table import FORGES
from memgit.lint.reports.github import escape


@click.command("review-comment")
@click.argument("file", metavar="FILE")
@click.option(
    "--forge",
    type=click.Choice([forge.name for forge in FORGES]),
    help="Which forge; by default the one whose CI runs this job.",
)
@click.option(
    "--number", metavar="N", help="The pull or merge request; by default the one that the job is about."
)
@click.option(
    "--key",
    metavar="TEXT",
    default="",
    help="A name that tells apart several reviews of one knowledge root; by default its path.",
)
@json_option
@click.pass_context
def command(
    ctx: click.Context, file: str, forge: str | None, number: str | None, key: str, as_json: bool
) -> None:
    """Post the Markdown of a review, in FILE (- is standard input), as one comment on its pull or merge
    request.

    A comment that stands there already is replaced; a review that concerns no record, derived file,
    configuration or finding makes none. The token is read from MEMGIT_FORGE_TOKEN, or from the forge's own
    variable (GITHUB_TOKEN, GITLAB_TOKEN). That of a fork may not comment: this is said, and no failure.

    Examples:

    \b
      memgit review-comment review.md --forge gitlab --number 12
    """
    text = read_body(ctx, (), file, use_stdin=False)
    if not text or not text.strip():
        raise BadInput("there is no review in it", path=file)
    context = context_of(ctx)
    try:
        done = post_review(context, text, forge=forge, number=number, key=key)
    except Refused as error:
        if context.env.get("GITHUB_ACTIONS"):
            said = f"{error.message}; {error.hint}" if error.hint else error.message
            echo(f"::warning title=memgit::no comment: {escape(said)}", err=True)
        raise
    if as_json:
        emit_json(done.as_json())
    else:
        echo(done.words())
