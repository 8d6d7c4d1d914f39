"""`memgit search`."""

from __future__ import annotations

import time

from memgit import TYPE_CHECKING
from memgit.app.read.reader import kinds_of
from memgit.app.read.search import Answer, Result, as_json, search
from memgit.cache.search import Query
from memgit.cli.lean import click
from memgit.cli.options import (
    archived_option,
    at_option,
    group_from,
    group_options,
    json_option,
    workspace_of,
)
from memgit.cli.output import echo, emit_json, faint, heading, name_unreadable
from memgit.model.printable import safe
from memgit.model.when import day

if TYPE_CHECKING:
    from typing import Any


@click.command("search")
@click.argument("words", nargs=-1, required=True, metavar="WORD...")
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only records of this kind; repeatable.")
@group_options
@click.option("--tag", metavar="TAG", help="Only records with this tag, or one under it; see memgit tags.")
@click.option("--since", metavar="DATE", help="Only records changed since: 2026-03-01, or '2 weeks ago'.")
@click.option("--until", metavar="DATE", help="Only records changed up to this day.")
@click.option(
    "--actor",
    "actors",
    multiple=True,
    metavar="NAME",
    help="Only records that this agent had a hand in; repeatable.",
)
@click.option(
    "--engine", metavar="NAME", help="Ask this engine, not the configured one; see memgit engine list."
)
@archived_option
@click.option(
    "-n", "--limit", type=click.IntRange(min=0), default=10, show_default=True, help="At most so many."
)
@at_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Search titles, keywords, context and text; the best first. Any text is a query; words in double quotes,
    as '"read only"', must stand together. Put a query that begins with a dash after --.

    Examples:

    \b
      memgit search queue lag
      memgit search '"dead letter"' --kind knowledge --limit 5
    """
    kinds = [kinds_of(kind) or kind for kind in options["kinds"]]
    kinds, group = group_from(options, kinds)
    now = int(time.time())
    query = Query(
        " ".join(options["words"]),
        tuple(kinds),
        group,
        options["topic"],
        options["since"] and day(options["since"], now),
        options["until"] and day(options["until"], now, first=False),
        None if options["archived"] else False,
        options["limit"],
    )
    answer = search(
        workspace_of(ctx),
        query,
        at=options["at"],
        actors=options["actors"],
        engine=options["engine"],
        tag=options["tag"],
    )
    name_unreadable(answer.reader)
    if options["as_json"]:
        emit_json(as_json(answer))
        return
    _tell(answer, options["limit"])
    for result in answer.results:
        _print(result)


def _tell(answer: Answer, limit: int) -> None:
    """Says what the results do not show: that there are none, or that they are not what was asked for."""
    if answer.note:
        echo(f"memgit: {answer.note}", err=True)
    if answer.missing:
        said = " and ".join(f'"{phrase}"' for phrase in answer.missing)
        together = "as it stands" if len(answer.missing) == 1 else "all as they stand"
        rest = "; these have some of the words" if answer.results else ", nor any of the words"
        echo(f"memgit: nothing that was searched has {said} {together}{rest}", err=True)
    elif not answer.results and limit:
        echo("memgit: nothing was found", err=True)


def _print(result: Result) -> None:
    record, snippet = result.record, result.snippet
    click.echo(f"{heading(record.address)}{faint(' (archived)' if record.archived else '')}")
    click.echo(f"  {faint(f'{record.path}:{snippet.line or record.line}')}  {_marked(result)}")


def _marked(result: Result) -> str:
    """The snippet with its matches in colour, on a terminal."""
    text, out, done = result.snippet.text, [], 0
    for first, last in result.snippet.spans:
        out += [safe(text[done:first]), click.style(safe(text[first:last]), fg="yellow", bold=True)]
        done = last
    return "".join([*out, safe(text[done:])])
