"""`memgit export`."""

from __future__ import annotations

import os

import click

from memgit.adopt.systems import EXPORTS
from memgit.app.adopt.export import Exported, export
from memgit.cli.options import at_option, json_option, workspace_of
from memgit.cli.output import echo, emit_json, print_notes
from memgit.lint.words import plural

MAX_SHOWN = 10


@click.command("export")
@click.argument("folder", metavar="DEST")
@click.option(
    "--as", "system", type=click.Choice(list(EXPORTS)), help="The system; by default that of the layout."
)
@at_option
@json_option
@click.pass_context
def command(ctx: click.Context, folder: str, system: str | None, at: str | None, as_json: bool) -> None:
    """Write the records into DEST, a new or empty folder, as a plain workspace of another system or of the
    same one.

    A record that memgit never wrote to is the same to the byte in the system that it came from. What has no
    place there is named.

    Examples:

    \b
      memgit export --as vault ../vault
      memgit export --at v1.0 ../store-of-v1
    """
    workspace = workspace_of(ctx)
    done = export(workspace, os.path.join(ctx.find_root().obj["folder"], folder), system, at)
    print_notes(done.notes)
    if as_json:
        emit_json(done.as_json())
    else:
        _print(done)


def _print(done: Exported) -> None:
    echo(f"exported {plural(done.records, 'record')} as {done.system} to {done.folder}")
    others = f"{plural(done.others, 'other file')}, {plural(len(done.derived), 'derived file')} made"
    echo(f"  {plural(done.copied, 'file')} of records copied, {others}")
    if done.stripped:
        echo(f"  memgit's own id left out of {plural(done.stripped, 'record')}")
    if done.relinked:
        echo(f"  links follow converted records in {plural(done.relinked, 'copied file')}")
    if done.converted:
        echo(f"  converted: {', '.join(f'{count:,} {kind}' for kind, count in done.converted.items())}")
    if done.without_place:
        echo(
            "  no place for: "
            f"{', '.join(f'{name} ({count:,})' for name, count in done.without_place.items())}"
        )
    for lost in done.lost[:MAX_SHOWN]:
        echo(f"  not exported: {lost.path}: {lost.message}")
    if len(done.lost) > MAX_SHOWN:
        echo(f"  and {len(done.lost) - MAX_SHOWN:,} more (--json names all)")
