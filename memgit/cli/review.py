"""`memgit review`."""

from __future__ import annotations

from typing import Any

import click

from memgit.app.workspace import Workspace
from memgit.cli.options import context_of, json_option, workspace_of
from memgit.cli.output import echo, emit_json, print_notes
from memgit.cli.progress import progress_line
from memgit.cli.reports import also_option, chosen, ignore_option, paint, select_option, write_report
from memgit.cli.terminal import coloured
from memgit.errors import BadInput
from memgit.lint.reports.report import plain
from memgit.review.reports.formats import FORMATS, render
from memgit.review.values import FAIL


@click.command("review")
@click.argument("revisions", required=False, metavar="[BASE..HEAD]")
@click.option("--format", "form", type=click.Choice(tuple(FORMATS)), help="How to report; text by default.")
@select_option
@ignore_option
@click.option("-o", "--output", metavar="FILE", help="Write the review to a file.")
@also_option
@click.option(
    "--squash-message", is_flag=True, help="Print a message for squashing the branch that keeps its log."
)
@json_option
@click.pass_context
def command(ctx: click.Context, /, revisions: str | None, **options: Any) -> int:
    """Review what a branch does to records, on the result of merging it: what changed, what breaks, and what
    would conflict.

    BASE is the upstream of the branch by default, else the default branch; HEAD is the present commit.
    BASE..HEAD and BASE...HEAD mean the same, and BASE alone is what HEAD is compared with. Exits with 1 where
    the verdict is fail; the key review of .memgit.yaml says from when on.

    Examples:

    \b
      memgit review
      memgit review main..topic --format markdown -o review.md
    """
    from memgit.app.review.review import Request, not_itself, parse_range, review

    if options["as_json"] and options["form"] not in (None, "json"):
        raise BadInput("--json and --format exclude each other")
    base, head = parse_range(revisions)
    also = [also_file(text) for text in options["also"]]
    workspace = workspace_of(ctx, lenient=True)
    alone = base is not None and ".." not in (revisions or "")
    if base is not None and alone:
        not_itself(workspace.require_repository(), base)
    if options["squash_message"]:
        return _squash_message(ctx, workspace, base, head, options)
    request = Request(base, head, chosen(options["select"]), chosen(options["ignore"]))
    with progress_line() as tell:
        found = review(workspace, context_of(ctx), request, tell)
    if alone and found.merge_base == found.head.commit != found.base.commit:
        echo(
            (
                f"memgit: HEAD has nothing that {base} lacks; to review what {base} has: memgit review "
                f"HEAD..{base}"
            ),
            err=True,
        )
    form = "json" if options["as_json"] else options["form"] or "text"
    painted = form == "text" and options["output"] is None and coloured()
    text = render(form, found, paint if painted else plain)
    for other, path in also:
        write_report([render(other, found, plain)], other, False, ctx, path)
    write_report([text], form, painted, ctx, options["output"])
    return 1 if found.verdict == FAIL else 0


def also_file(text: str) -> tuple[str, str]:
    """A format and a file from `FORMAT=FILE`."""
    form, _, path = text.partition("=")
    if form not in FORMATS or not path:
        raise BadInput(
            f"--also {text}: not of the form FORMAT=FILE", hint=f"the formats: {', '.join(FORMATS)}"
        )
    return form, path


def _squash_message(
    ctx: click.Context, workspace: Workspace, base: str | None, head: str | None, options: dict[str, Any]
) -> int:
    """Prints the message, or writes it to a file for `git commit -F`; notes go to standard error."""
    from memgit.app.review.squash import squash_message

    if options["form"] is not None or options["select"] or options["ignore"] or options["also"]:
        raise BadInput(
            "--squash-message makes no review: it goes with no --format, --also, --select or --ignore"
        )
    found = squash_message(workspace, base, head)
    print_notes(found.notes)
    if options["as_json"]:
        emit_json(found.as_json())
    else:
        write_report([found.message], "message", False, ctx, options["output"])
    return 0
