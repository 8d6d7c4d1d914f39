"""`memgit update`."""

from __future__ import annotations

from shlex import quote

from memgit import TYPE_CHECKING
from memgit.app.write.update import update
from memgit.cli.lean import click
from memgit.cli.options import (
    FIELD_OPTIONS,
    address_argument,
    body_options,
    context_of,
    field_options,
    fields_from,
    read_body,
    related_option,
    workspace_of,
    write_options,
)
from memgit.cli.output import print_written
from memgit.errors import BadInput

if TYPE_CHECKING:
    from typing import Any


MOVES = {"title": "", "category": "--to ", "skill": "--to ", "scope": "--to "}
"""What a record is recorded with and an update does not change, with the option of `rename` that does."""


@click.command("update")
@address_argument
@body_options
@field_options(*FIELD_OPTIONS)
@related_option
@click.option(
    "--new-version", is_flag=True, help="For a skill: count its version up; its uses start at zero."
)
@click.option(
    "--if-version",
    metavar="ID",
    help="Refuse (exit 1) unless the record is still at this version_id, or as in this commit.",
)
@click.option("--title", hidden=True)
@click.option("--category", hidden=True)
@click.option("--skill", hidden=True)
@click.option("--scope", hidden=True)
@write_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Replace the body of the record at ADDRESS, or the fields that are given; an empty text empties a field.

    Examples:

    \b
      memgit update ops#drain -F body.md --reason 'The command changed'
      memgit update skill/release --new-version -F release.md
      memgit update decision/20260302-queue --status superseded --superseded-by decision/20260501-bus
    """
    for name, how in MOVES.items():
        if options[name] is not None:
            hint = f"memgit rename {quote(options['address'])} {how}{quote(options[name])}"
            raise BadInput(f"update leaves the {name} of a record as it is", hint=hint)
    fields = fields_from(options)
    given = bool(fields or options["related"] or options["new_version"])
    body = read_body(ctx, options["body"], options["body_file"], use_stdin=not given)
    if body is None and not given:
        raise BadInput(
            "there is nothing to update", hint="-m TEXT, -F FILE, standard input, or options for fields"
        )
    done = update(
        workspace_of(ctx),
        context_of(ctx),
        options["address"],
        body=body,
        fields=fields,
        related=options["related"],
        new_version=options["new_version"],
        if_version=options["if_version"],
    )
    print_written(done, options["as_json"])
