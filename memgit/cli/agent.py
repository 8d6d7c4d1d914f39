"""`memgit agent`: memgit in the files of coding agents."""

from __future__ import annotations

import os
import signal
import sys

import click

from memgit.app.agents import hook as hooks
from memgit.app.agents.install import Outcome, Place, agent_of, install, status, uninstall
from memgit.app.agents.table import AGENTS
from memgit.app.workspace import open_workspace
from memgit.cli.options import context_of, json_option, root_folder
from memgit.cli.output import echo, emit_json
from memgit.errors import MemgitError, Refused
from memgit.model.printable import safe

SECONDS = 5
"""After which a hook gives up."""
MAX_EVENT = 4_000_000
"""Bytes of an event that are read."""


@click.group("agent")
def command() -> None:
    """Set memgit up for a coding agent: instructions, MCP server and hooks, in the agent's own files."""


user_option = click.option(
    "--user", is_flag=True, help="In the home folder, for all projects, instead of this project."
)
agent_argument = click.argument("agent", type=click.Choice(list(AGENTS)))


@command.command("install")
@agent_argument
@user_option
@json_option
@click.pass_context
def install_command(ctx: click.Context, agent: str, user: bool, as_json: bool) -> None:
    """Put memgit into the files of AGENT, beside what is there; safe to repeat.

    Examples:

    \b
      memgit agent install claude-code
      memgit agent install codex --user
    """
    _print(agent, install(agent, _place(ctx, user)), as_json)
    if not as_json and agent_of(agent).note:
        echo(f"memgit: {agent_of(agent).note}", err=True)


@command.command("uninstall")
@agent_argument
@user_option
@json_option
@click.pass_context
def uninstall_command(ctx: click.Context, agent: str, user: bool, as_json: bool) -> None:
    """Take out of the files of AGENT exactly what install put in.

    Examples:

    \b
      memgit agent uninstall claude-code
    """
    _print(agent, uninstall(agent, _place(ctx, user)), as_json)


@command.command("status")
@click.argument("agent", type=click.Choice(list(AGENTS)), required=False)
@user_option
@json_option
@click.pass_context
def status_command(ctx: click.Context, agent: str | None, user: bool, as_json: bool) -> None:
    """Say what is installed, of AGENT or of all agents.

    Examples:

    \b
      memgit agent status
    """
    found: dict[str, list[Outcome]] = {}
    for name in [agent] if agent else AGENTS:
        if not user or any(part.user for part in AGENTS[name].parts):
            found[name] = status(name, _place(ctx, user))
    if as_json:
        emit_json({name: [one._asdict() for one in outcomes] for name, outcomes in found.items()})
        return
    for name, outcomes in found.items():
        for one in outcomes:
            echo(f"{name}: {one.path} {one.state}")


@command.command("hook", hidden=True)
@click.argument("agent")
@click.argument("event")
@click.pass_context
def hook_command(ctx: click.Context, agent: str, event: str) -> None:
    """Answer a hook of AGENT: its event comes on standard input. It never fails, and gives up after seconds."""
    signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        text = _answered(ctx, agent, event)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except MemgitError as error:
        echo(f"memgit: {error}", err=True)
    except Exception as error:  # an agent's turn goes on whatever happens here
        echo(f"memgit: {type(error).__name__}: {error}", err=True)
    else:
        if text:
            click.echo(text)


def _answered(ctx: click.Context, agent: str, event: str) -> str:
    given = hooks.parse_event(sys.stdin.buffer.read(MAX_EVENT))
    named = root_folder(ctx)
    folder = named if named != "." else hooks.folder_of(given) or "."
    workspace = open_workspace(folder, os.environ)
    ctx.find_root().call_on_close(workspace.close)
    acting = context_of(ctx)
    return hooks.answer(workspace, acting._replace(actor=acting.actor or agent), agent, event, given)


def _late(number: int, frame: object) -> None:
    raise Refused(f"no answer within {SECONDS} seconds")


def _place(ctx: click.Context, user: bool) -> Place:
    """The project: the top of the repository that the folder lies in, else the folder; or the home folder."""
    folder = ctx.find_root().obj["folder"]
    workspace = open_workspace(root_folder(ctx) if user else folder, os.environ, lenient=True)
    root = workspace.root
    if not user:
        repo = workspace.repo
        project = repo.worktree if repo is not None and repo.worktree is not None else os.path.abspath(folder)
        inside = (
            os.path.relpath(root, project) if root is not None and workspace.config.found == "file" else "."
        )
        return Place(project, args=() if inside == "." else ("-C", inside))
    if root is None or workspace.config.found != "file":
        raise Refused(
            "--user needs a knowledge root to name", hint="memgit -C ROOT agent install AGENT --user"
        )
    return Place(os.path.expanduser("~"), True, ("-C", root))


def _print(agent: str, outcomes: list[Outcome], as_json: bool) -> None:
    if as_json:
        emit_json({"agent": agent, "files": [one._asdict() for one in outcomes]})
        return
    for one in outcomes:
        click.echo(safe(f"{one.state} {one.path}"))
