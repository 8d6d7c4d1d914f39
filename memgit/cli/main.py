"""The command group: each command is a module that is imported when it is called; errors become one line and an exit code."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from memgit import __version__
from memgit.errors import MemgitError

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("init", "Make a folder a knowledge repository."),
    "record": ("record", "Record a new piece of knowledge."),
    "update": ("update", "Replace the content or fields of a record."),
    "extend": ("extend", "Append a dated section to a record."),
    "archive": ("archive", "Hide a record from lists, search and context."),
    "restore": ("restore", "Bring an archived record back."),
    "rename": ("rename", "Give a record another title or place; links follow."),
    "promote": ("promote", "Make a memory or decision out of a record."),
    "link": ("link", "Link records with each other, both ways."),
    "show": ("show", "Show one record."),
    "search": ("search", "Search records."),
    "recall": ("recall", "Load what a message calls for."),
    "context": ("context", "Print what a session should know at its start."),
    "use": ("use", "Count one use of a record."),
    "list": ("list_", "List records."),
    "history": ("history", "Show the operations on one record."),
    "blame": ("blame", "Show who last changed each line of a record."),
    "diff": ("diff", "Show what changed in records."),
    "log": ("log", "Show the activity log."),
    "undo": ("undo", "Take one operation back in a new commit."),
    "lint": ("lint", "Check records, indexes and links."),
    "rule": ("rule", "Show what a rule finds and why."),
    "commit": ("commit", "Commit hand edits as operations."),
    "rebuild": ("rebuild", "Derive indexes, cache and log again."),
    "doctor": ("doctor", "Say what is wrong with this clone."),
    "hooks": ("hooks", "Install or take out the git hooks."),
    "hook": ("hook", ""),
    "completion": ("completion", "Print the shell completion script."),
    "merge-driver": ("merge_driver", "Merge one file for git (called by git)."),
}
"""Name to module and one line of help. A new command is one row here, one module in `cli` and one use case in `app`.

A row without help is hidden.
"""


class Lazy(click.Group):
    """A group whose commands are imported when they are called; its own help needs none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"memgit.cli.{COMMANDS[cmd_name][0]}").command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            ctx.fail(f"no command {args[0]!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_) for name, (_, help_) in COMMANDS.items() if help_])


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("-C", "folder", metavar="DIR", default=".", help="Run as if started in DIR.")
@click.option("--actor", envvar="MEMGIT_ACTOR", help="The agent that acts, such as claude-code.  [env: MEMGIT_ACTOR]")
@click.option("--run", "run_", envvar="MEMGIT_RUN", help="The run of that agent.  [env: MEMGIT_RUN]")
@click.version_option(__version__, prog_name="memgit", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, folder: str, actor: str | None, run_: str | None) -> None:
    """A git-native knowledge repository: records are Markdown, every change is one commit."""
    ctx.obj = {**(ctx.obj or {}), "folder": folder, "actor": actor or None, "run": run_ or None}


def run(args: list[str] | None = None, *, closing: bool = True) -> int:
    """Runs one command line; `closing` closes the cache at its end.

    The exit code: 0 done, 1 findings or conflict, 2 wrong usage, 3 refused or failed, 130 interrupted.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # started with the stream closed, as a daemon may be
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    try:
        result = cli.main(args, prog_name="memgit", standalone_mode=False, obj={"closing": closing})
        sys.stdout.flush()
    except MemgitError as error:
        return _report(error)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (KeyboardInterrupt, click.Abort, EOFError):
        click.echo("memgit: interrupted, nothing further was done", err=True)
        return 130
    except SystemExit as error:
        # click ends so where the reader of our output went away, as `| head` does: that is no failure.
        gone = type(sys.stdout).__name__.endswith("PacifyFlushWrapper")
        return 0 if gone else error.code if isinstance(error.code, int) else 0
    except BrokenPipeError:
        # The reader of our output went away, as `| head` does; Python must not complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        click.echo(f"memgit: {named}{error.strerror or error}", err=True)
        return 3
    except RecursionError:
        click.echo("memgit: the input is nested too deeply", err=True)
        return 2
    return result if isinstance(result, int) else 0


def _report(error: MemgitError) -> int:
    from memgit.cli.output import safe

    click.echo(f"memgit: {safe(str(error))}", err=True)
    if error.hint:
        click.echo(f"  hint: {safe(error.hint)}", err=True)
    return error.exit_code
