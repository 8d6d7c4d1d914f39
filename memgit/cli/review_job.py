"""`memgit review-job`."""

from __future__ import annotations

from typing import Any

import click

from memgit.app.review.job import Settled, job_of, review_job, settle
from memgit.cli.options import context_of, json_option, root_folder, typed, workspace_of
from memgit.cli.output import echo, emit_json
from memgit.cli.reports import also_option, write_report
from memgit.cli.review import also_file
from memgit.errors import BadInput, Refused
from memgit.forge.events import Job
from memgit.forge.table import FORGES, here
from memgit.git.repository import Repository
from memgit.lint.reports.github import escape
from memgit.lint.reports.report import plain
from memgit.review.reports.formats import render
from memgit.review.values import FAIL, NOTHING, WARN, Review

FAILING = {"fail": (FAIL,), "warn": (FAIL, WARN), "never": ()}


@click.command("review-job")
@click.option(
    "--forge",
    type=click.Choice([forge.name for forge in FORGES]),
    help="Whose job this is; by default the forge whose CI runs it.",
)
@click.option(
    "--base", metavar="REV", help="Compare with this branch or revision, whatever the job is about."
)
@click.option("--head", metavar="REV", help="Review this instead of what the forge says; with --base.")
@click.option(
    "--format", "form", type=click.Choice(("text", "github")), default="text", help="How to report."
)
@also_option
@click.option(
    "--fail-on",
    type=click.Choice(tuple(FAILING)),
    default="fail",
    help="The verdict from which on to exit with 1.",
)
@click.option("--outputs", metavar="FILE", help="Append verdict, number, base and head as NAME=VALUE lines.")
@json_option
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Review what a CI job is about: fetch what its checkout lacks, and compare the change with the branch that it
    goes into as that is now.

    A job without a change, such as one on a schedule, checks everything. Where there is nothing to review, the
    verdict is none. The forge's own variables say which event it is; with --base and --head any CI will do.

    Examples:

    \b
      memgit review-job --forge github --fail-on warn
    """
    base, head = options["base"] or None, options["head"] or None
    if head is not None and base is None:
        raise BadInput("--head goes with --base")
    also = [also_file(text) for text in options["also"]]
    context = context_of(ctx)
    plain_ci = head is not None or (
        base is not None and options["forge"] is None and here(context.env) is None
    )
    job = Job(head=head or "HEAD") if plain_ci else job_of(context, options["forge"])
    settled = settle(Repository.open(root_folder(ctx), context.env), job, base)
    found = review_job(workspace_of(ctx, lenient=True), context, settled)
    for form, path in also:
        write_report([render(form, found, plain)], form, False, ctx, path)
    if options["outputs"] is not None:
        _append(typed(ctx, options["outputs"]), settled, found)
    if options["as_json"]:
        emit_json({**_facts(settled, found), "event": job.event, "notes": list(found.notes)})
    else:
        _print(ctx, options["form"], settled, found)
    return 1 if found.verdict in FAILING[options["fail_on"]] else 0


def _facts(settled: Settled, found: Review) -> dict[str, str | None]:
    return {
        "verdict": found.verdict,
        "number": settled.job.number,
        "base": None if settled.base is None else found.base.commit,
        "head": found.head.commit,
    }


def _append(path: str, settled: Settled, found: Review) -> None:
    lines = [f"{name}={value or ''}\n" for name, value in _facts(settled, found).items()]
    try:
        with open(path, "a", encoding="utf-8", newline="\n") as file:
            file.writelines(lines)
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error


def _print(ctx: click.Context, form: str, settled: Settled, found: Review) -> None:
    write_report([render(form, found, plain)], form, False, ctx, None)
    if form == "github":
        notes = found.notes if found.verdict == NOTHING or settled.base is None else settled.notes
        for note in notes:
            level = "warning" if note in settled.notes else "notice"
            echo(f"::{level} title=memgit::{escape(note)}")
