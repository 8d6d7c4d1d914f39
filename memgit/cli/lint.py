"""`memgit lint`."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from memgit.app.check.lint import Checked, Request, lint
from memgit.app.hooks import roots as hook_roots
from memgit.app.read import lint_log
from memgit.app.write.fix import fix
from memgit.cli.options import context_of, json_option, reason_option, workspace_of
from memgit.cli.output import print_notes
from memgit.cli.progress import progress_line
from memgit.cli.reports import chosen, ignore_option, paint, select_option, write_report
from memgit.cli.terminal import coloured
from memgit.errors import BadInput
from memgit.lint.reports.formats import FORMATS, pieces
from memgit.lint.reports.report import plain
from memgit.lint.rule import SEVERITIES

FAIL = (*SEVERITIES, "never")


@click.command("lint")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--staged", is_flag=True, help="Check what is staged, as the next commit takes it.")
@click.option("--changed", is_flag=True, help="Check only what differs from the newest commit.")
@click.option("--since", metavar="REV", help="Check only what differs from where this branch left REV.")
@click.option("--at", metavar="REV", help="Check a commit instead of the working tree.")
@select_option
@ignore_option
@click.option("--fix", "mend", is_flag=True, help="Fix what can be fixed, in the working tree.")
@click.option("--commit", is_flag=True, help="With --fix: fix the newest commit in a new one.")
@click.option("--format", "form", type=click.Choice(tuple(FORMATS)), help="How to report; text by default.")
@click.option("-o", "--output", metavar="FILE", help="Write the report to a file.")
@click.option(
    "--fail-on", type=click.Choice(FAIL), default="error", help="Exit with 1 from this severity on."
)
@click.option(
    "--log",
    "log",
    is_flag=True,
    help="Keep the result in the activity log, as a commit that changes no file.",
)
@reason_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Check records, indexes and links, and print what is wrong with each and how to fix it.

    Exits with 1 where something is as grave as --fail-on says. With --staged, rules that compare records with
    each other, or find what is old or missing (MG203, MG301 to MG304), are left out unless selected. With
    --log, the counts and what each rule found go into the log; the check is the same.

    Examples:

    \b
      memgit lint
      memgit lint --fix
      memgit lint --select MG2 --format sarif -o lint.sarif
    """
    if options["commit"] and not options["mend"]:
        raise BadInput("--commit goes with --fix")
    if sum((options["staged"], options["changed"], options["since"] is not None)) > 1:
        raise BadInput("--staged, --changed and --since exclude each other")
    if options["as_json"] and options["form"] not in (None, "json"):
        raise BadInput("--json and --format exclude each other")
    workspace = workspace_of(ctx, lenient=options["staged"])
    if options["staged"]:
        hook_roots.as_staged(workspace)
    request = Request(
        _within(ctx, workspace.root, options["paths"]),
        options["staged"],
        options["changed"],
        options["since"],
        options["at"],
        chosen(options["select"]),
        chosen(options["ignore"]),
    )
    context = context_of(ctx)
    if options["log"]:
        lint_log.allowed(workspace, request)
    with _uncollected():
        if options["mend"]:
            checked = fix(workspace, context, request, commit=options["commit"])
        else:
            with progress_line() as tell:
                checked = lint(workspace, context, request, tell)
        print_notes(checked.notes)
        _report(checked, "json" if options["as_json"] else options["form"] or "text", ctx, options["output"])
    if options["log"]:
        kept = lint_log.keep(workspace, context, request, checked)
        print_notes((f"kept in the log [{(kept.commit or '')[:10]}]", *kept.notes))
    worst = checked.report.result.worst
    threshold = FAIL.index(options["fail_on"])
    return (
        1
        if worst is not None and SEVERITIES.index(worst) <= threshold and options["fail_on"] != "never"
        else 0
    )


@contextmanager
def _uncollected() -> Iterator[None]:
    """Spares the search for cycles: facts of thousands of records are held to the end, and looking through
    them again and again is a fifth of the time.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            # All that is there now counts as old, or the next small thing that is made would have it looked
            # through at once.
            gc.freeze()
            gc.unfreeze()
            gc.enable()


def _within(ctx: click.Context, root: str | None, paths: tuple[str, ...]) -> tuple[str, ...]:
    """Paths as typed in the folder where memgit was started, from the knowledge root."""
    if root is None:
        return paths
    start = os.path.realpath(ctx.find_root().obj["folder"])
    return tuple(os.path.relpath(os.path.join(start, path), root) for path in paths)


def _report(checked: Checked, form: str, ctx: click.Context, output: str | None) -> None:
    painted = form == "text" and output is None and coloured()
    in_ci = form == "text" and context_of(ctx).env.get("CI")
    report = checked.report.at_top() if in_ci else checked.report
    write_report(pieces(form, report, paint if painted else plain), form, painted, ctx, output)
