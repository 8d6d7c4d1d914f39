"""`memgit completion`."""

from __future__ import annotations

import click

from memgit.cli.output import write_utf8

WHERE = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": "~/.config/fish/completions/memgit.fish"}


@click.command("completion")
@click.argument("shell", type=click.Choice(list(WHERE)))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL, to be evaluated in its start file: eval "$(memgit completion
    bash)".

    Examples:

    \b
      eval "$(memgit completion bash)"
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"no completion for {shell}")
    root = ctx.find_root().command
    write_utf8(found(root, {}, "memgit", "_MEMGIT_COMPLETE").source() + "\n")
