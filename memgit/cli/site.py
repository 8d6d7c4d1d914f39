"""`memgit site`."""

from __future__ import annotations

import click

from memgit.cli.extras import need
from memgit.cli.options import at_option, context_of, json_option, typed, workspace_of
from memgit.cli.output import emit_json
from memgit.cli.progress import progress_line
from memgit.lint.words import plural


@click.command("site")
@click.argument("folder", metavar="DIR")
@at_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, folder: str, at: str | None, as_json: bool) -> None:
    """Write the records as a static web site into DIR.

    DIR is new, empty, or the site of an earlier run, of which only what changed is written again. The key
    `site` of .memgit.yaml has title, url (for feed and site map), exclude (kinds, addresses and paths that are
    not published) and archived.

    Examples:

    \b
      memgit site public
      memgit site --at v1.0 public
    """
    need("jinja2", "mistune", "nh3", extra="site")
    from memgit.site.build import build
    from memgit.site.collect import settings_of

    workspace = workspace_of(ctx)
    with progress_line() as progress:
        target, settings = typed(ctx, folder), settings_of(workspace)
        done = build(workspace, context_of(ctx), target, settings, at=at, progress=progress)
    if as_json:
        emit_json(done._asdict())
    else:
        click.echo(
            f"{plural(done.pages, 'record')} in {folder}: {plural(done.written, 'file')} written, {done.removed} removed"
        )
