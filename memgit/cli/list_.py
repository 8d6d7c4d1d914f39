"""`memgit list`."""

from __future__ import annotations

import itertools
import sys

from memgit import TYPE_CHECKING
from memgit.app.read.counts import counter
from memgit.app.read.listing import list_records
from memgit.app.read.reader import kinds_of, open_reader
from memgit.app.read.record_json import record_json
from memgit.cli.options import at_option, group_from, json_option, workspace_of
from memgit.cli.output import emit_json_list, faint, name_unreadable, safe_line
from memgit.formats.tags import has_tag

if TYPE_CHECKING:
    from typing import Any

    import click
else:
    from memgit.cli import lean as click


@click.command("list")
@click.argument("kind_argument", metavar="[KIND]", required=False)
@click.option("--kind", metavar="KIND", help="Only records of this kind.")
@click.option("--category", metavar="NAME", help="Only knowledge of this category.")
@click.option("--skill", metavar="ID", help="Only experience with this skill.")
@click.option("--scope", metavar="PATH", help="Only memories of this scope, and those under it.")
@click.option("--topic", metavar="TEXT", help="Only records with this topic, or one under it.")
@click.option("--keyword", metavar="TEXT", help="Only records with this keyword.")
@click.option("--tag", metavar="TAG", help="Only records with this tag, or one under it; see memgit tags.")
@click.option("--status", metavar="TEXT", help="Only records with this status.")
@click.option("--archived", is_flag=True, help="Count archived records in.")
@click.option("--only-archived", is_flag=True, help="Only archived records.")
@click.option("-n", "--limit", type=click.IntRange(min=0), help="At most so many.")
@at_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """List records, by default all that are not archived."""
    kind = kinds_of(options["kind"] or options["kind_argument"])
    kinds, group = group_from(options, [kind] if kind is not None else [])
    kind = kinds[0] if kinds else None
    workspace = workspace_of(ctx)
    reader = open_reader(workspace, options["at"])
    if kind is not None:
        reader.narrow(kind)
    found = list_records(
        reader,
        kind=kind,
        group=group,
        topic=options["topic"],
        keyword=options["keyword"],
        status=options["status"],
        archived=options["archived"],
        only_archived=options["only_archived"],
    )
    if options["tag"] is not None:
        found = (record for record in found if has_tag(reader.load(record), options["tag"]))
    found = (
        itertools.islice(found, min(options["limit"], sys.maxsize)) if options["limit"] is not None else found
    )
    name_unreadable(reader)
    if options["as_json"]:
        count = counter(reader)
        emit_json_list(record_json(record, count(record)) for record in map(reader.load, found))
        return
    for record in found:
        mark = faint(" (archived)") if record.archived else ""
        title = "" if record.address.endswith(f"#{record.title}") else f"  {safe_line(record.title)}"
        click.echo(f"{safe_line(record.address)}{faint(title)}{mark}")
