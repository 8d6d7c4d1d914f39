"""`memgit upgrade`."""

from __future__ import annotations

from typing import Any

import click

from memgit.app.adopt.upgrade import VERSION, Upgraded, upgrade
from memgit.cli.options import context_of, workspace_of, write_options
from memgit.cli.output import echo, emit_json, faint, print_notes
from memgit.lint.words import plural


@click.command("upgrade")
@write_options
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **options: Any) -> None:
    """Bring the entries of a Mem Skill workspace to version 1.2: records without Source and Related get the
    labels. Safe to repeat.

    Examples:

    \b
      memgit upgrade --reason 'Mem Skill 1.2'
    """
    done = upgrade(workspace_of(ctx), context_of(ctx))
    print_notes(done.written.notes)
    for left in done.left:
        echo(f"memgit: {left.path}:{left.line}: left as it is: {left.message}", err=True)
    if as_json:
        emit_json(done.as_json())
    else:
        _print(done)


def _print(done: Upgraded) -> None:
    if done.chinese:
        echo(
            f"{done.chinese} records with Chinese labels stay as they are: auto-skill has neither "
            "Source nor Related"
        )
    if done.version is not None:
        echo(f"Mem Skill's configuration is at version {VERSION}, was {done.version or 'without one'}")
    elif not done.written.changes:
        echo(
            f"nothing to upgrade: {plural(done.records, 'record')}, each with both labels or with no place for them"
        )
        return
    if not done.written.changes:
        return
    where = "staged" if done.written.staged else (done.written.commit or "")[:10]
    click.echo(
        f"added Source to {plural(done.sources, 'record')} and Related to {done.related}, of {done.records} "
        f"{faint(f'[{where}]')}"
    )
