"""`memgit recall`."""

from __future__ import annotations

from shlex import join

from memgit.app.read.recall import DEFAULT_SESSION, MAX_NAMED, recall
from memgit.cli.lean import click
from memgit.cli.options import at_option, context_of, json_option, read_body, workspace_of
from memgit.cli.output import cut_line, echo, emit_json, print_notes
from memgit.model.printable import safe


@click.command("recall")
@click.argument("words", nargs=-1, metavar="TEXT...")
@click.option(
    "--session",
    metavar="NAME",
    envvar="MEMGIT_SESSION",
    help="The session; a record is shown once in it.  [env: MEMGIT_SESSION]",
)
@click.option(
    "--skill",
    "skills",
    multiple=True,
    metavar="ID",
    help="A skill that is used now: its experience is shown whatever the topic.",
)
@click.option("--again", is_flag=True, help="Show also what this session was shown before.")
@click.option("--no-count", is_flag=True, help="Do not count what is shown as read.")
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    help="At most so many tokens (words x 1.3); by default `recall_tokens` of the configuration.",
)
@at_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    words: tuple[str, ...],
    session: str | None,
    skills: tuple[str, ...],
    again: bool,
    no_count: bool,
    max_tokens: int | None,
    at: str | None,
    as_json: bool,
) -> None:
    """Show the records that TEXT, the message of this turn, calls for: on a new topic those that have to do with
    it, of every kind; and experience of the skills it names.

    TEXT comes from standard input where none is given or it is -. Nothing is printed where nothing fits.

    Examples:

    \b
      memgit recall 'How do I drain a queue before a roll?'
      memgit recall --max-tokens 500 - < message.txt
    """
    text = " ".join(words)
    if text == "-" or not (words or skills):
        text = read_body(ctx, (), "-" if text == "-" else None) or ""
    found = recall(
        workspace_of(ctx),
        context_of(ctx),
        text,
        session=session,
        skills=skills,
        read=not no_count,
        again=again,
        at=at,
        max_tokens=max_tokens,
    )
    print_notes(found.notes)
    if as_json:
        emit_json(found.as_json())
        return
    if found.shown:
        click.echo(safe("\n".join(cut_line(line) for line in found.as_text().split("\n"))))
    elif not found.already:
        echo("memgit: nothing fits", err=True)
    if found.already:
        count = len(found.already)
        names = ", ".join(record.address for record in found.already[:MAX_NAMED])
        said = f"this session ({found.session}) was shown {count} record{'' if count == 1 else 's'} before"
        echo(f"memgit: {said}: {names}", err=True)
        echo(f"  hint: {_again(words, found.session, skills)} shows them again", err=True)
    for skill in found.missing:
        echo(f"memgit: no experience with {skill} yet", err=True)
    if found.suggestion:
        echo(f"memgit: {found.suggestion}", err=True)


def _again(words: tuple[str, ...], session: str, skills: tuple[str, ...]) -> str:
    """The command that shows the same once more."""
    options = ["--session", session] if session != DEFAULT_SESSION else []
    for skill in skills:
        options += ["--skill", skill]
    return join(
        [
            "memgit",
            "recall",
            "--again",
            *options,
            *(["--"] if any(word.startswith("-") for word in words) else []),
            *words,
        ]
    )
