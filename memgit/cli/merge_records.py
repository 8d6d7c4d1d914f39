"""`memgit merge-records`."""

from __future__ import annotations

from typing import Any

import click

from memgit.app.write.merge_records import merge_records
from memgit.cli.options import body_options, context_of, read_body, workspace_of, write_options
from memgit.cli.output import echo, print_notes, print_written
from memgit.model.operation import PAST


@click.command("merge-records")
@click.argument("keep")
@click.argument("others", nargs=-1, required=True, metavar="OTHER...")
@body_options
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@write_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Merge each OTHER into KEEP: its text, lists and links are taken over, and it stays as an archived
    record that names KEEP.

    The text is appended in a dated section; -m or -F gives one that stands in place of all. Every link to
    OTHER is rewritten to KEEP, its history shows in that of KEEP, and its uses count for KEEP. All of it is
    one commit, which `memgit undo` takes back.

    Examples:

    \b
      memgit merge-records ops#drain ops#drain-first
    """
    body = read_body(ctx, options["body"], options["body_file"], use_stdin=False)
    done = merge_records(
        workspace_of(ctx),
        context_of(ctx),
        options["keep"],
        options["others"],
        body=body,
        dry_run=options["dry_run"],
    )
    if options["dry_run"] and not options["as_json"]:
        print_notes(done.notes)
        for change in done.changes:
            echo(f"would be {PAST[change.action]}: {change.address}")
        return
    print_written(done, options["as_json"])
    if not options["as_json"]:
        for change in done.changes:
            if change.action == "archive":
                echo(f"  archived {change.address}")
            elif change.action == "rename":
                echo(f"  took out {change.was}, a copy of it")
