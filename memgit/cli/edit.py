"""`memgit edit`."""

from __future__ import annotations

from typing import Any

import click

from memgit.app.write.edit import edit, open_record
from memgit.cli.editor import edited
from memgit.cli.options import address_argument, context_of, workspace_of, write_options
from memgit.cli.output import print_written
from memgit.model.slug import slug


@click.command("edit")
@address_argument
@write_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Open the record at ADDRESS in your editor (GIT_EDITOR, core.editor, VISUAL, EDITOR) and commit what you
    saved as one operation.

    The editor gets the record's own text as it is committed: the whole file, or the section of an entry. An
    empty text aborts, an unchanged one makes no commit. A new title is a rename: links follow.

    Examples:

    \b
      memgit edit ops#drain
    """
    workspace, context = workspace_of(ctx), context_of(ctx)
    opened = open_record(workspace, context, options["address"])
    with edited(workspace, opened.text, slug(opened.record.title)) as text:
        done = edit(workspace, context, opened, text)
    print_written(done, options["as_json"])
