"""`memgit propose`."""

from __future__ import annotations

import io
import json
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from typing import Any

import click

from memgit.app.review.propose import Proposal, push, required
from memgit.cli.options import json_option
from memgit.cli.output import echo, emit_json, print_notes
from memgit.cli.terminal import on_terminal
from memgit.errors import BadInput


@click.command("propose", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--branch",
    metavar="NAME",
    help="The branch; one that is there goes on. By default memgit/<op>-<title>, a new one each time.",
)
@click.option("--base", metavar="REV", help="Where a new branch starts; by default HEAD.")
@json_option
@click.argument("args", nargs=-1, required=True, type=click.UNPROCESSED, metavar="[--] COMMAND...")
@click.pass_context
def command(
    ctx: click.Context, branch: str | None, base: str | None, as_json: bool, args: tuple[str, ...]
) -> int:
    """Carry out COMMAND on a branch of its own, ready to push for review.

    Working tree, index and HEAD stay as they are, and the command reads the branch, not the working tree.
    COMMAND is any command that writes records, with its options: memgit propose -- record knowledge "What was
    learned" -m "How."

    Examples:

    \b
      memgit propose -- record knowledge 'Grid gaps' --category web -m 'Use gap, not margins.'
    """
    needs = required(args[0])
    proposal = Proposal(branch, base)
    ctx.find_root().obj["proposal"] = proposal
    group = ctx.find_root().command
    assert isinstance(group, click.Group)
    inner = group.get_command(ctx, args[0])
    if inner is None:
        raise BadInput(f"there is no command {args[0]!r}")
    with inner.make_context(args[0], list(args[1:]), parent=ctx) as within:
        if not all(within.params.get(name) for name in needs.all_of):
            raise BadInput(f"{args[0]} makes a commit only with {' '.join(_flags(inner, needs.all_of))}")
        asking = on_terminal() and not any(within.params.get(name) for name in ("as_json", "map_", "plan"))
        if (
            needs.one_of
            and not (asking and not as_json)
            and not any(within.params.get(name) for name in (*needs.one_of, "dry_run"))
        ):
            flags = sorted(_flags(inner, needs.one_of), reverse=True)
            raise BadInput(f"{args[0]} makes a commit only with {' or '.join(flags)}", hint=needs.hint)
        if within.params.get("stage"):
            raise BadInput("--stage needs the working tree, which a proposal leaves alone")
        if as_json or within.params.get("as_json"):
            within.params["as_json"] = True
            code, text = _captured(lambda: inner.invoke(within))
            emit_json(_answer(proposal, json.loads(text) if text.strip() else None))
        else:
            code = inner.invoke(within)
            _tell(proposal, err=within.params.get("form") not in (None, "text"))
    return code if isinstance(code, int) else 0


def _flags(command: click.Command, names: Sequence[str]) -> list[str]:
    """Options as they are typed."""
    return [option.opts[0] for option in command.params if option.name in names]


def _captured(work: Callable[[], Any]) -> tuple[Any, str]:
    """What a command returns, and what it prints on standard output."""
    buffer = io.BytesIO()
    with redirect_stdout(io.TextIOWrapper(buffer, encoding="utf-8", newline="\n", write_through=True)):
        code = work()
        sys.stdout.flush()
        return code, buffer.getvalue().decode("utf-8", "replace")


def _answer(proposal: Proposal, told: Any) -> dict[str, Any]:
    print_notes(proposal.notes)
    command = (
        push(proposal.repo, proposal.branch) if proposal.repo and proposal.branch and proposal.commits else ()
    )
    return {
        "branch": proposal.branch,
        "base": proposal.base,
        "commit": proposal.commits[-1] if proposal.commits else None,
        "commits": list(proposal.commits),
        "created": proposal.created,
        "push": list(command) or None,
        "answer": told,
    }


def _tell(proposal: Proposal, *, err: bool) -> None:
    print_notes(proposal.notes)
    if proposal.repo is None or proposal.branch is None or not proposal.commits:
        echo("no branch was touched", err=err)
        return
    echo(
        f"{'new branch' if proposal.created else 'on branch'} {proposal.branch}, from {proposal.base[:10]}",
        err=err,
    )
    command = push(proposal.repo, proposal.branch)
    echo(
        f"publish: {shlex.join(command) if command else 'no remote is set: git remote add origin URL'}",
        err=err,
    )
