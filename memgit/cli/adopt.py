"""`memgit adopt`."""

from __future__ import annotations

import os

import click

from memgit.adopt.systems import SYSTEMS
from memgit.app.adopt.adopt import Adopted, Proposal, adopt, look
from memgit.cli.indexes import explains_indexes, indexes_option
from memgit.cli.options import context_of, json_option
from memgit.cli.output import echo, emit_json, faint, heading, print_notes, safe_line
from memgit.cli.terminal import on_terminal
from memgit.errors import BadInput, Refused


@explains_indexes
@click.command("adopt")
@click.argument("directory", default="", metavar="[DIR]")
@click.option(
    "--as", "system", type=click.Choice(list(SYSTEMS)), help="What it is; by default what memgit recognises."
)
@indexes_option
@click.option("--dry-run", is_flag=True, help="Only say what is there and what would be done.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--no-hooks", is_flag=True, help="Leave the git hooks alone.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    directory: str,
    system: str | None,
    indexes: str | None,
    dry_run: bool,
    yes: bool,
    no_hooks: bool,
    as_json: bool,
) -> None:
    """Make a knowledge root of what is in DIR (by default the current folder), in place.

    Takes a Mem Skill, auto-skill, vault or Mnema workspace, a folder of decision records, or any folder of
    Markdown, with its history. No byte of a record changes; what was found is shown before anything is
    written.

    Examples:

    \b
      memgit adopt --dry-run
      memgit adopt --as adr docs/decisions
    """
    folder = os.path.join(ctx.find_root().obj["folder"], directory)
    context = context_of(ctx)
    proposal = look(folder, context.env, system, indexes)
    if proposal.adopted:
        _finish(adopt(proposal, context), as_json)
        return
    if not as_json:
        _show(proposal)
    if dry_run:
        print_notes(proposal.notes)
        if as_json:
            emit_json(
                {
                    "op": "adopt",
                    "action": "dry_run",
                    "commit": None,
                    "first_commit": None,
                    **proposal.as_json(),
                    "notes": list(proposal.notes),
                }
            )
        else:
            click.echo(faint("nothing was written (--dry-run)"))
        return
    if not yes:
        _ask(as_json)
    _finish(adopt(proposal, context, hooks=not no_hooks), as_json)


def _ask(as_json: bool) -> None:
    if as_json or not on_terminal():
        raise BadInput(
            "adopt asks before it writes, and there is no terminal",
            hint="--yes adopts what is shown, --dry-run only shows it",
        )
    if not click.confirm("Adopt this?", default=False):
        raise Refused("not adopted: nothing was written")


def _show(proposal: Proposal) -> None:
    first, *rest = proposal.lines()
    click.echo(heading(first))
    for line in rest:
        echo(safe_line(line))


def _finish(done: Adopted, as_json: bool) -> None:
    print_notes(done.notes)
    if as_json:
        emit_json(done.as_json())
    elif done.commit is None:
        echo(
            f"nothing to do: {done.proposal.root} is a knowledge root already (layout "
            f"{done.proposal.layout.name})"
        )
    else:
        if done.first_commit is not None:
            echo(f"committed the files as they were [{done.first_commit[:10]}]")
        echo(f"adopted {done.proposal.root} [{done.commit[:10]}]")
