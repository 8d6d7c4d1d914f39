"""`memgit list`."""

from __future__ import annotations

import itertools
import sys
import time

from memgit import TYPE_CHECKING
from memgit.app.read.counts import counter
from memgit.app.read.listing import SORTS, date_of, list_records, sorted_records
from memgit.app.read.reader import kinds_of, open_reader
from memgit.app.read.record_json import record_json
from memgit.cli.lean import click
from memgit.cli.options import (
    archived_option,
    at_option,
    group_from,
    group_options,
    json_option,
    workspace_of,
)
from memgit.cli.output import emit_json_list, faint, name_unreadable, safe_line
from memgit.cli.terminal import for_people
from memgit.formats.messages.message import cut
from memgit.model.printable import readable
from memgit.model.when import moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from memgit.model.record import Record

FORMATS = ("text", "table", "tsv", "json")
MAX_STATUS = 12
"""Columns that a status gets in a table."""


@click.command("list")
@click.argument("kind_argument", metavar="[KIND]", required=False)
@click.option("--kind", metavar="KIND", help="Only records of this kind.")
@group_options
@click.option("--keyword", metavar="TEXT", help="Only records with this keyword.")
@click.option("--tag", metavar="TAG", help="Only records with this tag, or one under it; see memgit tags.")
@click.option("--status", metavar="TEXT", help="Only records with this status.")
@click.option("--related-task", "--task", metavar="KEY", help="Only observations about this task.")
@click.option("--since", metavar="DATE", help="Only records changed since: 2026-03-01, or '2 weeks ago'.")
@archived_option
@click.option("--only-archived", is_flag=True, help="Only archived records.")
@click.option("-n", "--limit", type=click.IntRange(min=0), help="At most so many.")
@click.option(
    "--sort", type=click.Choice(SORTS), help="By what to sort: dates and uses from the top, texts from A."
)
@click.option("--reverse", is_flag=True, help="Turn the order of --sort.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="How to print: text (address and title), table (with status and date; the default on a terminal), "
    "tsv (kind, address, title, status, created, updated, archived, path), json.",
)
@at_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """List records, by default all that are not archived.

    Examples:

    \b
      memgit list knowledge --category ops
      memgit list --since '2 weeks ago' --sort updated
      memgit list decision --status accepted --json
    """
    kind = kinds_of(options["kind"] or options["kind_argument"])
    kinds, group = group_from(options, [kind] if kind is not None else [])
    kind = kinds[0] if kinds else None
    since = options["since"] and moment(options["since"], int(time.time()), first=True)
    reader = open_reader(workspace_of(ctx), options["at"])
    if kind is not None:
        reader.narrow(kind)
    found: Iterable[Record] = list_records(
        reader,
        kind=kind,
        group=group,
        topic=options["topic"],
        keyword=options["keyword"],
        status=options["status"],
        related_task=options["related_task"],
        since=since,
        archived=options["archived"],
        only_archived=options["only_archived"],
    )
    if options["tag"] is not None:
        tagged = reader.with_tag(options["tag"])
        found = (record for record in found if (record.path, record.ordinal) in tagged)
    if options["sort"] is not None:
        found = sorted_records(found, options["sort"], counter(reader), reverse=options["reverse"])
    elif options["reverse"]:
        found = reversed(list(found))
    if options["limit"] is not None:
        found = itertools.islice(found, min(options["limit"], sys.maxsize))
    name_unreadable(reader)
    form = "json" if options["as_json"] else options["form"] or ("table" if for_people() else "text")
    if form == "json":
        count = counter(reader)
        emit_json_list(record_json(record, count(record)) for record in map(reader.load, found))
        return
    for line in {"text": _text, "table": _table, "tsv": _tsv}[form](found):
        click.echo(line)


def _title(record: Record) -> str:
    """The title, where the address does not end in it."""
    return "" if record.address.endswith(f"#{record.title}") else safe_line(record.title)


def _text(found: Iterable[Record]) -> Iterator[str]:
    for record in found:
        mark = faint(" (archived)") if record.archived else ""
        title = _title(record)
        yield f"{safe_line(record.address)}{faint(f'  {title}') if title else ''}{mark}"


def _table(found: Iterable[Record]) -> Iterator[str]:
    """Columns for a person: date, status where a record has one, address and title."""
    rows = [
        (date_of(one), "archived" if one.archived else safe_line(one.text("status") or ""), one)
        for one in found
    ]
    width = min(MAX_STATUS, max((len(status) for _, status, _ in rows), default=0))
    for date, status, record in rows:
        middle = f"{cut(status, width):<{width}}  " if width else ""
        title = _title(record)
        yield f"{faint(f'{date:<10}  {middle}')}{safe_line(record.address)}{faint(f'  {title}') if title else ''}"


def _tsv(found: Iterable[Record]) -> Iterator[str]:
    for one in found:
        status, archived = one.text("status") or "", one.archived or ""
        texts = (one.kind, one.address, one.title, status, one.created or "", one.updated or "", archived)
        yield "\t".join(safe_line(text).replace("\t", "\\t") for text in (*texts, readable(one.path)))
