"""`memgit context`."""

from __future__ import annotations

from memgit.app.read.context import DEFAULT_TOKENS, TEXT, Manner, context
from memgit.cli.lean import click
from memgit.cli.options import at_option, json_option, workspace_of
from memgit.cli.output import echo, emit_json, json_text


@click.command("context")
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    default=DEFAULT_TOKENS,
    show_default=True,
    help="At most so many tokens (words x 1.3) in all.",
)
@at_option
@json_option
@click.pass_context
def command(ctx: click.Context, max_tokens: int, at: str | None, as_json: bool) -> None:
    """Print what a session should know at its start: decisions in force, categories, skills, memories, notes, recent
    observations, and what people wrote in the indexes.

    Those made or changed last come first. What there is no room for is left out, and counted.

    Examples:

    \b
      memgit context
      memgit context --max-tokens 800
    """
    manner = Manner(lambda found: json_text(found.as_json()), json_text) if as_json else TEXT
    found = context(workspace_of(ctx), max_tokens=max_tokens, at=at, manner=manner)
    text = found.as_text()
    if as_json:
        emit_json(found.as_json())
    elif text:
        echo(text)
    else:
        echo("memgit: nothing is recorded yet", err=True)
