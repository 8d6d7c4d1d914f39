"""What the help shows: commands by what people do, examples that work, the kinds that an option is for."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import click
import pytest

from memgit.cli.main import COMMANDS, GROUPS, cli

BY_GIT = {"hook", "merge-driver"}
"""Called by git alone."""


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The path of every command that people type."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        elif not command.hidden and name not in BY_GIT:
            yield (*path, name)


def shown(path: tuple[str, ...]) -> tuple[click.Command, str]:
    """A command, and its help."""
    command: click.Command = cli
    context = click.Context(cli, info_name="memgit")
    for name in path:
        assert isinstance(command, click.Group)
        found = command.get_command(context, name)
        assert found is not None
        command, context = found, click.Context(found, parent=context, info_name=name)
    return command, command.get_help(context)


def test_every_command_stands_under_what_it_is_for() -> None:
    context = click.Context(cli)
    lines = cli.get_help(context).split("\n")
    headings = [line[:-1] for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert [one for one in headings if one != "Options"] == list(GROUPS)
    listed = [
        line.split()[0] for line in lines[lines.index(f"{next(iter(GROUPS))}:") :] if line.startswith("  ")
    ]
    assert listed == [name for name, (_, help_) in COMMANDS.items() if help_]


@pytest.mark.parametrize("path", [pytest.param(path, id=" ".join(path)) for path in commands(cli)])
def test_every_example_is_a_command_line_that_is_understood(path: tuple[str, ...]) -> None:
    command, text = shown(path)
    lines = [line.strip().partition("   ")[0] for line in text.partition("Examples:")[2].split("\n")]
    examples = [
        one for one in lines if one.startswith(("memgit ", 'eval "$(memgit ')) and " ".join(path) in one
    ]
    assert examples
    for example in examples:
        words = shlex.split(example.removeprefix('eval "$(').removesuffix(')"'))
        words = words[1 : next((at for at, word in enumerate(words) if word in ("<", ">", "&&")), len(words))]
        rest = words[2:] if words[0] == "-C" else words
        assert tuple(rest[: len(path)]) == path
        command.make_context(path[-1], rest[len(path) :])


def test_an_option_names_the_kinds_that_have_it() -> None:
    text = " ".join(shown(("record",))[1].split())
    assert "Tools that the skill uses; repeat or use commas. [skill]" in text
    assert "When this applies, one paragraph. [knowledge, experience]" in text
    assert "url:<link>. [" not in text  # of every kind
