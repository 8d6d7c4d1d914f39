"""The command group: each command is a module that is imported when it is called."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from memgit import __version__
from memgit.cli.lean import Declared
from memgit.cli.root import split
from memgit.cli.terminal import coloured
from memgit.errors import BadInput

__all__ = ["COMMANDS", "GROUPS", "call", "cli"]

GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Start a repository": {
        "init": ("init", "Make a folder a knowledge repository."),
        "adopt": ("adopt", "Make a knowledge root of what is there."),
        "upgrade": ("upgrade", "Bring Mem Skill entries to version 1.2."),
    },
    "Record": {
        "record": ("record", "Record a new piece of knowledge."),
        "update": ("update", "Replace the content or fields of a record."),
        "extend": ("extend", "Append a dated section to a record."),
        "edit": ("edit", "Edit a record in your editor, as one operation."),
        "rename": ("rename", "Give a record another title or place; links follow."),
        "link": ("link", "Link records with each other, both ways."),
        "promote": ("promote", "Make a memory or decision out of a record."),
        "archive": ("archive", "Hide a record from lists, search and context."),
        "restore": ("restore", "Bring an archived record back."),
        "rm": ("rm", "Delete records."),
        "merge-records": ("merge_records", "Merge duplicates into one record; links follow."),
        "undo": ("undo", "Take one operation back in a new commit."),
        "commit": ("commit", "Commit hand edits as operations."),
    },
    "Take in": {
        "ingest": ("ingest", "Take knowledge out of files, folders and pages."),
        "recordnow": ("recordnow", "Record what a session taught."),
    },
    "Find and read": {
        "show": ("show", "Show one record."),
        "list": ("list_", "List records."),
        "search": ("search", "Search records."),
        "recall": ("recall", "Load what a message calls for."),
        "context": ("context", "Print what a session should know at its start."),
        "links": ("links", "Show what links to a record, and what it links to."),
        "tags": ("tags", "List the tags of records with counts."),
    },
    "History": {
        "log": ("log", "Show the activity log."),
        "history": ("history", "Show the operations on one record."),
        "blame": ("blame", "Show who last changed each line of a record."),
        "diff": ("diff", "Show what changed in records."),
    },
    "Review and share": {
        "review": ("review", "Review what a branch does to records."),
        "propose": ("propose", "Carry out a command on a branch of its own, for review."),
        "sync": ("sync", "Fetch, merge and push."),
        "update-branch": ("update_branch", "Merge the base of this branch into it, record by record."),
        "resolve": ("resolve", "Merge records that git left in conflict."),
    },
    "Check and repair": {
        "lint": ("lint", "Check records, indexes and links."),
        "rule": ("rule", "Show what a rule finds and why."),
        "health": ("health", "Score the store and name what to archive, merge or shorten."),
        "doctor": ("doctor", "Say what is wrong with this clone."),
        "rebuild": ("rebuild", "Derive indexes, cache and log again."),
        "hooks": ("hooks", "Install or take out the git hooks."),
    },
    "Agents and search engines": {
        "agent": ("agent", "Set memgit up for a coding agent."),
        "mcp": ("mcp", "Serve agents by the Model Context Protocol."),
        "use": ("use", "Count one use of a record."),
        "engine": ("engine", "Show and test the search engines."),
    },
    "Publish": {
        "site": ("site", "Write the records as a static web site."),
        "serve": ("serve", "Show the records as web pages on this machine."),
        "export": ("export", "Write a plain workspace of another system."),
    },
    "For CI, git and the shell": {
        "review-job": ("review_job", "Review what a CI job is about."),
        "review-comment": ("comment", "Post a review on its pull or merge request."),
        "open-requests": ("open_requests", "List the open pull or merge requests."),
        "completion": ("completion", "Print the shell completion script."),
        "hook": ("hook", ""),
        "merge-driver": ("merge_driver", "Merge one file for git (called by git)."),
    },
}
"""What people do, and the commands for it: name to module and one line of help. A new command is one row here,
one module in `cli` and one use case in `app`.

