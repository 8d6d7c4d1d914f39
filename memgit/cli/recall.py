"""`memgit recall`."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.read.recall import DEFAULT_SESSION, recall
from memgit.cli.options import at_option, context_of, json_option, workspace_of
from memgit.cli.output import cut_line, echo, emit_json, heading, safe

if TYPE_CHECKING:
    import click
else:
    from memgit.cli import lean as click


@click.command("recall")
@click.argument("words", nargs=-1, metavar="TEXT...")
@click.option(
    "--session",
    metavar="NAME",
    envvar="MEMGIT_SESSION",
    help="The session; a file is loaded once in it.  [env: MEMGIT_SESSION]",
)
@click.option(
    "--skill",
    "skills",
    multiple=True,
    metavar="ID",
    help="A skill that is used now: its experience is loaded whatever the topic.",
)
@click.option("--again", is_flag=True, help="Load also what this session has loaded before.")
@click.option("--no-count", is_flag=True, help="Do not count what is loaded as read.")
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
    at: str | None,
    as_json: bool,
) -> None:
    """Load what TEXT, the message of this turn, calls for: on a new topic all matching categories; experience
    of the skills it names.
    """
    found = recall(
        workspace_of(ctx),
        context_of(ctx),
        " ".join(words),
        session=session,
        skills=skills,
        read=not no_count,
        again=again,
        at=at,
    )
    if as_json:
        emit_json(found.as_json())
        return
    for kind, what in (("experience", "experience"), ("knowledge", "knowledge")):
        names = [file.path.rpartition("/")[2] for file in found.loaded if file.kind == kind]
        if names:
            echo(f"Loaded {what}: {', '.join(names)}")
    for file in found.loaded:
        for record in file.records:
            click.echo()
            click.echo(heading(f"## {record.title}") + safe(f"  ({record.address})"))
            if record.text("context"):
                echo(record.text("context") or "")
            if record.body:
                click.echo(safe("\n".join(cut_line(line) for line in record.body.split("\n"))))
    if not found.loaded:
        echo("nothing new to load" if found.already else "nothing matches")
    if found.already:
        files = ", ".join(file.path.rpartition("/")[2] for file in found.already)
        echo(f"memgit: this session ({found.session}) has loaded {files} already", err=True)
        echo(
            (
                f"  hint: {_again(words, found.session, skills)} loads it again, and another --session "
                "has loaded nothing yet"
            ),
            err=True,
        )
    for skill in found.missing:
        echo(f"memgit: no experience with {skill} yet", err=True)
    if found.suggestion:
        echo(f"memgit: {found.suggestion}", err=True)


def _again(words: tuple[str, ...], session: str, skills: tuple[str, ...]) -> str:
    """The command that loads the same once more."""
    from shlex import join

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