A row without help is hidden.
"""
COMMANDS = {name: row for rows in GROUPS.values() for name, row in rows.items()}


FREE_TEXT = ("search", "recall")
"""Commands whose argument may be any text, and may well look like an option."""


class Lazy(click.Group):
    """A group whose commands are imported when they are called; its own help needs none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command | Declared = import_module(f"memgit.cli.{COMMANDS[cmd_name][0]}").command
        made: click.Command = command.click() if isinstance(command, Declared) else command
        return made

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            ctx.fail(f"no command {args[0]!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, rows in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, help_) for name, (_, help_) in rows.items() if help_], col_max=20)


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "-C",
    "folder",
    metavar="DIR",
    default=".",
    help="Run as if started in DIR.  [env: MEMGIT_DIR names the knowledge root]",
)
@click.option(
    "--actor", envvar="MEMGIT_ACTOR", help="The agent that acts, such as claude-code.  [env: MEMGIT_ACTOR]"
)
@click.option("--run", "run_", envvar="MEMGIT_RUN", help="The run of that agent.  [env: MEMGIT_RUN]")
@click.option("--no-pager", is_flag=True, help="Print long output as it is, not through a pager.")
@click.version_option(__version__, prog_name="memgit", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, folder: str, actor: str | None, run_: str | None, no_pager: bool) -> None:
    """A git-native knowledge repository: records are Markdown, every change is one commit."""
    ctx.obj = {**(ctx.obj or {}), "folder": folder, "actor": actor or None, "run": run_ or None}


def _show_dashes(error: click.NoSuchOption, args: Sequence[str]) -> None:
    """Says how a text that begins with a dash is given, where one may be meant: the same command line with
    what is no option after `--`.
    """
    command = error.ctx.command if error.ctx is not None else None
    if (
        command is None
        or command.name is None
        or (command.name not in FREE_TEXT and " " not in error.option_name)
    ):
        return
    rooted = split(args)
    if (
        rooted is None
        or rooted[1][:1] != [command.name]
        or not any(isinstance(param, click.Argument) for param in command.params)
    ):
        return
    from shlex import join

    options = {
        flag: param
        for param in command.params
        if isinstance(param, click.Option)
        for flag in (*param.opts, *param.secondary_opts)
    }
    waiting = rooted[1][1:]
    before = list(args[: len(args) - len(waiting)])
    after: list[str] = []
    while waiting:
        arg = waiting.pop(0)
        if arg == "--":
            after += waiting
            break
        flag = arg.partition("=")[0] if arg.startswith("--") else arg[:2]
        option = options.get(flag)
        known = option is not None and (not option.is_flag or arg == flag)
        (before if known else after).append(arg)
        if option is not None and not option.is_flag and arg == flag and waiting:
            before.append(waiting.pop(0))
    click.echo(
        f"  hint: put a text that begins with a dash after --: {join(['memgit', *before, '--', *after])}",
        err=True,
    )


def call(args: Sequence[str], obj: dict[str, Any]) -> int:
    """Runs one command line; `obj` is what its context holds.

    The exit code; errors that are not click's own are the caller's.
    """
    try:
        color = coloured() or None  # a pager shows what click would leave out for a pipe
        result = cli.main(list(args), prog_name="memgit", standalone_mode=False, obj=obj, color=color)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        if "--json" in args:
            from memgit.cli.output import error_json, print_error

            ctx = error.ctx if isinstance(error, click.UsageError) else None
            path = ctx.command_path if ctx is not None else "memgit"
            print_error(error_json(BadInput(error.format_message(), hint=f"{path} --help")))
        error.show()
        if isinstance(error, click.NoSuchOption):
            _show_dashes(error, args)
        return 2
    except click.Abort:
        raise KeyboardInterrupt from None
    return result if isinstance(result, int) else 0
